"""Of which threads sentences about the work of threads are."""

import json
from typing import Any

import pytest

from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import Insight, State
from traces.insights.registry import insight
from traces.insights.timeline import DETECTORS
from traces.reader import read_trace


def call(name: str, pid: int, tid: int, last: int, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": 0, "dur": last} | more


def named(pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def one_thread(content: object) -> Insight:
    return insight(read_trace(json.dumps(content).encode(), name="recorded"), "one-thread")


def test_streams_of_a_device_are_no_threads() -> None:
    threads = [call("aten::mm", 7, 7, 9_000), call("aten::mul", 7, 8, 90)]
    device = [named(0, 20, "stream 20"), call("gemm", 0, 20, 100, cat="kernel"), call("copy", 0, 21, 50)]
    assert "of the work of 2 threads." in one_thread(threads + device).detail


def test_nothing_says_how_much_threads_worked_in_unmanaged_code() -> None:
    samples, weights = [[0]] * 9 + [[1]], [1] * 10
    profile = {"type": "sampled", "unit": "milliseconds", "startValue": 0, "endValue": 10, "weights": weights}
    profiles = [profile | {"name": f"Thread {n}", "samples": samples if n else [[0]] * 10} for n in range(2)]
    frames = [{"name": "(unmanaged code)"}, {"name": "Main"}]
    schema = "https://www.speedscope.app/file-format-schema.json"
    found = one_thread({"$schema": schema, "shared": {"frames": frames}, "profiles": profiles})
    assert found.state is State.NOT_APPLICABLE


def test_threads_that_were_sampled_are_not_all_threads() -> None:
    samples = [{"ts": at, "sf": "1", "pid": 1, "tid": tid} for tid, many in ((1, 99), (2, 3)) for at in range(many)]
    events = [call("task", 1, 3, 60)]
    content = {"traceEvents": events, "samples": samples, "stackFrames": {"1": {"name": "main"}}}
    assert one_thread(content).detail.endswith("of the work of 2 threads that were sampled.")


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
