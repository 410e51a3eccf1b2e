"""Several runs against several: the test, the effect, and when there are too few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.rank_test import least_p
from traces.analysis.runs import cliffs_delta, compare_runs, size_of
from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion
from traces.model import Trace, Values
from traces.stacks import StackTable
from traces.values import Unit, ValueType

Numbers = st.lists(st.integers(0, 50), min_size=1, max_size=8).map(lambda values: np.array(values, np.float64))


def run(parse: int, draw: int = 100, *, unit: Unit = Unit.NANOSECONDS) -> Trace:
    builder = TraceBuilder(f"run {parse}", "example")
    frames = {name: builder.frame(name, "app.py", 1) for name in ("main", "parse", "draw")}
    stacks = StackTable()
    leaves = stacks.leaves([[frames["main"], frames["parse"]], [frames["main"], frames["draw"]]])
    weights = np.array([parse, draw]) if unit.is_time else np.array([parse, draw], np.float64)
    builder.add_sampled("t", stacks, leaves, [weights], values=(ValueType("v", unit),))
    return builder.build(content_key=f"{parse:064d}", source_bytes=1)


@given(Numbers, Numbers)
def test_delta_is_the_difference_of_two_chances(before: Values, after: Values) -> None:
    pairs = [(a, b) for a in after for b in before]
    above, below = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    assert cliffs_delta(before, after) == pytest.approx((above - below) / len(pairs))
    assert cliffs_delta(after, before) == pytest.approx(-cliffs_delta(before, after))


def test_words_for_the_size_of_an_effect() -> None:
    assert [size_of(delta) for delta in (0, -0.2, 0.4, -1)] == ["negligible", "small", "medium", "large"]


@pytest.mark.parametrize(("before", "after", "p"), [(1, 1, 1), (3, 3, 0.1), (4, 4, 2 / 70), (1, 39, 0.05)])
def test_the_smallest_p_that_so_many_runs_can_give(before: int, after: int, p: float) -> None:
    assert least_p(before, after) == pytest.approx(p)


def test_a_function_that_grew_is_found_and_one_that_did_not_is_not() -> None:
    before, after = [run(200 + i) for i in range(5)], [run(300 + i) for i in range(5)]
    found = compare_runs(before, after)
    grown = found.rows[0]
    assert (grown.name, grown.delta, grown.size, grown.handle) == ("parse", 1.0, "large", "f1")
    assert (grown.median_before, grown.median_after) == (202, 302)
    assert grown.p == pytest.approx(2 / 252)
    same = next(row for row in found.rows if row.name == "draw")
    assert (same.p, same.delta) == (1.0, 0.0)
    assert grown.adjusted_p is not None
    assert grown.p is not None
    assert grown.adjusted_p >= grown.p
    assert (found.scope_total.median_before, found.scope_total.delta) == (302, 1.0)
    assert found.can_test


def test_three_and_three_runs_give_no_p_and_say_so() -> None:
    found = compare_runs([run(i) for i in (1, 2, 3)], [run(i) for i in (7, 8, 9)])
    assert not found.can_test
    assert {row.p for row in found.rows} == {None}
    assert "too few for any p-value" in found.notes[0]


def test_shares_are_compared_where_runs_differ_in_length() -> None:
    short, long = [run(100 + i, 100 + i) for i in range(4)], [run(1000 + i, 1000 + i) for i in range(4)]
    rows = compare_runs(short, long, normalise=True).rows
    assert {row.median_after for row in rows if row.name != "main"} == {0.5}


def test_runs_that_measure_different_things_are_refused() -> None:
    with pytest.raises(InvalidQuestion, match="measures bytes"):
        compare_runs([run(1)], [run(1, unit=Unit.BYTES)])
    with pytest.raises(InvalidQuestion, match="a run before"):
        compare_runs([], [run(1)])
