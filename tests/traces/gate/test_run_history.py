"""What a run leaves behind for questions over many."""

import json

import pytest

from tests.conftest import FIXTURES
from tests.traces.insights.test_detectors import painted
from traces.analysis.functions import top_functions
from traces.gate.run_history import KEPT_FUNCTIONS, run_history
from traces.insights.registry import insights, ranked
from traces.reader import read_trace


@pytest.mark.parametrize(
    "name", ["search-index.cpuprofile.gz", "redact-documents.cprofile.prof", "session-cache.heapprofile.gz"]
)
def test_the_figures_are_those_of_the_table_of_functions(name: str) -> None:
    trace = read_trace((FIXTURES / name).read_bytes(), name=name)
    kept = run_history(trace)
    table = top_functions(trace, limit=1)
    heaviest = max(kept.functions, key=lambda one: one.self_value)
    row = table.rows[0]
    assert (heaviest.name, heaviest.self_value) == (row.name, row.self_value)
    assert heaviest.self_share == pytest.approx(row.self_share)
    assert heaviest.file is None or "/" not in heaviest.file
    figures = {one.measure: (one.value, one.unit) for one in kept.figures}
    value, unit = figures["total"]
    assert (value, unit) == (float(table.scope_total), str(table.unit))
    assert len({(one.name, one.file) for one in kept.functions}) == len(kept.functions) <= KEPT_FUNCTIONS
    assert [one.finding for one in kept.findings] == [one.id for one in ranked(insights(trace))]


def test_of_many_functions_the_heaviest_of_both_orders_are_kept_and_ones_own_first() -> None:
    frames = [{"name": f"outer{one}", "file": "src/app.py"} for one in range(700)]
    frames += [{"name": f"inner{one}", "file": "/usr/lib/python3/site-packages/lib.py"} for one in range(700)]
    profile = {
        "type": "sampled",
        "name": "main",
        "unit": "milliseconds",
        "startValue": 0,
        "endValue": 1_000_000,
        "samples": [[one, 700 + one] for one in range(700)],
        "weights": [1_000 - one for one in range(700)],
    }
    schema = "https://www.speedscope.app/file-format-schema.json"
    content = json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [profile]})
    kept = run_history(read_trace(content.encode(), name="many.speedscope.json"))
    assert len(kept.functions) == KEPT_FUNCTIONS
    expected = {f"{which}{one}" for which in ("outer", "inner") for one in range(250)}
    assert {one.name for one in kept.functions} == expected


def test_figures_of_pages_tasks_and_collectors_are_kept_where_a_recording_has_them() -> None:
    start = {"pid": 1, "tid": 1, "ph": "X"}
    calls = [
        {"name": "RunTask", "ts": 0, "dur": 90_000},
        {"name": "MajorGC", "ts": 10_000, "dur": 20_000},
        {"name": "RunTask", "ts": 100_000, "dur": 40_000},
    ]
    events = [start | call | {"cat": "toplevel"} for call in calls]
    events += [{"pid": 1, "tid": 1, "ph": "M", "name": "thread_name", "args": {"name": "CrRendererMain"}}]
    timing = {"pid": 1, "tid": 1, "cat": "devtools.timeline", "name": "EventTiming", "id": "0x1"}
    events += [timing | {"ph": "b", "ts": 20_000}, timing | {"ph": "e", "ts": 95_000}]
    kept = run_history(read_trace(json.dumps({"traceEvents": events}).encode(), name="page.json"))
    figures = {one.measure: (one.value, one.unit) for one in kept.figures}
    assert figures["long-task-count"] == (1.0, "count")
    assert figures["total-blocking-time"] == (40e6, "nanoseconds")
    assert figures["gc"] == (20e6, "nanoseconds")
    assert figures["inp"] == (75e6, "nanoseconds")
    assert {"lcp", "fcp"}.isdisjoint(figures)


def test_paints_are_counted_from_the_navigation_before_them() -> None:
    kept = run_history(painted("largestContentfulPaint::Candidate", 55))
    figures = {one.measure: (one.value, one.unit) for one in kept.figures}
    assert figures["lcp"] == (55e6, "nanoseconds")
    assert "fcp" not in figures


def test_what_a_recording_does_not_have_is_no_figure() -> None:
    kept = run_history(read_trace(b"main;parse 7\nmain;render 3\nmain 1\n", name="stacks.txt"))
    assert {"lcp", "fcp", "inp", "long-task-count", "total-blocking-time", "gc"}.isdisjoint(
        one.measure for one in kept.figures
    )
