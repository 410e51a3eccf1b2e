"""Recordings without samples and slices: async spans and requests on tracks of their own, levels and marks as such."""

import json
from typing import Any

import pytest

from server.agent.opening import opening
from traces.analysis.counters import CounterSeries, counter_series, marks
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.errors import EmptyTrace
from traces.insights.insight import State
from traces.insights.registry import insights
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.side_tracks import MAX_TRACKS, nesting_tracks
from traces.values import Unit

AT = {"pid": 1, "tid": 1}
COUNTERS: list[dict[str, Any]] = [
    {**AT, "ph": "C", "ts": 1_000, "name": "heap", "args": {"used": 100}},
    {**AT, "ph": "C", "ts": 3_000, "name": "heap", "args": {"used": 400}},
    {**AT, "ph": "C", "ts": 9_000, "name": "fps", "args": {"value": 60, "low": 30}},
]
MARKS: list[dict[str, Any]] = [{**AT, "ph": "i", "ts": 1_000 * at, "name": "loaded"} for at in (1, 5)]


def read(events: list[dict[str, Any]]) -> Trace:
    trace = read_trace(json.dumps({"traceEvents": events}).encode(), name="recorded")
    check(trace)
    return trace


def asynchronous(name: str, ident: str, begin: int, end: int) -> list[dict[str, Any]]:
    either = {**AT, "cat": "c", "name": name, "id": ident}
    return [{**either, "ph": "b", "ts": begin}, {**either, "ph": "e", "ts": end}]


def test_async_spans_lie_on_as_many_tracks_as_it_takes() -> None:
    events = [*asynchronous("a", "1", 0, 10), *asynchronous("b", "2", 5, 15), *asynchronous("c", "3", 6, 9)]
    trace = read(events)
    assert [p.name for p in trace.profiles] == ["Async spans 1", "Async spans 2"]
    rows = {row.name: (row.self_value, row.total_value) for row in top_functions(trace, profile=0).rows}
    assert rows == {"a": (7_000, 10_000), "c": (3_000, 3_000)}
    assert [row.name for row in top_functions(trace, profile=1).rows] == ["b"]
    assert len(trace.async_spans.start) == 3


def test_counters_are_in_the_summary_of_a_recording_without_calls() -> None:
    trace = read(COUNTERS)
    assert counter_series(trace) == (
        CounterSeries("heap", 2, 100, 400, 400),
        CounterSeries("fps.value", 1, 60, 60, 60),
        CounterSeries("fps.low", 1, 30, 30, 30),
    )
    summary = summarise(trace)
    assert (summary.duration_ns, summary.frame_count, summary.counter_count) == (8_000_000, 0, 4)
    assert (summary.profiles[0].name, summary.profiles[0].idle_share) == ("Counters", None)
    assert "heap 100 to 400" in opening(trace).summary


def test_marks_are_counted_by_name() -> None:
    trace = read(MARKS)
    assert marks(trace) == (("loaded", 2),)
    assert "loaded ×2" in opening(trace).summary


@pytest.mark.parametrize("events", [COUNTERS, MARKS], ids=["counters", "marks"])
def test_every_detector_answers_and_finds_nothing_idle_or_slow(events: list[dict[str, Any]]) -> None:
    found = {one.id for one in insights(read(events)) if one.state is State.FAIL}
    assert found.isdisjoint({"mostly-idle", "hot-function", "lost-events"})


def test_a_thread_with_slices_needs_no_tracks() -> None:
    slices = [{**AT, "ph": "X", "ts": 0, "dur": 20, "name": "main"}, *asynchronous("a", "1", 0, 10)]
    assert [p.name for p in read(slices).profiles] == ["pid 1, tid 1"]


def test_a_recording_of_nothing_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read([{**AT, "ph": "M", "name": "thread_name", "args": {"name": "main"}}])


def test_a_level_may_be_a_fraction_or_negative_and_is_no_time() -> None:
    trace = read([{**AT, "ph": "C", "ts": 5, "name": "t", "args": {"v": level}} for level in (-1.5, 2.25)])
    assert counter_series(trace) == (CounterSeries("t", 2, -1.5, 2.25, 2.25),)
    assert trace.profiles[0].unit is Unit.NANOSECONDS


def test_intervals_that_all_overlap_are_bounded() -> None:
    tracks, beyond = nesting_tracks([(at, 10_000 + at, 0) for at in range(1_000)])
    assert (len(tracks), beyond) == (MAX_TRACKS, 1_000 - MAX_TRACKS)


def test_many_intervals_one_after_the_other_are_one_track() -> None:
    tracks, beyond = nesting_tracks([(at, at + 1, 0) for at in range(50_000)])
    assert (len(tracks), beyond) == (1, 0)
