"""Time on a processor: of each slice by Chrome's `tdur`, never guessed; in the cache, SQL, lists and the summary."""

import json
from typing import Any

import pytest

from traces.analysis.longest import longest_spans
from traces.analysis.summary import summarise, time_shares
from traces.analysis.thread_time import processor_time
from traces.cache import decode, encode
from traces.export.sql_rows import spans as sql_spans
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace


def read(events: list[dict[str, Any]]) -> Trace:
    trace = read_trace(json.dumps({"traceEvents": events}).encode(), name="made.json")
    check(trace)
    return decode(b"".join(bytes(part) for part in encode(trace)))


def event(ph: str, name: str, ts: float, *, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "name": name, "ts": ts, "pid": 7, "tid": tid, "cat": "toplevel", **more}


def running(trace: Trace, profile: int = 0) -> list[int]:
    spans = trace.profiles[profile].spans
    assert spans is not None
    return [int(each) for each in spans.running]


def test_a_slice_has_the_time_on_a_processor_that_the_file_says() -> None:
    trace = read([event("X", "wait", 0, dur=100, tdur=7), event("X", "work", 10, dur=50, tdur=6.5)])
    assert running(trace) == [7_000, 6_500]
    rows = {row.name: row.running for row in longest_spans(trace).rows}
    assert rows == {"wait": 7_000, "work": 6_500}
    assert sql_spans(trace)["running"].tolist() == [7_000, 6_500]


def test_what_the_file_does_not_say_is_not_known() -> None:
    events = [event("X", "a", 0, dur=10, tdur=3), event("X", "b", 20, dur=10), event("X", "c", 40, dur=10, tdur=-1)]
    trace = read([*events, event("B", "d", 60), event("E", "d", 70), event("B", "open", 80)])
    assert running(trace) == [3_000, -1, -1, -1, -1]
    assert [row.running for row in longest_spans(trace).rows] == [3_000, None, None, None]
    assert processor_time(trace.profiles[0]) is None  # of a quarter of the time only
    assert summarise(trace).profiles[0].running is None


def test_a_file_without_it_has_no_such_column() -> None:
    trace = read([event("X", "a", 0, dur=10)])
    assert running(trace) == []
    assert sql_spans(trace)["running"].tolist() == [-1]
    assert read([event("X", "only", 0, tdur=4)]).profiles[0].axis_end == 4_000  # it stands for the duration


@pytest.mark.parametrize("slices", [3, 3_000])
def test_threads_with_and_without_it_keep_their_own(slices: int) -> None:
    """Small threads are put together, large ones stand alone."""
    events = [event("X", "x", 20 * n, dur=10, tdur=5) for n in range(slices)]
    events += [event("X", "y", 20 * n, tid=2, dur=10) for n in range(slices)]
    events += [event("B", "z", 5, tid=3), event("E", "z", 9, tid=3)]
    trace = read(events)
    assert running(trace) == [5_000] * slices
    assert set(running(trace, 1)) | set(running(trace, 2)) == {-1}
    first, second, _ = summarise(trace).profiles
    assert (first.running, second.running) == (5_000 * slices, None)
    assert "of it on a processor" in time_shares(first)[0]


def pair(name: str, ts: float, ended: float, tid: int = 1, **clocks: float) -> list[dict[str, Any]]:
    began, over = clocks.get("began"), clocks.get("over")
    begin = event("B", name, ts, tid=tid, **({} if began is None else {"tts": began}))
    return [begin, event("E", name, ended, tid=tid, **({} if over is None else {"tts": over}))]


@pytest.mark.parametrize("slices", [1, 1_500])
def test_begins_and_ends_have_the_threads_clock_between_them(slices: int) -> None:
    """The clocks of threads are their own; small threads are put together, large ones stand alone."""
    events: list[dict[str, Any]] = []
    for n in range(slices):
        outer = pair("outer", 100 * n, 100 * n + 90, began=1000 + 50 * n, over=1030.5 + 50 * n)
        inner = pair("inner", 100 * n + 10, 100 * n + 50, began=1004 + 50 * n, over=1024 + 50 * n)
        events += [outer[0], *inner, outer[1]]
        events += pair("outer", 100 * n, 100 * n + 90, 2, began=7 + n, over=7.25 + n)
    trace = read(events)
    assert running(trace) == [30_500, 20_000] * slices
    assert running(trace, 1) == [250] * slices
    assert processor_time(trace.profiles[0]) == 30_500 * slices


def test_slices_of_both_kinds_have_theirs() -> None:
    trace = read([*pair("pair", 0, 100, began=5, over=65), event("X", "one", 10, dur=20, tdur=4, tts=12)])
    assert running(trace) == [60_000, 4_000]


def test_of_a_pair_without_both_clocks_it_is_not_known() -> None:
    events = [*pair("a", 0, 10, began=1, over=3), *pair("b", 20, 30, began=4), *pair("c", 40, 50, over=9)]
    events += [*pair("d", 60, 70, began=20, over=15), event("B", "open", 80, tts=30), event("E", "none", 85, tts=31)]
    assert running(read(events)) == [2_000, -1, -1, -1, -1]


def test_a_call_that_its_callers_end_cut_ran_until_then() -> None:
    events = [event("B", "outer", 0, tts=1), event("B", "inner", 10, tts=4), event("E", "outer", 50, tts=24)]
    assert running(read([*events, event("E", "inner", 60, tts=25)])) == [23_000, 20_000]


@pytest.mark.parametrize("tid", [1, 2])
def test_a_threads_clock_that_ran_faster_is_a_contradiction(tid: int) -> None:
    trace = read([*pair("a", 0, 10_000, tid, began=0, over=40_000), *pair("b", 0, 10_000, 3, began=1, over=2)])
    assert running(trace) == [10_000_000]
    assert [(warning.code, warning.count) for warning in trace.warnings] == [("cpu_time", 1)]


def test_more_time_on_a_processor_than_by_the_clock_is_a_contradiction() -> None:
    trace = read([event("X", "a", 0, dur=10_000, tdur=40_000), event("X", "b", 20_000, dur=100, tdur=104)])
    assert running(trace) == [10_000_000, 104_000]
    (warning,) = trace.warnings
    assert (warning.code, warning.count) == ("cpu_time", 1)
    assert "40.0 ms by their own account, though they lasted 10.0 ms: likelier is what they lasted" in warning.text
