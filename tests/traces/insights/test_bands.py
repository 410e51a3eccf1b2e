"""Bands over a chart: the tasks that the finding counts, and collections, those within others once."""

import json
from typing import Any

from traces.insights.bands import MOST_BANDS, thread_bands
from traces.insights.registry import insight
from traces.model import Trace
from traces.reader import read_trace

MAIN, WORKER = 1, 2


def call(name: str, at: int, lasted: int, tid: int = MAIN) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": at, "dur": lasted, "pid": 7, "tid": tid}


def page(*events: dict[str, Any]) -> Trace:
    names = [
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": tid, "args": {"name": name}}
        for tid, name in ((MAIN, "CrRendererMain"), (WORKER, "ThreadPoolForegroundWorker"))
    ]
    return read_trace(json.dumps([*names, *events]).encode(), name="bands.json")


def test_long_tasks_are_those_of_the_finding_and_collections_within_others_are_one() -> None:
    trace = page(
        call("RunTask", 0, 60_000),
        call("V8.GCScavenger", 10_000, 9_000),
        call("V8.GCInner", 11_000, 1_000),
        call("RunTask", 100_000, 40_000),
        call("MinorGC", 110_000, 2_000),
        call("RunTask", 200_000, 80_000),
        call("RunTask", 0, 90_000, WORKER),
        call("RunTask", 100_000, 90_000, WORKER),
    )
    main = next(one.index for one in trace.profiles if one.tid == str(MAIN))
    found = thread_bands(trace, main)
    assert found.long_tasks.ranges == ((0, 60_000_000), (200_000_000, 280_000_000))
    assert found.long_tasks.count == 2
    assert insight(trace, "long-tasks", profile=main).detail.startswith("2 tasks last")
    assert found.collections.ranges == ((10_000_000, 19_000_000), (110_000_000, 112_000_000))
    worker = next(one.index for one in trace.profiles if one.tid == str(WORKER))
    assert thread_bands(trace, worker).long_tasks.count == 0, "it answers nobody"


def test_of_very_many_collections_the_longest_are_kept_in_order() -> None:
    calls = [call("MajorGC", at * 100, 1 + at % 50) for at in range(1_000)]
    found = thread_bands(page(*calls), None).collections
    assert (found.count, len(found.ranges)) == (1_000, MOST_BANDS)
    assert list(found.ranges) == sorted(found.ranges)
    assert min(end - start for start, end in found.ranges) == 46_000


def test_samples_have_no_bands() -> None:
    trace = read_trace(b"main;work 3\n", name="x.folded")
    assert thread_bands(trace, None).long_tasks.count == 0
