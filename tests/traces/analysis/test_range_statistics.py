"""A marked range: its times add up and are those of the thread over all of the axis; figures by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from traces.analysis.range_statistics import range_statistics
from traces.analysis.thread_time import View, thread_time
from traces.analysis.time_in_range import time_in_range
from traces.analysis.window import Window, full_axis
from traces.errors import InvalidQuestion, NoTimes
from traces.model import Trace
from traces.reader import read_trace

MS = 1_000_000
FILES = sorted(path for path in FIXTURES.iterdir() if path.is_file() and path.suffix not in {".md", ".json"})


def call(name: str, at: float, lasted: float, tid: int = 1) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": at * 1000, "dur": lasted * 1000, "pid": 7, "tid": tid}


def level(name: str, at: float, value: float) -> dict[str, Any]:
    return {"ph": "C", "name": name, "ts": at * 1000, "pid": 7, "tid": 1, "args": {"value": value}}


def two_threads() -> Trace:
    calls = [call("work", 0, 60), call("parse", 10, 20), call("work", 80, 20), call("parse", 0, 100, tid=2)]
    levels = [level("queue", 5, 1), level("queue", 20, 7), level("queue", 40, 3)]
    return read_trace(json.dumps(calls + levels).encode(), name="two.json")


def test_figures_of_a_range_over_one_thread_and_over_two() -> None:
    trace = two_threads()
    one = range_statistics(trace, [0], Window(20 * MS, 90 * MS))
    assert (one.length, one.calls, one.counted) == (70 * MS, 3, "calls")
    time = one.threads[0].time
    assert time is not None
    assert (time.busy, time.idle) == (50 * MS, 20 * MS)
    assert [(row.name, row.self_value, row.total_value, row.count) for row in one.functions] == [
        ("work", 40 * MS, 50 * MS, 2),
        ("parse", 10 * MS, 10 * MS, 1),
    ]
    assert one.functions[0].share == pytest.approx(0.8)
    both = range_statistics(trace, [0, 1, 0], Window(20 * MS, 90 * MS))
    assert [row.name for row in both.functions] == ["parse", "work"]
    assert both.functions[0].self_value == 80 * MS
    assert [thread.total for thread in both.threads] == [50 * MS, 70 * MS]
    assert [(c.name, c.readings, c.lowest, c.highest, c.last) for c in both.counters] == [("queue", 2, 3, 7, 3)]


def test_ranges_outside_of_the_recording_and_sums_are_refused() -> None:
    trace = two_threads()
    with pytest.raises(InvalidQuestion, match="outside of the recording"):
        range_statistics(trace, [0], Window(200 * MS, 300 * MS))
    with pytest.raises(InvalidQuestion, match="no thread is marked"):
        range_statistics(trace, [], Window(0, 1))
    with pytest.raises(NoTimes):
        range_statistics(read_trace(b"a;b 3\na 1\n", name="x"), [0], Window(0, 1))
    assert range_statistics(trace, [0], Window(-1e300, 1e300)).length == 100 * MS


def test_all_of_a_thread_needs_no_times() -> None:
    trace = two_threads()
    assert range_statistics(trace, [0], None) == range_statistics(trace, [0], full_axis(trace.profiles[0]))
    sums = range_statistics(read_trace(b"a;b 3\na 1\n", name="x"), [0], None)
    assert [(row.name, row.self_value) for row in sums.functions] == [("b", 3), ("a", 1)]


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name.partition(".")[0])
def test_all_of_the_axis_is_the_thread_s_time(file: Path) -> None:
    trace = read_trace(file.read_bytes(), name=file.name)
    for profile in trace.profiles[:40]:
        expected = thread_time(trace, profile)
        found = time_in_range(trace, profile, full_axis(profile))
        if expected is None or expected.by is View.SUMS:
            assert found is None
            continue
        assert found is not None
        assert (found.busy, found.waiting, found.unknown) == (expected.busy, expected.waiting, expected.unknown)


@given(
    cuts=st.lists(st.integers(0, 100 * MS), min_size=3, max_size=3, unique=True).map(sorted),
    calls=st.lists(st.tuples(st.integers(0, 90), st.integers(1, 10)), min_size=1, max_size=8),
)
def test_two_halves_of_a_range_add_up_to_it(cuts: list[int], calls: list[tuple[int, int]]) -> None:
    events = [call("first", 0, 1), call("last", 99, 1)] + [call("x", at, lasted) for at, lasted in calls]
    trace = read_trace(json.dumps(events).encode(), name="calls.json")
    profile, (low, middle, high) = trace.profiles[0], cuts
    parts = [time_in_range(trace, profile, Window(*edges)) for edges in ((low, middle), (middle, high), (low, high))]
    first, second, both = [(part.busy, part.waiting, part.idle, part.unknown) for part in parts if part is not None]
    assert tuple(a + b for a, b in zip(first, second, strict=True)) == both
    assert sum(both) == high - low
