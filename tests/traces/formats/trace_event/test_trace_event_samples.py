"""Samples and stack frames beside events, as Hermes writes them."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, stacks
from traces.errors import DamagedTrace
from traces.values import Waits

FRAMES = {
    "1": {"name": "main"},
    "2": {"name": "work", "category": "app", "parent": "1"},
    "3": {"name": "idle", "parent": 9},
}


def a_file(*samples: dict[str, Any], frames: object = FRAMES) -> str:
    return json.dumps({"traceEvents": [], "samples": list(samples), "stackFrames": frames})


def sample(ts: object, sf: object, tid: int = 1) -> dict[str, Any]:
    return {"ts": ts, "sf": sf, "pid": 7, "tid": tid}


def test_a_sample_lasts_until_its_threads_next() -> None:
    trace = read(a_file(sample("10", 2), sample(40, "1"), sample(25, 2), sample(12, 1, tid=2), sample(13, 1, tid=2)))
    assert stacks(trace) == [("main;work", 15_000), ("main;work", 15_000), ("main", 0)]
    assert stacks(trace, 1) == [("main", 1_000), ("main", 0)]
    assert [(profile.pid, profile.tid) for profile in trace.profiles] == [("7", "1"), ("7", "2")]
    samples = trace.profiles[1].samples
    assert samples is not None
    assert samples.time.tolist() == [2_000, 3_000]


def test_a_sample_of_a_processor_lasts_no_longer_than_between_two_of_it() -> None:
    """Two processors, each sampled every 10 us; the second thread ran at 0 and at 60 only."""
    first = [sample(at, 2) | {"cpu": 0} for at in range(0, 70, 10)]
    second = [sample(at, 1, tid=2) | {"cpu": 1} for at in (0, 60)]
    other = [sample(at, 1, tid=3) | {"cpu": 1} for at in range(10, 60, 10)]
    trace = read(a_file(*first, *second, *other))
    assert stacks(trace, 1) == [("main", 10_000), ("main", 10_000)]
    assert sum(weight for _, weight in stacks(trace)) == 70_000
    assert trace.profiles[1].facts.waits is Waits.WORK


@pytest.mark.parametrize("cpu", [None, -1, "-1"])
def test_samples_of_no_processor_are_of_the_clock_on_the_wall(cpu: object) -> None:
    trace = read(a_file(*(sample(at, 1) | {"cpu": cpu} for at in (0, 10, 90))))
    assert stacks(trace) == [("main", 10_000), ("main", 80_000), ("main", 0)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (a_file(sample(1, 8)), "a stack frame that is not in the file"),
        (a_file(sample(1, 3)), "a stack frame that is not in the file"),
        (a_file(sample(1, 1), frames={"1": {"parent": "2"}, "2": {"parent": "1"}}), "form a cycle"),
    ],
)
def test_frames_that_are_not_there_or_call_each_other_are_refused(content: str, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(content)
