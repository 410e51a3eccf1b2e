"""Annotations that PyTorch's profiler repeats on a device's streams, and its span of all of the recording."""

import json
from typing import Any

from traces.analysis.thread_time import thread_time
from traces.insights.insight import State
from traces.insights.registry import insight
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace


def event(category: str, name: str, tid: int | str, start: float, lasts: float, pid: int | str = 0) -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": lasts}


def recorded() -> Trace:
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": tid, "ts": 0, "args": {"name": f"stream {tid}"}}
        for tid in (7, 40)
    ]
    events += [event("cpu_op", "aten::mm", 9, at, 10, pid=9) for at in range(0, 1000, 100)]
    events += [event("user_annotation", f"ProfilerStep#{n}", 9, n * 500, 480, pid=9) for n in (0, 1)]
    events += [event("kernel", "gemm", 7, at, 10) for at in range(0, 1000, 100)]
    events += [event("kernel", "ncclAllReduce", 40, at + 5, 20) for at in range(0, 1000, 100)]
    events += [event("gpu_user_annotation", f"ProfilerStep#{n}", 7, n * 500, 480) for n in (0, 1)]
    events.append(event("Trace", "PyTorch Profiler (0)", "PyTorch Profiler", 0, 1000, pid="Spans"))
    trace = read_trace(json.dumps({"traceEvents": events}).encode(), name="step")
    check(trace)
    return trace


def test_annotations_of_a_device_are_no_work_of_its_streams() -> None:
    trace = recorded()
    assert [profile.tid for profile in trace.profiles] == ["7", "40", "9"], "no thread for the recording itself"
    busy = {p.tid: found.busy for p in trace.profiles if (found := thread_time(trace, p)) is not None}
    assert busy["7"] == 100_000
    apart = trace.async_spans
    assert sorted(trace.strings[name] for name in apart.name.tolist()) == [
        "ProfilerStep#0",
        "ProfilerStep#1",
        "PyTorch Profiler (0)",
    ]
    assert sorted((apart.end - apart.start).tolist()) == [480_000, 480_000, 1_000_000]
    assert trace.warnings == ()


def test_how_idle_a_device_was_counts_kernels_of_all_its_streams_once() -> None:
    found = insight(recorded(), "kernel-gaps")
    assert found.state is State.FAIL
    assert "89.0% (810 µs)" in found.detail
    assert "all 2 streams of its device for 74.2%" in found.detail


def test_steps_of_the_host_stay_calls_with_their_lengths() -> None:
    trace = recorded()
    host = trace.profiles[2]
    assert host.spans is not None
    named = [trace.frame_name(int(host.tree.frame[node])) for node in host.spans.node.tolist()]
    lasting = (host.spans.end - host.spans.start).tolist()
    assert [(n, t) for n, t in zip(named, lasting, strict=True) if n.startswith("ProfilerStep")] == [
        ("ProfilerStep#0", 480_000),
        ("ProfilerStep#1", 480_000),
    ]
