"""What the verdict on a recording must not say of it."""

import json

from tests.traces.insights.recorded import sampled
from traces.insights.insight import State
from traces.insights.registry import insight
from traces.reader import read_trace


def test_one_deepest_stack_was_not_cut() -> None:
    deep = ";".join(f"f{k}" for k in range(32))
    assert insight(sampled({deep: 20, "f0;f1;f2": 80}), "truncated-stacks").state is State.PASS


def test_what_is_no_thread_waits_for_nothing() -> None:
    events = [{"type": kind, "frame": 0, "at": at} for kind, at in (("O", 900), ("C", 1_000))]
    profile = {"type": "evented", "name": "Collections", "unit": "milliseconds", "startValue": 0, "endValue": 1_000}
    content = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "GC"}]}}
    trace = read_trace(json.dumps(content | {"profiles": [profile | {"events": events}]}).encode(), name="pauses")
    found = insight(trace, "mostly-idle")
    assert (found.state, found.detail) == (
        State.FAIL,
        "Nothing lies in {0} for 90.0% of the time, which shares leave out.",
    )


def test_a_thread_did_not_work_between_samples_of_a_processor() -> None:
    moments = [1_000 * at for at in range(150)] + [200_000 + 40_000 * at for at in range(5)]
    samples = [{"ts": at, "sf": "1", "pid": 1, "tid": 2, "cpu": 0, "name": "cycles"} for at in moments]
    content = {"traceEvents": [], "samples": samples, "stackFrames": {"1": {"name": "main"}}}
    trace = read_trace(json.dumps(content).encode(), name="sampled")
    assert insight(trace, "irregular-sampling").state is State.PASS
