"""Who calls a function and what it calls: callers and callees add up, recursion is counted once, what is left out is
counted."""

import pytest

from tests.traces.formats.call_graph.runs_of_programs import Call, as_pstats, sums_of
from tests.traces.insights.recorded import MS, sampled, timeline
from tests.traces.stacks_of_traces import read
from traces.analysis.sandwich import NO_CALLER, Sandwich, callers_callees
from traces.analysis.window import Window
from traces.errors import UnknownHandle
from traces.model import Trace

TRACE = sampled({"main;load;read": 30, "main;load": 20, "main;draw;read": 10, "main;draw": 25, "read": 15})


def around(trace: Trace, name: str, **question: object) -> Sandwich:
    return callers_callees(trace, trace.frame_names.index(name), **question)  # type: ignore[arg-type]


def rows(found: Sandwich) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Callers and callees, in milliseconds."""
    callers, callees = ([(row.name, row.value / MS) for row in side] for side in (found.callers, found.callees))
    return callers, callees


def test_callers_add_up_to_the_total_and_callees_with_its_own_to_it_too() -> None:
    found = around(TRACE, "read")
    assert rows(found) == ([("load", 30), (NO_CALLER, 15), ("draw", 10)], [])
    assert sum(row.value for row in found.callers) == found.frame.total_value == 55 * MS
    found = around(TRACE, "load")
    assert rows(found) == ([("main", 50)], [("read", 30)])
    assert found.frame.self_value + sum(row.value for row in found.callees) == found.frame.total_value


def test_a_share_is_of_the_function_s_total() -> None:
    assert [row.share for row in around(TRACE, "load").callees] == [pytest.approx(0.6)]
    assert [row.share for row in around(TRACE, "load").callers] == [1.0]


def test_nobody_called_what_stacks_begin_with() -> None:
    (begins,) = [row for row in around(TRACE, "read").callers if row.name == NO_CALLER]
    assert (begins.handle, begins.frame, begins.file, begins.line) == (None, -1, None, None)
    assert [row.handle for row in around(TRACE, "draw").callers] == ["f0"]


def test_what_the_limit_leaves_out_is_counted() -> None:
    found = around(TRACE, "read", limit=1)
    assert (len(found.callers), found.more_callers, found.more_callees) == (1, 2, 0)
    none = around(TRACE, "main", limit=0)
    assert (none.callees, none.more_callees) == ((), 2)


def test_recursion_is_entered_from_outside_once() -> None:
    trace = sampled({"main;walk;walk;leaf": 30, "main;walk;step;walk": 20, "main;walk": 5})
    found = around(trace, "walk")
    assert found.recursive
    assert rows(found)[0] == [("main", 55)]
    assert found.frame.self_value / MS + sum(value for _, value in rows(found)[1]) == 55
    assert ("walk", 30) not in rows(found)[1]
    assert not around(trace, "leaf").recursive
    assert not around(trace, "main").recursive


def test_calls_are_known_of_single_calls_and_not_of_samples() -> None:
    trace = timeline([("main", 0, 100), ("read", 10, 20), ("read", 30, 35), ("draw", 50, 90), ("read", 60, 70)])
    found = around(trace, "read")
    assert {row.name: row.calls for row in found.callers} == {"main": 2, "draw": 1}
    assert {row.name: row.calls for row in around(trace, "main").callees} == {"read": 2, "draw": 1}
    assert found.counted == "calls"
    assert [row.calls for row in around(TRACE, "read").callers] == [None, None, None]


def test_inside_a_time_range_only_what_lies_there_counts() -> None:
    trace = timeline([("main", 0, 100), ("read", 10, 20), ("draw", 50, 90), ("read", 60, 70)])
    found = around(trace, "read", window=Window(50 * MS, 90 * MS))
    assert rows(found)[0] == [("draw", 10)]
    assert found.scope_total == 40 * MS


def test_a_function_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownHandle, match="f9"):
        callers_callees(TRACE, 9)
    with pytest.raises(UnknownHandle, match="p3"):
        callers_callees(TRACE, 0, profile=3)


def test_of_edges_that_the_file_has_a_call_that_cost_nothing_is_one() -> None:
    run = Call(0, 10, (Call(1, 5, (Call(3, 40),)), Call(2, 5, (Call(4, 0),))))
    trace = read(as_pstats(sums_of(run)))
    assert [(row.name, row.value, row.calls) for row in around(trace, "f4").callers] == [("f2", 0, 1)]
    assert [(row.name, row.value, row.calls) for row in around(trace, "f2").callees] == [("f4", 0, 1)]
    assert [(row.name, row.calls) for row in around(trace, "f3").callers] == [("f1", 1)]
