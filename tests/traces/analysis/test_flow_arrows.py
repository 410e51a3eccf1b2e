"""The arrows of a call: which call of a thread they leave and reach, as many as are shown."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.flow_arrows import MOST_ARROWS, arrows_of, innermost
from traces.errors import UnknownHandle
from traces.model import Trace
from traces.reader import read_trace


def call(name: str, at: int, lasted: int, tid: int = 1) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": at, "dur": lasted, "pid": 7, "tid": tid}


def step(phase: str, at: int, tid: int, ident: int = 1, name: str = "post") -> dict[str, Any]:
    return {"ph": phase, "name": name, "cat": "flow", "id": ident, "ts": at, "pid": 7, "tid": tid}


def trace_of(*events: dict[str, Any]) -> Trace:
    return read_trace(json.dumps(events).encode(), name="flows.json")


def handle(trace: Trace, name: str, at: int = 0) -> str:
    """The handle of the call of a function that begins at or after a moment in microseconds."""
    for profile in trace.profiles:
        assert profile.spans is not None
        for row, node in enumerate(profile.spans.node.tolist()):
            named = trace.frame_names[int(profile.tree.frame[node])]
            if named == name and profile.spans.start[row] >= at * 1000:
                return f"s{profile.span_base + row}"
    raise AssertionError(name)


def test_an_arrow_leads_from_the_innermost_call_to_the_one_that_it_reaches() -> None:
    trace = trace_of(
        call("outer", 0, 100),
        call("sends", 10, 20),
        call("works", 200, 50, tid=2),
        call("takes", 210, 10, tid=2),
        step("s", 15, 1),
        step("f", 212, 2),
    )
    (arrow,), count = arrows_of(trace, handle(trace, "sends"))
    assert (arrow.name, arrow.leaves, arrow.time, count) == ("post", True, 15_000, 1)
    assert (arrow.other.profile, arrow.other.time, arrow.other.depth) == (1, 212_000, 1)
    assert (arrow.other.handle, arrow.other.function) == (handle(trace, "takes"), "takes")
    assert arrows_of(trace, handle(trace, "outer")) == ([], 0)
    assert arrows_of(trace, handle(trace, "works")) == ([], 0)
    (back,), _ = arrows_of(trace, handle(trace, "takes"))
    assert (back.leaves, back.time, back.other.function) == (False, 212_000, "sends")


def test_an_arrow_that_reaches_a_thread_at_rest_waits_for_its_next_call() -> None:
    trace = trace_of(call("sends", 0, 10), call("late", 50, 5, tid=2), step("s", 5, 1), step("f", 40, 2))
    (arrow,), _ = arrows_of(trace, handle(trace, "sends"))
    assert (arrow.other.function, arrow.other.time) == ("late", 40_000)
    (arrow,), _ = arrows_of(trace, handle(trace, "late"))
    assert not arrow.leaves


def test_where_two_calls_meet_the_later_one_has_the_arrow() -> None:
    trace = trace_of(call("one", 0, 10), call("two", 10, 10), step("s", 10, 1), step("f", 20, 1))
    arrows, _ = arrows_of(trace, handle(trace, "two"))
    assert [one.leaves for one in arrows] == [True, False]
    assert arrows_of(trace, handle(trace, "one"))[1] == 0


def test_the_earliest_arrows_of_many_are_shown_and_all_are_counted() -> None:
    steps = [step(phase, at + 1, 1, ident=at) for at in range(80) for phase in "sf"]
    trace = trace_of(call("busy", 0, 100), *steps)
    arrows, count = arrows_of(trace, handle(trace, "busy"))
    assert (len(arrows), count) == (MOST_ARROWS, 160)
    assert [one.time for one in arrows] == sorted(one.time for one in arrows)


def test_a_call_that_is_not_there_has_no_arrows() -> None:
    with pytest.raises(UnknownHandle):
        arrows_of(trace_of(call("one", 0, 10)), "s9")


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), min_size=1, max_size=12),
    st.lists(st.integers(-5, 130), min_size=1, max_size=12),
)
def test_the_innermost_call_is_the_last_of_those_that_are_open(
    calls: list[tuple[int, int]], moments: list[int]
) -> None:
    spans = trace_of(*(call(f"c{at}", *extent) for at, extent in enumerate(calls))).profiles[0].spans
    assert spans is not None
    zero = min(at for at, _ in calls)
    times = [(moment - zero) * 1000 for moment in moments]
    found = innermost(spans, np.array(times, np.int64)).tolist()
    for time, row in zip(times, found, strict=True):
        open_then = np.flatnonzero((spans.start <= time) & (spans.end >= time))
        assert row == (int(open_then[-1]) if len(open_then) else -1)
