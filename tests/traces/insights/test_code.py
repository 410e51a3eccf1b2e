"""What the program's code shows: the hottest function, and the path to where the work divides."""

import numpy as np
import pytest

from tests.traces.insights.recorded import sampled
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.code import DETECTORS, PLACEHOLDERS
from traces.insights.insight import Insight, Severity, State
from traces.insights.registry import insight
from traces.insights.thresholds import threshold


def hot(percent: float, *, placeholders: int = 0) -> Insight:
    """A function of that share, behind so many places that are no functions, each hotter."""
    places = sorted(PLACEHOLDERS)[:placeholders]
    each = (100 - percent) / (placeholders or 100)
    rest = dict.fromkeys(places, each) if places else {f"f{k}": each for k in range(100)}
    return insight(sampled({**rest, "main;work": percent}), "hot-function")


def test_a_function_behind_all_placeholders_is_found() -> None:
    found = hot(10, placeholders=len(PLACEHOLDERS))
    assert found.evidence[0].name == "work"
    assert found.share == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("percent", "severity"), [(5, Severity.LOW), (19, Severity.LOW), (20, Severity.MEDIUM), (50, Severity.HIGH)]
)
def test_how_hot_it_is_decides_how_much_it_matters(percent: float, severity: Severity) -> None:
    assert hot(percent).severity is severity


def test_at_most_three_functions_are_named() -> None:
    found = insight(sampled({f"f{k}": 10 - k for k in range(6)}), "hot-function")
    assert [evidence.name for evidence in found.evidence] == ["f0", "f1", "f2"]


def test_the_heaviest_path_ends_where_it_forks() -> None:
    found = insight(sampled({"main;a;b;x": 30, "main;a;b;y": 30, "main;c": 40}), "heaviest-path")
    assert [evidence.name for evidence in found.evidence][:3] == ["main", "a", "b"]


def test_a_long_path_is_shown_by_its_ends() -> None:
    found = insight(sampled({";".join(f"f{k}" for k in range(12)): 100}), "heaviest-path")
    names = [evidence.name for evidence in found.evidence]
    assert names[0] == "f0"
    assert names[-1] == "f11"
    assert len(names) < 12
    assert " > … > " in found.said(lambda evidence: evidence.name)
    assert np.isclose(found.share or 0, 1)
    assert found.state is State.FAIL


def test_deep_recursion_is_named_with_its_depth_and_what_lies_in_it() -> None:
    depth = int(threshold("recursion.depth"))
    deep = ";".join(["main", *["walk"] * (depth + 2)])
    found = insight(sampled({f"{deep};leaf": 60, "main;walk": 10, "main;other": 30}), "recursion")
    assert (found.state, found.severity) == (State.FAIL, Severity.LOW)
    assert [evidence.name for evidence in found.evidence] == ["walk"]
    text = found.said(lambda evidence: evidence.name)
    assert text.startswith(f"walk calls itself, up to {depth + 2} deep; 60.0% (60.0 ms) lies in its recursion")
    assert found.share == pytest.approx(0.6)


def test_shallow_recursion_or_little_of_it_is_none() -> None:
    depth = int(threshold("recursion.depth"))
    shallow = ";".join(["main", *["walk"] * (depth - 1)])
    assert insight(sampled({shallow: 60, "main;other": 40}), "recursion").state is State.PASS
    deep = ";".join(["main", *["walk"] * depth])
    little = insight(sampled({deep: 0.1, "main;other": 99.9}), "recursion")
    assert little.state is State.PASS
    assert little.share == pytest.approx(0.001)


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
