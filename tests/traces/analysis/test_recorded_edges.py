"""Figures that a file has of a caller and a callee: of the recording as one, and of no part of it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.traces.formats.call_graph.runs_of_programs import Call, as_callgrind, as_pstats, sums_of
from tests.traces.stacks_of_traces import read
from traces.analysis.filters import FrameFilter
from traces.analysis.functions import function_values, top_functions
from traces.analysis.recorded_edges import Basis, RecordedEdges, recorded_edges
from traces.analysis.sandwich import Sandwich, callers_callees
from traces.analysis.selection import select
from traces.edges import Edges
from traces.export import sql_rows
from traces.handles import ALL
from traces.invariants import check
from traces.model import Trace
from traces.transforms.transformed import transformed
from traces.transforms.vocabulary import parsed_transforms

RUN = Call(0, 10, (Call(1, 5, (Call(3, 40),)), Call(2, 5, (Call(3, 20), Call(3, 20))), Call(1, 0, (Call(4, 0),))))


@pytest.fixture
def trace() -> Trace:
    return read(as_pstats(sums_of(RUN)))


def around(trace: Trace, name: str, **question: object) -> Sandwich:
    return callers_callees(trace, trace.frame_names.index(name), **question)  # type: ignore[arg-type]


def test_each_caller_has_its_calls_and_what_they_cost(trace: Trace) -> None:
    assert [(row.name, row.value, row.calls) for row in around(trace, "f3").callers] == [("f1", 40, 1), ("f2", 40, 2)]


def test_a_call_that_cost_nothing_is_a_call(trace: Trace) -> None:
    assert [(row.name, row.value, row.calls) for row in around(trace, "f4").callers] == [("f1", 0, 1)]
    assert ("f4", 0, 1) in [(row.name, row.value, row.calls) for row in around(trace, "f1").callees]


def test_with_a_filter_another_value_or_a_transform_paths_answer_and_are_called_estimates(trace: Trace) -> None:
    others = (
        around(trace, "f3", frame_filter=FrameFilter(hide="f2")),
        around(trace, "f3", value="calls"),
        around(transformed(trace, parsed_transforms("merge-function:f1")), "f3"),
    )
    for found in others:
        assert found.basis is Basis.ESTIMATED
        assert all(row.calls is None for row in found.callers)
        assert found.calls_itself is None


def test_profiles_that_are_added_up_have_the_sums_of_their_edges() -> None:
    text = as_callgrind(sums_of(RUN)).removeprefix("# callgrind format\nevents: Ir Dr\n")
    part = "\npart: {}\nthread: {}\n\nevents: Ir Dr\n{}"
    one = read("# callgrind format\n" + text.join(("events: Ir Dr\n", "")))
    both = read("# callgrind format\n" + "".join(part.format(k, k, text) for k in (1, 2)))
    expected = [(row.name, 2 * row.value, 2 * (row.calls or 0)) for row in around(one, "f3").callers]
    found = around(both, "f3", profile=ALL)
    assert found.basis is Basis.RECORDED
    assert [(row.name, row.value, row.calls) for row in found.callers] == expected
    assert around(both, "f3", profile=1).callers == around(one, "f3").callers
    assert found.frame.total_value == 2 * around(one, "f3").frame.total_value


def test_a_part_of_the_profiles_without_edges_leaves_paths_to_answer() -> None:
    text = as_callgrind(sums_of(RUN)).removeprefix("# callgrind format\n")
    both = read("# callgrind format\n" + "".join(f"\npart: {k}\nthread: {k}\n\n{text}" for k in (1, 2)))
    one = replace(both, edges=both.edges.without([0]))
    assert recorded_edges(select(one, 1)) is not None
    assert recorded_edges(select(one, 0)) is None
    assert recorded_edges(select(one, ALL)) is None


def test_stacks_and_calls_in_time_are_added_up_exactly() -> None:
    found = callers_callees(read("main;draw 3\nmain;parse 4\nmain;draw;fill 2\n"), 1)
    assert (found.basis, found.calls_itself) == (Basis.ADDED_UP, None)


def test_totals_lie_between_a_functions_own_value_and_all(trace: Trace) -> None:
    chosen = select(trace)
    values = chosen.values()
    total = trace.edges.total_value.copy()
    total[:2] = [1e12, 0.0]
    odd = replace(trace, edges=replace(trace.edges, total_value=total))
    found = function_values(select(odd), values)
    assert (found.total_value <= chosen.total(values)).all()
    assert (found.total_value >= found.self_value).all()
    assert len(top_functions(odd, limit=99).rows) == len(top_functions(trace, limit=99).rows)


@pytest.mark.parametrize("column", ["profile", "caller", "callee", "calls", "value", "total_value", "self_value"])
def test_edges_that_make_no_sense_break_a_law(trace: Trace, column: str) -> None:
    wrong = getattr(trace.edges, column).copy()
    wrong[-1] = -7
    with pytest.raises(AssertionError):
        check(replace(trace, edges=replace(trace.edges, **{column: wrong})))


def test_rows_of_a_value_of_a_profile_are_found() -> None:
    zeros = np.zeros(5)
    profile, value = np.array([0, 0, 1, 1, 3], np.int32), np.array([0, 1, 0, 0, 2], np.int32)
    counts = np.zeros(5, np.int64)
    edges = Edges(profile, value, value, value, counts, counts, zeros, zeros)
    places = [
        ((0, 0), (0, 1)),
        ((0, 1), (1, 2)),
        ((1, 0), (2, 4)),
        ((2, 0), (4, 4)),
        ((3, 2), (4, 5)),
        ((3, 0), (4, 4)),
    ]
    for where, (low, high) in places:
        rows = edges.rows_of(*where)
        assert (rows.start, rows.stop) == (low, high)
    assert edges.without([0, 3]).profile.tolist() == [1, 1]


def test_a_total_that_one_profile_does_not_have_is_not_known() -> None:
    nothing, rows = np.zeros(0, np.int32), np.zeros(0)
    functions, totals = np.array([0, 1, 0, 1], np.int32), np.array([2.0, 3.0, -1.0, 4.0])
    calls = np.zeros(0, np.int64)
    edges = RecordedEdges(nothing, nothing, calls, rows, functions, np.zeros(4, np.int64), totals)
    assert edges.totals(3).tolist() == [-1, 7, -1]


def test_sql_has_callers_and_callees_alone(trace: Trace) -> None:
    rows = sql_rows.edges(trace)
    assert rows["caller"].min() >= 0
    assert len(rows["caller"]) == len(sums_of(RUN).direct)
