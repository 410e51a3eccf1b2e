"""Trace events of which some were written by another clock."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, warnings
from traces.errors import DamagedTrace
from traces.invariants import check
from traces.values import Order

DAY_US = 86_400_000_000
WORK: list[dict[str, Any]] = [
    {"name": "work", "ph": "X", "ts": at * 100, "dur": 50, "pid": 1, "tid": 1} for at in range(5)
]


def event(ts: float, dur: float = 10, ph: str = "X") -> dict[str, Any]:
    return {"name": "stray", "ph": ph, "ts": ts, "dur": dur, "pid": 1, "tid": 1}


@pytest.mark.parametrize(
    "stray",
    [
        event(1_795_362_501_000_000),
        event(-200 * DAY_US),
        event(460, dur=9e18),
        event(1e30),
        event(1_795_362_501_000_000, ph="i"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_an_event_of_another_clock_does_not_lengthen_the_recording(stray: dict[str, Any], first: bool) -> None:
    trace = read(json.dumps([stray, *WORK] if first else [*WORK, stray]))
    check(trace)
    profile = trace.profiles[0]
    assert (profile.order, profile.axis_end - profile.axis_start) == (Order.TIME, 450_000)
    assert warnings(trace) == {"other_clock": 1}


def test_metadata_at_zero_is_of_no_clock() -> None:
    naming = {"name": "thread_name", "ph": "M", "ts": 0, "pid": 1, "tid": 1, "args": {"name": "main"}}
    trace = read(json.dumps([naming, *({**one, "ts": 1_795_362_501_000_000 + one["ts"]} for one in WORK)]))
    assert "main" in trace.profiles[0].name
    assert warnings(trace) == {}


def test_a_recording_of_weeks_is_one() -> None:
    trace = read(json.dumps([*WORK, event(90 * DAY_US)]))
    assert warnings(trace) == {}
    assert trace.profiles[0].axis_end == (90 * DAY_US + 10) * 1000


def test_times_beyond_all_clocks_are_refused() -> None:
    with pytest.raises(DamagedTrace, match="out of range"):
        read(json.dumps([event(9e18), event(9e18)]))
