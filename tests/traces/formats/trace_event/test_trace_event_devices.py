"""What PyTorch, viztracer and other producers write about processes, devices and rows."""

import json
from pathlib import Path
from typing import Any

from tests.traces.stacks_of_traces import read, warnings


def meta(what: str, pid: Any, tid: Any, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "ts": 0, "args": args}


def kernel(pid: Any, tid: Any, name: str, category: str) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "ts": 10, "dur": 5}


def test_devices_have_their_label_and_rows_come_in_the_order_that_the_producer_wants() -> None:
    events = [
        meta("process_name", 0, 0, name="python"),
        meta("process_labels", 0, 0, labels="GPU 0"),
        meta("process_sort_index", 0, 0, sort_index=5_000_000),
        meta("thread_name", 0, 7, name="stream 7"),
        meta("process_name", 900, 0, name="python"),
        meta("process_labels", 900, 0, labels="CPU"),
        meta("process_sort_index", 900, 0, sort_index=900),
        meta("thread_name", 900, 901, name="thread 901 (loader)"),
        meta("thread_sort_index", 900, 901, sort_index=901),
        meta("thread_name", 900, 900, name="thread 900 (python)"),
        meta("thread_sort_index", 900, 900, sort_index=900),
        kernel(0, 7, "void gemm<float>()", "kernel"),
        kernel(900, 901, "aten::copy_", "cpu_op"),
        kernel(900, 900, "aten::linear", "cpu_op"),
        kernel("Spans", "PyTorch Profiler", "PyTorch Profiler (0)", "Trace"),
        meta("process_sort_index", "Spans", 0, sort_index=1 << 29),
    ]
    trace = read(json.dumps({"traceEvents": events}))
    assert [p.name for p in trace.profiles] == [
        "python CPU (pid 900), thread 900 (python) (tid 900)",
        "python CPU (pid 900), thread 901 (loader) (tid 901)",
        "python GPU 0 (pid 0), stream 7 (tid 7)",
    ]
    gemm = trace.frame_names.index("void gemm<float>()")
    assert trace.strings[int(trace.frames.category[gemm])] == "kernel"


def test_names_and_orders_that_are_none_are_left_out() -> None:
    events = [
        meta("process_labels", 1, 1, labels=5),
        meta("thread_sort_index", 1, 1, sort_index="first"),
        kernel(1, 1, "f", "c"),
    ]
    assert read(json.dumps(events)).profiles[0].name == "pid 1, tid 1"


def test_a_pytorch_trace_has_one_function_an_operator_and_loses_nothing(shared: Path) -> None:
    trace = read((shared / "traces" / "torch-cpu-small.json.gz").read_bytes())
    spans = [len(p.spans) for p in trace.profiles if p.spans is not None]
    assert spans == [83_190]
    assert len(trace.async_spans.start) == 1, "the span of the recording itself is no thread's"
    assert len(trace.frames) == 131
    assert (len(trace.flows.from_time), len(trace.instants.time)) == (5_200, 2)
    assert trace.profiles[0].name == "python CPU (pid 9256), thread 9256 (python) (tid 9256)"
    assert "clamped" not in warnings(trace)
