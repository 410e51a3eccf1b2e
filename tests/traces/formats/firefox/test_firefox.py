"""Firefox profiles in all three forms: raw, processed, and what DevTools saved until 2019."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.thread_time import thread_time
from traces.errors import DamagedTrace, EmptyTrace
from traces.formats.firefox.gecko import FUNCTION, script_of
from traces.insights.insight import State
from traces.insights.registry import insight
from traces.invariants import check
from traces.model import Profile, Trace
from traces.reader import read_trace
from traces.values import Role, RoleRule

CATEGORIES = [{"name": name, "color": "grey", "subcategories": ["Other"]} for name in ("Idle", "Other", "GC / CC")]
STRINGS = [
    "(root)",
    "draw (http://host/app.js:3:7)",
    "0x5010",
    "poll",
    "http://host/app.js:1:1",
    "collect",
    "Paint",
    "Load",
]


def table(schema: str, *rows: list[Any]) -> dict[str, Any]:
    return {"schema": {name: at for at, name in enumerate(schema.split())}, "data": list(rows)}


def raw_thread(samples: list[list[Any]], **other: Any) -> dict[str, Any]:
    """Stacks: 0 root, 1 root;script, 2 root;script;draw, 3 2;native, 4 root;poll (idle), 5 2;collect."""
    return {
        "name": "GeckoMain",
        "processName": "Web Content",
        "pid": 7,
        "tid": 7,
        "samples": table("stack time eventDelay threadCPUDelta", *samples),
        "stackTable": table("prefix frame", [None, 0], [0, 4], [1, 1], [2, 2], [0, 3], [2, 5]),
        "frameTable": table(
            "location relevantForJS innerWindowID implementation line column category",
            [0, False, 0, None, None, None, 1],
            [1, False, 0],
            [2, False, 0],
            [3, False, 0, None, None, None, 0],
            [4, False, 0, None, None, None, 1],
            [5, False, 0, None, None, None, 2],
        ),
        "stringTable": STRINGS,
        "markers": table("name startTime endTime phase category data"),
        **other,
    }


def raw(*threads: dict[str, Any], start: float = 1000.0, **other: Any) -> dict[str, Any]:
    meta = {
        "version": 34,
        "startTime": start,
        "interval": 2,
        "categories": CATEGORIES,
        "sampleUnits": {"threadCPUDelta": "µs"},
    }
    libs = [{"name": "libxul.so", "path": "/usr/lib/libxul.so", "start": 0x5000, "end": 0x6000, "offset": 0x200}]
    return {"libs": libs, "meta": meta, "threads": list(threads), "processes": [], "pausedRanges": [], **other}


def read(file: dict[str, Any]) -> Trace:
    trace = read_trace(json.dumps(file).encode(), name="profile")
    check(trace)
    return trace


def stacks(trace: Trace, profile: Profile | None = None) -> list[tuple[str, float]]:
    profile = profile or trace.profiles[0]
    assert profile.samples is not None
    paths: list[str] = []
    for frame, parent in zip(profile.tree.frame.tolist(), profile.tree.parent.tolist(), strict=True):
        paths.append(trace.frame_names[frame] if parent < 0 else f"{paths[parent]};{trace.frame_names[frame]}")
    weights = (profile.samples.weights[0] / 1e6).tolist()
    return [
        ("" if leaf < 0 else paths[leaf], w) for leaf, w in zip(profile.samples.leaf.tolist(), weights, strict=True)
    ]


def test_a_sample_lasts_until_the_next_and_what_waits_is_idle() -> None:
    trace = read(raw(raw_thread([[2, 1.5], [3, 3.5, 0, 900], [4, 5.5], [5, 6.5], [None, 8.5]])))
    assert stacks(trace) == [
        ("(root);(anonymous app.js:1);draw", 2.0),
        ("(root);(anonymous app.js:1);draw;libxul.so+0x210", 2.0),
        ("", 1.0),
        ("(root);(anonymous app.js:1);draw;collect", 2.0),
        ("", 2.0),
    ]
    draw = trace.frame_names.index("draw")
    assert (trace.frame_file(draw), trace.frame_line(draw), int(trace.frames.column[draw])) == (
        "http://host/app.js",
        3,
        7,
    )
    assert trace.strings[int(trace.frames.category[trace.frame_names.index("collect")])] == "gc"


def test_processor_time_is_kept_alongside_time() -> None:
    trace = read(raw(raw_thread([[2, 1.0, 0, 1500], [2, 3.0]])))
    profile = trace.profiles[0]
    assert [value.name for value in profile.values] == ["time", "CPU time"]
    assert profile.samples is not None
    assert profile.samples.weights[1].tolist() == [1_500_000, 0]


def test_processes_share_one_clock_and_the_busiest_main_thread_comes_first() -> None:
    child = raw(raw_thread([[2, 1.0], [2, 50.0]], pid=8, tid=8, processName="Page"), start=1010.5)
    worker = raw_thread([[2, 0.0], [2, 60.0]], name="DOM Worker", tid=9)
    trace = read(raw(raw_thread([[2, 0.0], [4, 5.0]]), worker, processes=[child]))
    assert [p.name for p in trace.profiles] == [
        "Web Content (pid 7), GeckoMain",
        "Web Content (pid 7), DOM Worker",
        "Page (pid 8), GeckoMain",
    ]
    assert trace.default_profile == 2
    page = trace.profiles[2].samples
    assert page is not None
    assert page.time.tolist() == [11_500_000, 60_500_000]
    assert {(p.axis_start, p.axis_end) for p in trace.profiles} == {(0, 62_500_000)}, "one axis for all threads"


def test_a_gap_in_the_samples_is_work_only_as_far_as_processor_time_passed_in_it() -> None:
    """The sampler stalled twice: while the thread slept, and while it worked for 30 ms."""
    rows = [[2, 0, 0, 0], [2, 2, 0, 1900], [2, 902, 0, 100], [2, 942, 0, 30_000], [4, 944, 0, 500], [4, 950, 0, 0]]
    trace = read(raw(raw_thread(rows)))
    assert [weight for path, weight in stacks(trace) if path] == [2.0, 2.0, 30.0, 2.0]
    found = thread_time(trace, trace.profiles[0])
    assert found is not None
    assert (found.busy, found.waiting) == (32_500_000, 3_500_000)
    unmeasured = read(raw(raw_thread([row[:2] for row in rows])))
    assert [weight for path, weight in stacks(unmeasured) if path] == [2.0, 900.0, 40.0, 2.0]


def test_a_sample_that_comes_a_little_late_leaves_no_gap() -> None:
    rows: list[list[Any]] = [
        [2, 0, 0, 2000],
        [2, 2.1, 0, 1900],
        [2, 4.05, 0, 1900],
        [2, 6.9, 0, 1900],
        [2, 8.9, 0, 1900],
    ]
    assert [weight for path, weight in stacks(read(raw(raw_thread(rows)))) if path] == [2.1, 1.95, 2.85, 2.0, 2.0]


def test_what_the_recorder_calls_collecting_is_garbage_collection_whatever_its_name() -> None:
    trace = read(
        raw(raw_thread([[5, at, 0, 2000] for at in range(0, 40, 2)] + [[2, 40 + at, 0, 2000] for at in (0, 2)]))
    )
    found = insight(trace, "garbage-collection")
    assert found.state is State.FAIL
    assert [row.name for row in found.evidence] == ["collect"]


def test_a_pause_ends_the_sample_before_it() -> None:
    pauses = [{"startTime": 2.0, "endTime": 9.0, "reason": "collecting"}, {"startTime": 20.0, "endTime": None}]
    trace = read(raw(raw_thread([[2, 1.0], [2, 9.0], [2, 19.0]]), pausedRanges=pauses))
    assert [weight for _, weight in stacks(trace)] == [1.0, 10.0, 1.0]


def test_markers_are_instants_and_intervals() -> None:
    markers = table(
        "name startTime endTime phase category data",
        [6, 2.0, 2.0, 0, 1],
        [7, 1.0, 3.0, 1, 1, {"type": "x"}],
        [6, 1.5, 0, 2, 1],
        [6, 0, 4.0, 3, 1],
        [7, 0, 4.0, 3, 1],
    )
    trace = read(raw(raw_thread([[2, 1.0], [2, 2.0]], markers=markers)))
    assert [trace.strings[name] for name in trace.instants.name.tolist()] == ["Paint"]
    spans = trace.async_spans
    rows = zip(spans.name.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
    assert [(trace.strings[name], start, end) for name, start, end in rows] == [
        ("Load", 0, 2_000_000),
        ("Paint", 500_000, 3_000_000),
    ]
    said = "markers whose beginning or end is missing were dropped: `Load` on GeckoMain at 3.00 ms, without a beginning"
    assert [(w.code, w.text, w.count) for w in trace.warnings] == [("half_markers", said, 1)]
    assert trace.recorded_at_ns == 1_000_000_000


OLD_MARKERS: list[list[Any]] = [
    [6, 2.0],
    [7, 1.0, {"type": "x", "startTime": 1.0, "endTime": 3.0}],
    [6, 1.5, {"type": "tracing", "category": "Paint", "interval": "start"}],
    [6, 4.0, {"type": "tracing", "category": "Paint", "interval": "end"}],
    [7, 3.5, {"type": "y", "startTime": "soon", "endTime": None}],
]
"""As markers were written before they had phases (2020)."""


@pytest.mark.parametrize("form", ["raw", "processed"])
def test_markers_of_old_say_in_what_they_carry_how_long_they_lasted(form: str) -> None:
    if form == "raw":
        file = raw(raw_thread([[2, 1.0], [2, 2.0]], markers=table("name time data", *OLD_MARKERS)))
    else:
        names, times, data = zip(*[(*row, None)[:3] for row in OLD_MARKERS], strict=True)
        markers = {"name": names, "time": times, "data": data, "length": len(names)}
        samples = {"stack": [0, 0], "time": [1, 2]}
        file = processed(
            20, tables(prefix=[None, 0, 0]) | {"stringArray": STRINGS, "samples": samples, "markers": markers}, {}
        )
    trace = read(file)
    assert [trace.strings[name] for name in trace.instants.name.tolist()] == ["Paint", "Load"]
    spans = trace.async_spans
    rows = zip(spans.name.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
    assert sorted((trace.strings[name], start, end) for name, start, end in rows) == [
        ("Load", 0, 2_000_000),
        ("Paint", 500_000, 3_000_000),
    ]


def processed(version: int, thread: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    meta = {"preprocessedProfileVersion": version, "interval": 1, "startTime": 0, "categories": CATEGORIES}
    thread = {"name": "main", "processName": "app", "pid": "1", "tid": "1", **thread}
    return {"meta": meta, "libs": [{"name": "libc.so"}], "threads": [thread], "shared": shared}


def tables(**stack_columns: Any) -> dict[str, Any]:
    return {
        "stackTable": {"frame": [0, 1, 2], "length": 3, **stack_columns},
        "frameTable": {"func": [0, 1, 2], "category": [1, None, 0], "lib": [-1, 0, -1], "length": 3},
        "funcTable": {"name": [0, 1, 2], "lineNumber": [4, None, None], "columnNumber": [None] * 3, "length": 3},
        "stringArray": ["main", "0x1f", "wait", "main.c"],
    }


@pytest.mark.parametrize("version", [50, 70])
def test_processed_tables_are_found_in_the_thread_and_next_to_it(version: int) -> None:
    shared = tables(prefix=[None, 0, 0]) if version == 50 else tables(prefixOffset=[0, 1, 2])
    if version == 50:
        shared["funcTable"]["fileName"] = [3, None, None]
        shared["funcTable"]["resource"] = [-1, 0, -1]
        del shared["frameTable"]["lib"]
        shared["resourceTable"] = {"name": [3], "length": 1}
        samples = {"stack": [1, 2, 0, None], "time": [0.5, 1.0, 3.0, 4.0], "weight": None, "weightType": "samples"}
        trace = read(processed(version, {"samples": samples, **shared}, {}))
    else:
        shared["funcTable"]["source"] = [0, None, None]
        shared["sources"] = {"id": [None], "filename": [3]}
        samples = {
            "stack": [1, 2, 0, None],
            "timeDeltas": [0.5, 0.5, 2.0, 1.0],
            "weight": None,
            "weightType": "samples",
        }
        trace = read(processed(version, {"samples": samples}, shared))
    library = "main.c" if version == 50 else "libc.so"
    assert stacks(trace) == [(f"main;{library}+0x1f", 0.5), ("", 2.0), ("main", 1.0), ("", 1.0)]
    assert (trace.frame_file(0), trace.frame_line(0)) == ("main.c", 4)


def test_samples_that_weigh_bytes_are_shown_by_them() -> None:
    samples = {"stack": [1, 0], "time": [0, 1], "weight": [100, 20], "weightType": "bytes"}
    trace = read(processed(50, {"samples": samples, **tables(prefix=[None, 0, 0])}, {}))
    profile = trace.profiles[0]
    assert profile.values[profile.default_value].name == "bytes"
    assert profile.tree.total_values[profile.default_value].tolist() == [120, 100]


def test_an_old_recording_shows_the_functions_of_the_page_only() -> None:
    thread = raw_thread([[2, 1.0], [3, 2.0], [0, 4.0]])
    trace = read({"label": None, "duration": 10.5, "profile": raw(thread), "systemHost": {"name": "Firefox"}})
    assert [(path, weight) for path, weight in stacks(trace) if weight] == [("draw", 1.0), ("draw", 2.0)]
    assert (trace.profiles[0].axis_start, trace.profiles[0].axis_end) == (0, 10_500_000)
    assert int(trace.frames.column[0]) == 8  # counted from 0 then


def test_a_profile_of_a_real_browser_is_read_completely(shared: Path) -> None:
    trace = read_trace((shared / "traces" / "firefox-gecko-profile.json.gz").read_bytes(), name="unknown")
    check(trace)
    assert [len(p.samples or ()) for p in trace.profiles] == [7695, 7554, 7393, 130, 6066, 6062, 6052, 6851, 6405]
    assert trace.profiles[trace.default_profile].name == "file:// Content (pid 9063), GeckoMain"
    assert len(trace.async_spans.start) > 20_000
    assert {w.code for w in trace.warnings} <= {"half_markers"}


@pytest.mark.parametrize(
    "thread",
    [
        raw_thread([[9, 1.0]]),
        raw_thread([[-2, 1.0]]),
        raw_thread([[0, "soon"]]),
        raw_thread([[0, None]]),
        raw_thread([[0, 1e300]]),
        raw_thread([[0.5, 1.0]], stringTable=[]),
        raw_thread([[0, 1.0]], stackTable=table("prefix frame", [0, 0])),
        raw_thread([[0, 1.0]], stackTable=table("prefix frame", [None, 99])),
        raw_thread([[0, 1.0]], stackTable=table("prefix frame", [None, -1])),
        raw_thread([[0, 1.0]], stackTable={"schema": {}, "data": [[None, 0]]}),
        raw_thread([[0, 1.0]], markers=table("name startTime endTime phase", [77, 1.0, 1.0, 0])),
    ],
)
def test_rows_that_are_not_in_the_file_are_refused(thread: dict[str, Any]) -> None:
    with pytest.raises(DamagedTrace, match="firefox"):
        read(raw(thread))


@pytest.mark.parametrize(
    "samples", [{"stack": [5], "time": [0]}, {"stack": [0], "time": []}, {"stack": [0], "time": [0], "weight": []}]
)
def test_processed_columns_that_do_not_fit_are_refused(samples: dict[str, Any]) -> None:
    with pytest.raises(DamagedTrace, match="firefox"):
        read(processed(50, {"samples": samples, **tables(prefix=[None, 0, 0])}, {}))


def test_a_processed_thread_without_tables_is_refused() -> None:
    with pytest.raises(DamagedTrace, match="no tables"):
        read(processed(70, {"samples": {"stack": [0], "time": [0]}}, {}))


def test_threads_without_samples_are_an_empty_trace() -> None:
    with pytest.raises(EmptyTrace):
        read(raw(raw_thread([])))


@pytest.mark.parametrize(
    ("says", "role"),
    [
        (True, (Role.MAIN, RoleRule.METADATA)),
        (False, (Role.UNKNOWN, RoleRule.NONE)),
        (None, (Role.UNKNOWN, RoleRule.NONE)),
        ("yes", (Role.UNKNOWN, RoleRule.NONE)),
    ],
)
def test_a_thread_that_the_file_calls_main_is_so_whatever_its_name_and_is_shown_first(
    says: object, role: tuple[Role, RoleRule]
) -> None:
    thread = {"name": "render", "pid": "7", "tid": "9", "isMainThread": says}
    few = {"samples": {"stack": [1] * 7, "time": [0.5 + k for k in range(7)], "weight": None, "weightType": "samples"}}
    many = {"samples": {"stack": [1] * 9, "time": [0.5 + k for k in range(9)], "weight": None, "weightType": "samples"}}
    file = processed(50, {**thread, **few}, tables(prefix=[None, 0, 0]))
    file["threads"].append({"name": "job", "processName": "app", "pid": "7", "tid": "8", **many})
    trace = read(file)
    assert (trace.profiles[0].role, trace.profiles[0].role_rule) == role
    assert trace.profiles[1].role is Role.UNKNOWN
    assert (trace.default_profile == 0) == (role[0] is Role.MAIN)


def test_a_processor_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(DamagedTrace):
        read(raw(raw_thread([[2, 1.5], [3, 3.5, 0, "many"]])))
    with pytest.raises(DamagedTrace):
        read(raw(raw_thread([[2, 1.5], [3, 3.5, 0, {"a": 1}]])))


PIECES = ["a", " (", "(", ")", ":", "1", "23", "\n", "[4]", "\u0663", "\u00b2", " -> ", "f (x.js", ":1:2)"]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_the_place_of_a_script_is_what_the_pattern_says(location: str) -> None:
    found = FUNCTION.fullmatch(location)
    place = found and (found[1], found[2] or found[5], found[3] or found[6], found[4] or found[7])
    assert script_of(location) == place
