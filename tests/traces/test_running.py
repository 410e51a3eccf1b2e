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


def test_more_time_on_a_processor_than_by_the_clock_is_a_contradiction() -> None:
    trace = read([event("X", "a", 0, dur=10_000, tdur=40_000), event("X", "b", 20_000, dur=100, tdur=104)])
    assert running(trace) == [10_000_000, 104_000]
    (warning,) = trace.warnings
    assert (warning.code, warning.count) == ("cpu_time", 1)
    assert "40.0 ms by their own account, though they lasted 10.0 ms: likelier is what they lasted" in warning.text
