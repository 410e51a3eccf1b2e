"""The gate over runs whose truth is known: real programs with one function that was made slower by 0, 3, 10 and 30 %.

`planted/record.py` recorded them; `planted/planted.json` has their measures. docs/ci.md prints the curve.
"""

import json
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from traces.gate.judgement import judge
from traces.gate.outcome import Outcome
from traces.gate.rules import parse_rules
from traces.gate.run_measures import FunctionValues, RunMeasures
from traces.values import ProfileKind, Unit

PLANTED = Path(__file__).parent / "planted" / "planted.json"
LEVELS = (0, 3, 10, 30)
SIZES = ((5, 5), (10, 1))
"""Runs before and after."""
DRAWS = 200
FURTHER = 5
"""Sets of as many other draws: what is asked of the first must be no luck of theirs."""
CI = Path(__file__).parents[3] / "docs" / "ci.md"
Runs = dict[int, list[RunMeasures]]


@cache
def planted() -> dict[str, tuple[str, Runs]]:
    """By program its slower function and the measures of its runs by level."""
    found: dict[str, tuple[str, Runs]] = {}
    for program, recorded in json.loads(PLANTED.read_text(encoding="utf-8")).items():
        runs: Runs = {level: [] for level in LEVELS}
        for number, run in enumerate(recorded["runs"]):
            runs[run["slower"]].append(measures(f"{program}-{number}", recorded["target"], run))
        found[program] = (recorded["target"], runs)
    return found


def measures(name: str, target: str, run: dict[str, object]) -> RunMeasures:
    functions, of_target = run["functions"], run["target"]
    assert isinstance(functions, dict)
    assert isinstance(of_target, list)
    return RunMeasures(
        name=name,
        content_key=name,
        format=str(run["format"]),
        unit=Unit.NANOSECONDS,
        kind=ProfileKind.SAMPLED,
        value="CPU time",
        profile=name,
        scope_total=float(str(run["total"])),
        resolution=float(str(run["resolution"])),
        functions={(function, None): FunctionValues(*values) for function, values in functions.items()},
        targets={target: FunctionValues(*of_target)},
        names=frozenset(functions),
    )


@cache
def ends(before: int, after: int, level: int, others: str = "") -> Counter[Outcome]:
    """How so many draws ended, the programs in turn; of one level, runs before and after are never the same."""
    drawn = random.Random(f"{before}-{after}-{level}{others}")
    counted: Counter[Outcome] = Counter()
    programs = list(planted().values())
    for draw in range(DRAWS):
        target, runs = programs[draw % len(programs)]
        old = drawn.sample(runs[0], len(runs[0]))
        new = old[before : before + after] if level == 0 else drawn.sample(runs[level], after)
        counted[judge(old[:before], new, parse_rules([f"self_share({target}) +5%"])).outcome] += 1
    return counted


def test_there_are_forty_runs_of_each_level_of_each_program() -> None:
    assert len(planted()) == 3
    assert {len(runs[level]) for _, runs in planted().values() for level in LEVELS} == {40}


@pytest.mark.parametrize(("before", "after"), SIZES)
def test_no_slowdown_breaks_in_at_most_two_percent(before: int, after: int) -> None:
    assert ends(before, after, 0)[Outcome.BROKEN] <= 0.02 * DRAWS


@pytest.mark.parametrize(("before", "after"), SIZES)
def test_thirty_percent_break_in_at_least_ninety_nine_percent(before: int, after: int) -> None:
    assert ends(before, after, 30)[Outcome.BROKEN] >= 0.99 * DRAWS


@pytest.mark.parametrize(("before", "after", "least"), [(5, 5, 0.8), (10, 1, 0.5)])
def test_ten_percent_are_found_mostly(before: int, after: int, least: float) -> None:
    assert ends(before, after, 10)[Outcome.BROKEN] >= least * DRAWS


@pytest.mark.parametrize(("before", "after", "least"), [(5, 5, 0.8), (10, 1, 0.5)])
def test_other_draws_break_as_often(before: int, after: int, least: float) -> None:
    draws = FURTHER * DRAWS
    broken = {
        level: sum(ends(before, after, level, f"-{other}")[Outcome.BROKEN] for other in range(FURTHER))
        for level in (0, 10, 30)
    }
    assert broken[0] <= 0.02 * draws
    assert broken[10] >= least * draws
    assert broken[30] >= 0.99 * draws


@pytest.mark.parametrize(("before", "after"), SIZES)
def test_what_did_not_change_is_mostly_decided(before: int, after: int) -> None:
    assert ends(before, after, 0)[Outcome.KEPT] >= 0.5 * DRAWS


def test_the_curve_of_the_docs_is_what_the_draws_print() -> None:
    printed = [
        f"| {before} before, {after} after | {level} % | "
        + " | ".join(f"{100 * ends(before, after, level)[outcome] / DRAWS:.1f} %" for outcome in Outcome)
        + " |"
        for before, after in SIZES
        for level in LEVELS
    ]
    table = re.findall(r"^\| \d+ before.*$", CI.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert table == printed
