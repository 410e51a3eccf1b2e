"""What the verdict on a recording must not say of it."""

import json

import pytest

from tests.traces.insights.recorded import sampled
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import State
from traces.insights.recording_quality import DETECTORS
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


def test_a_full_buffer_makes_counts_and_own_time_doubtful_however_little_is_known_of_it() -> None:
    events = [{"ph": "X", "name": "main", "ts": 0, "dur": 50, "pid": 1, "tid": 1}]
    content = {"traceEvents": events, "viztracer_metadata": {"overflow": True}}
    found = insight(read_trace(json.dumps(content).encode(), name="full"), "lost-events")
    assert found.state is State.FAIL
    assert found.detail.endswith("; counts are too small, and own time holds what lost calls took.")
    found = insight(sampled({"main": 100}, warnings={"lost": 50}), "lost-events")
    assert found.detail.endswith("were lost, dropped or cut: what is missing can change the picture.")


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
