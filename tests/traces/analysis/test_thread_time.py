"""Busy, waiting, idle and unknown: what each is, that they add up to the recording, that views of a thread agree."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.stacks_of_traces import read
from traces.analysis.summary import summarise
from traces.analysis.thread_time import ThreadTime, View, stands_for_thread, thread_time
from traces.analysis.waiting_names import waits
from traces.errors import TraceError
from traces.model import Trace
from traces.reader import read_trace

MS = 1_000_000
MAIN, WORKER = 1, 2
NODES = [
    {"id": 1, "callFrame": {"functionName": "(root)"}},
    {"id": 2, "parent": 1, "callFrame": {"functionName": "(program)"}},
    {"id": 3, "parent": 1, "callFrame": {"functionName": "work", "url": "app.js"}},
    {"id": 4, "parent": 1, "callFrame": {"functionName": "(garbage collector)"}},
    {"id": 5, "parent": 1, "callFrame": {"functionName": "(idle)"}},
]
IDLE, PROGRAM, WORK, COLLECTOR = 5, 2, 3, 4


def adds_up(trace: Trace) -> None:
    """The law: the four parts of each profile are none below zero and add up to the recording."""
    for profile in trace.profiles:
        time = thread_time(trace, profile)
        if time is None:
            assert not profile.unit.is_time or not (profile.samples or profile.spans)
            continue
        parts = (time.busy, time.waiting, time.idle, time.unknown)
        assert min(parts) >= 0
        assert sum(parts) == time.length
        if time.by is not View.SUMS and profile.clock.value == "trace":
            assert time.length == trace.duration_ns


def times(trace: Trace) -> list[ThreadTime]:
    found = [thread_time(trace, profile) for profile in trace.profiles]
    return [time for time in found if time is not None]


def named(name: str, tid: int) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": 7, "tid": tid, "args": {"name": name}}


def task(ts: float, dur: float, *, tid: int = MAIN, name: str = "RunTask", **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": "toplevel", "pid": 7, "tid": tid, "ts": ts, "dur": dur, **more}


def v8(samples: list[int], *, step: int = 1_000, tid: int = MAIN) -> list[dict[str, Any]]:
    common = {"cat": "v8", "ph": "P", "pid": 7, "tid": tid, "id": "0x1"}
    data = {"cpuProfile": {"nodes": NODES, "samples": samples}, "timeDeltas": [0] + [step] * (len(samples) - 1)}
    return [
        {**common, "name": "Profile", "ts": 0, "args": {"data": {"startTime": 0}}},
        {**common, "name": "ProfileChunk", "ts": step * len(samples), "args": {"data": data}},
    ]


def test_v8s_program_is_work_inside_tasks_and_idle_between_them() -> None:
    samples = ([WORK] * 5 + [PROGRAM] * 95) * 10  # a second, of which each tenth begins with 20 ms of a task
    events = [named("CrRendererMain", MAIN), *(task(n * 100_000, 20_000) for n in range(10)), *v8(samples)]
    trace = read(json.dumps({"traceEvents": events}))
    sampled, tasks = trace.profiles
    by_samples, by_tasks = times(trace)
    assert (by_tasks.busy, by_tasks.idle, by_tasks.unknown) == (200 * MS, 799 * MS, 0)
    assert by_samples == ThreadTime(View.SAMPLES, 999 * MS, 200 * MS, 0, 799 * MS, 0)
    assert (stands_for_thread(trace, sampled), stands_for_thread(trace, tasks)) == (False, True)
    assert not trace.warnings
    adds_up(trace)


def test_without_tasks_nobody_knows_what_program_is_unless_idle_is_recorded() -> None:
    profile: dict[str, Any] = {"nodes": NODES, "timeDeltas": [0, 10, 10, 10]}
    (time,) = times(read(json.dumps(profile | {"samples": [WORK, PROGRAM, PROGRAM, WORK]})))
    assert (time.busy, time.unknown, time.idle) == (10_000, 20_000, 0)
    (time,) = times(read(json.dumps(profile | {"samples": [COLLECTOR, PROGRAM, IDLE, WORK]})))
    assert (time.busy, time.unknown, time.idle) == (20_000, 0, 10_000)


def test_a_thread_that_runs_tasks_is_idle_under_what_never_ended() -> None:
    events = [named("CrBrowserMain", MAIN), *(task(n * 1_000, 10) for n in range(100))]
    events.append({"ph": "B", "name": "LoadURL", "pid": 7, "tid": MAIN, "ts": 500})
    (time,) = times(read(json.dumps({"traceEvents": events})))
    assert (time.busy, time.unknown) == (MS, 0)
    assert time.idle_share > 0.98


def test_what_lies_under_a_program_that_never_ended_is_not_known() -> None:
    """The first span of a thread without tasks: what it did between its calls may have been work."""
    events = [
        {"ph": "B", "name": "main", "pid": 7, "tid": MAIN, "ts": 0},
        task(10, 20, name="f"),
        task(50, 50, name="g"),
    ]
    (time,) = times(read(json.dumps({"traceEvents": events})))
    assert (time.busy, time.idle, time.unknown) == (70_000, 0, 30_000)


def test_functions_that_wait_by_name_are_waiting_where_the_recorder_does_not_mark_it() -> None:
    text = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}, {"name": "epoll_wait"}]},
        "profiles": [
            {"type": "sampled", "name": "t", "unit": "milliseconds", "startValue": 0, "endValue": 10}
            | {"samples": [[0], [0, 1]], "weights": [4, 6]}
        ],
    }
    (time,) = times(read(json.dumps(text)))
    assert (time.busy, time.waiting, time.idle) == (4 * MS, 6 * MS, 0)


@pytest.mark.parametrize(
    ("samples", "task_ms", "likelier"),
    [
        ([WORK] * 900 + [IDLE] * 100, 50, "likelier are the samples"),
        ([IDLE] * 990 + [WORK] * 10, 800, "likelier are the spans"),
    ],
)
def test_views_of_one_thread_that_contradict_each_other_are_said(
    samples: list[int], task_ms: int, likelier: str
) -> None:
    events = [named("CrRendererMain", MAIN), task(0, task_ms * 1_000), *v8(samples)]
    trace = read(json.dumps({"traceEvents": events}))
    (warning,) = trace.warnings
    assert warning.code == "two_views"
    assert likelier in warning.text
    assert f"{task_ms}" in warning.text
    assert stands_for_thread(trace, trace.profiles[1])  # spans win


def test_the_summary_has_the_parts_of_each_profile() -> None:
    trace = read(json.dumps({"traceEvents": [named("CrRendererMain", MAIN), task(0, 300), task(700, 300)]}))
    (row,) = summarise(trace).profiles
    assert (row.busy, row.waiting, row.idle, row.unknown, row.idle_share) == (600_000, 0, 400_000, 0, 0.4)
    assert row.stands_for_thread


phases = st.sampled_from("BBEXX")
steps = st.lists(
    st.tuples(
        phases, st.sampled_from(["a", "wait", "RunTask"]), st.integers(1, 3), st.integers(0, 9), st.integers(0, 20)
    ),
    min_size=1,
    max_size=40,
)


@given(steps, st.lists(st.tuples(st.sampled_from([2, 3, 4, 5]), st.integers(-3, 9)), max_size=20))
def test_the_parts_of_any_trace_add_up(
    said: list[tuple[str, str, int, int, int]], taken: list[tuple[int, int]]
) -> None:
    at, events = 0, list[dict[str, Any]]()
    for ph, name, tid, step, dur in said:
        at += step
        events.append({"ph": ph, "name": name, "pid": 7, "tid": tid, "ts": at, **({"dur": dur} if ph == "X" else {})})
    if taken:
        profile = v8([sample for sample, _ in taken])
        profile[1]["args"]["data"]["timeDeltas"] = [delta for _, delta in taken]
        events += profile
    try:
        trace = read(json.dumps({"traceEvents": events}))
    except TraceError:
        return
    adds_up(trace)


FIXTURES = sorted(path.name for path in (Path(__file__).parents[3] / "fixtures").glob("*.gz"))


@pytest.mark.parametrize("name", FIXTURES)
def test_the_parts_of_every_fixture_add_up(name: str, fixtures: Path) -> None:
    adds_up(read_trace((fixtures / name).read_bytes(), name=name))


@pytest.mark.long
def test_the_parts_of_every_sample_of_many_tools_add_up(shared: Path) -> None:
    known = 0
    for path in sorted((*(shared / "samples").iterdir(), *(shared / "traces").iterdir())):
        try:
            trace = read_trace(path.read_bytes(), name=path.name)
        except TraceError:
            continue
        adds_up(trace)
        known += 1
    assert known > 50


def test_of_two_programs_that_one_process_ran_the_busiest_stands_for_its_thread() -> None:
    lines = [
        *(f"perf 71/71 {second}.000000: 1000000 cpu-clock:\n\tffff exec_it (/bin/perf)\n\n" for second in range(2)),
        *(f"dot 71/71 {second}.000000: 1000000 cpu-clock:\n\tffff layout (/bin/dot)\n\n" for second in range(2, 9)),
    ]
    trace = read_trace("".join(lines).encode(), name="a.perf.txt")
    assert {profile.name.split()[0]: stands_for_thread(trace, profile) for profile in trace.profiles} == {
        "perf": False,
        "dot": True,
    }


@pytest.mark.parametrize(("track", "busy"), [("stream 84", 6), ("thread 84", 0)])
def test_a_kernel_keeps_its_device_busy_whatever_its_name(track: str, busy: int) -> None:
    events = [
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": 84, "args": {"name": track}},
        {"ph": "X", "name": "ncclKernel_SendRecv", "pid": 0, "tid": 84, "ts": 0, "dur": 6_000},
    ]
    (time,) = times(read(json.dumps({"traceEvents": events})))
    assert (time.busy, time.waiting) == (busy * MS, (6 - busy) * MS)


@pytest.mark.parametrize(
    ("name", "is_waiting"),
    [
        ("SemLock.__enter__", True),
        ("Lock.__enter__", True),
        ("posix.waitpid", True),
        ("Clock.__enter__", False),
        ("Connection.__enter__", False),
        ("awaited", False),
    ],
)
def test_entering_a_lock_is_waiting(name: str, *, is_waiting: bool) -> None:
    assert waits(name) is is_waiting
