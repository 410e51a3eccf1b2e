"""What the importers make of small files, written out here so that the right answer can be seen."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
import zstandard

from tests.traces.formats.protobuf_messages import message, varint
from traces.analysis.functions import top_functions
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit

COLLAPSED = b"main;parse 3\nmain;draw 4\n"


def read(data: bytes | str | object, name: str = "unknown") -> Trace:
    """A trace from bytes, text or what becomes JSON; its invariants hold."""
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    trace = read_trace(data, name=name)
    check(trace)
    return trace


def self_values(trace: Trace, profile: int | None = None) -> dict[str, float]:
    return {row.name: row.self_value for row in top_functions(trace, profile=profile, limit=100).rows if row.self_value}


def slices(*events: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Trace events of one thread: ("X", name, ts, dur), ("B", name, ts), ("E", name, ts)."""
    return [
        {"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": 1, **({"dur": rest[0]} if rest else {})}
        for ph, name, ts, *rest in events
    ]


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("trace.txt", data)
    return out.getvalue()


@pytest.mark.parametrize(
    "wrap",
    [
        gzip.compress,
        zstandard.compress,
        zipped,
        lambda data: gzip.compress(zipped(data)),
        lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),
        lambda data: zstandard.compress(data[:10]) + zstandard.compress(data[10:]),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.decode().encode("utf-16"),
        lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    ],
    ids=["gzip", "zstd", "zip", "zip in gzip", "two gzips", "two zstds", "BOM", "UTF-16", "UTF-16 BE"],
)
def test_what_a_file_is_wrapped_in_makes_no_difference(wrap: Callable[[bytes], bytes]) -> None:
    assert self_values(read(wrap(COLLAPSED))) == {"parse": 3, "draw": 4}


def test_comments_and_empty_stacks_are_no_functions() -> None:
    trace = read("# interval: 200\nmain;parse 3\n 5\nmain 0\nnot a stack\nmain;draw 4\n")
    assert self_values(trace) == {"parse": 3, "draw": 4}
    assert [(w.code, w.count) for w in trace.warnings] == [("skipped_lines", 2)]
    assert trace.profiles[0].axis_end == 12  # the empty stack is idle


def test_slices_that_end_after_their_parent_are_cut_and_counted() -> None:
    trace = read(slices(("X", "outer", 0, 10), ("X", "inner", 5, 10)))
    assert self_values(trace) == {"outer": 5000, "inner": 5000}
    assert [(w.code, w.count) for w in trace.warnings] == [("clamped", 1)]


def test_a_slice_that_starts_where_another_ends_is_its_sibling() -> None:
    trace = read(slices(("X", "a", 0, 10), ("X", "none", 10, 0), ("X", "b", 10, 5), ("X", "first", 10, 0)))
    assert trace.profiles[0].spans is not None
    assert trace.profiles[0].spans.depth.tolist() == [0, 0, 1, 1]


def test_begin_and_end_events_nest_with_complete_ones() -> None:
    trace = read(slices(("B", "outer", 0), ("X", "inner", 2, 3), ("E", "outer", 10)))
    assert self_values(trace) == {"outer": 7000, "inner": 3000}


def test_ends_without_begin_are_dropped_and_begins_without_end_are_unfinished() -> None:
    trace = read(slices(("E", "ghost", 1), ("B", "a", 2), ("B", "b", 4), ("E", "b", 9)))
    assert self_values(trace) == {"b": 5000}
    assert {w.code: w.count for w in trace.warnings} == {"unmatched_end": 1, "unclosed": 1}


def test_nanoseconds_of_large_fractional_timestamps_survive() -> None:
    trace = read(slices(("X", "a", 4438174583932.109, 0.251), ("X", "b", 4438174583932.36, 1)))
    spans = trace.profiles[0].spans
    assert spans is not None
    assert spans.start.tolist() == [0, 251]
    assert spans.end.tolist() == [251, 1251]


def test_process_and_thread_ids_may_be_words() -> None:
    events = [
        *slices(("X", "a", 0, 10)),
        {"ph": "X", "name": "span", "ts": 0, "dur": 5, "pid": "Spans", "tid": "PyTorch Profiler"},
    ]
    trace = read({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events})
    assert [(p.pid, p.tid) for p in trace.profiles] == [("1", "1"), ("Spans", "PyTorch Profiler")]


def test_arguments_do_not_split_functions() -> None:
    events = slices(("X", "a", 0, 10), ("X", "a", 20, 10))
    events[0]["args"], events[1]["args"] = {"id": 1}, {"id": 2}
    assert len(read(events).frames) == 1


def test_viztracer_names_give_their_place() -> None:
    events = slices(("X", "walk (/app/walker.py:72)", 0, 10))
    events[0]["cat"] = "fee"
    trace = read(events)
    assert (trace.frame_name(0), trace.frame_file(0), trace.frame_line(0)) == ("walk", "/app/walker.py", 72)


@pytest.mark.parametrize("end", ["]", "", ",", ',{"ph": "X", "name": "cut', ',{"ph'])
def test_an_array_of_events_may_break_off(end: str) -> None:
    complete = json.dumps(slices(("X", "a", 0, 10), ("X", "b", 20, 5)))[:-1]
    assert set(self_values(read(complete + end))) in ({"a", "b"}, {"a"})


def test_events_of_an_unknown_kind_are_said() -> None:
    events = [*slices(("X", "a", 0, 10)), {"ph": "?", "name": "heap", "ts": 1, "pid": 1, "tid": 1}]
    assert [(w.code, w.count) for w in read(events).warnings] == [("not_drawn", 1)]


def node(ident: int, name: str, parent: int | None = None, url: str = "app.js") -> dict[str, Any]:
    call = {"functionName": name, "url": url if not name.startswith("(") else "", "lineNumber": 4, "columnNumber": 2}
    return {"id": ident, "callFrame": call, **({"parent": parent} if parent else {})}


V8_NODES = [
    node(1, "(root)"),
    node(2, "(idle)", 1),
    node(3, "(garbage collector)", 1),
    node(4, "work", 1),
    node(5, "(program)", 1),
]


def test_what_v8_knows_no_stack_of_is_charged_to_nobody() -> None:
    trace = read({"nodes": V8_NODES, "samples": [4, 3, 5, 3, 2, 5], "timeDeltas": [0, 10, 20, 30, 40, 50]})
    tree = trace.profiles[0].tree
    paths = [(trace.frame_names[f], p) for f, p in zip(tree.frame.tolist(), tree.parent.tolist(), strict=True)]
    assert paths == [("work", -1), ("(garbage collector)", -1), ("(program)", -1)]
    assert self_values(trace) == {"work": 10_000, "(garbage collector)": 60_000, "(program)": 30_000}
    assert trace.profiles[0].axis_end == 150_000  # 50 µs of them idle


def test_lines_of_v8_become_one_based() -> None:
    trace = read({"nodes": V8_NODES, "samples": [4, 4], "timeDeltas": [0, 10]})
    assert (trace.frame_file(0), trace.frame_line(0), int(trace.frames.column[0])) == ("app.js", 5, 3)


def test_samples_out_of_order_are_put_in_order_and_counted() -> None:
    trace = read({"nodes": V8_NODES, "samples": [4, 2, 3, 4], "timeDeltas": [10, 20, -15, 40]})
    assert trace.profiles[0].axis_end - trace.profiles[0].axis_start == 55_000
    assert self_values(trace) == {"work": 5_000, "(garbage collector)": 15_000}  # 10: work, 15: gc, 30: idle, 55: work
    assert [(w.code, w.count) for w in trace.warnings] == [("clock_backwards", 1)]


@pytest.mark.parametrize(
    ("samples", "repaired"),
    [
        ([4, 5, 4, 4], 1),
        ([4, 5, 7, 4], 1),  # another function of the same root
        ([4, 5, 5, 4], 0),  # two in a row
        ([4, 5, 6, 4], 0),  # another root
        ([4, 5, 2, 4], 0),
        ([3, 5, 4, 4], 0),
    ],
)
def test_a_single_stack_that_v8_could_not_read_is_the_one_before(samples: list[int], repaired: int) -> None:
    nodes = [*V8_NODES, node(6, "other", 1), node(7, "inner", 4)]
    trace = read({"nodes": nodes, "samples": samples, "timeDeltas": [0, 10, 10, 10]})
    assert {w.code: w.count for w in trace.warnings} == ({"unread_stacks": 1} if repaired else {})
    assert ("(program)" in self_values(trace)) == (not repaired)


@pytest.mark.parametrize(
    ("deltas", "more", "left"),
    [
        ([0, 10, 10**13, 10], {}, 20),
        ([0, 10, -(10**13), 10], {}, 20),
        ([0, 10, 2**62, 10], {}, 20),
        ([0, 10, 5_000_000, 10], {"startTime": 1, "endTime": 3_001}, 20),  # longer than the recording
        ([0, 10, 5_000_000, 10], {"startTime": 1, "endTime": 21}, 20),
        ([0, 4_000, 5_000, 4_000], {"startTime": 1, "endTime": 4_001}, 13_000),  # the file is wrong about its length
        ([10**13, 10, 10, 10], {}, 30),  # the first is when sampling began
    ],
)
def test_jumps_of_the_clock_between_samples_are_left_out(deltas: list[int], more: dict[str, int], left: int) -> None:
    trace = read({"nodes": V8_NODES, "samples": [4, 4, 3, 4], "timeDeltas": deltas, **more})
    assert sum(self_values(trace).values()) == left * 1_000
    jumps = [w.count for w in trace.warnings if w.code == "clock_jumps"]
    assert jumps == ([1] if left == 20 else [])


def chrome_profile(pid: int, name: str) -> list[dict[str, Any]]:
    """One V8 profile with the same id in every process, as Chrome writes them."""
    nodes = [node(1, "(root)"), node(2, name, 1)]
    common = {"cat": "v8", "pid": pid, "tid": pid, "id": "0x1"}
    chunk = {"data": {"cpuProfile": {"nodes": nodes, "samples": [2, 2]}, "timeDeltas": [0, 1000 * pid]}}
    return [
        {**common, "ph": "P", "name": "Profile", "ts": 5, "args": {"data": {"startTime": 5}}},
        {**common, "ph": "P", "name": "ProfileChunk", "ts": 6, "args": chunk},
        {"ph": "M", "name": "thread_name", "pid": pid, "tid": pid, "args": {"name": "CrRendererMain"}},
        {"ph": "X", "name": "RunTask", "ts": 7, "dur": 90, "pid": pid, "tid": pid, "cat": "toplevel"},
    ]


def test_profiles_of_two_renderers_are_kept_apart_and_the_busiest_is_first_seen() -> None:
    trace = read({"traceEvents": chrome_profile(1, "light") + chrome_profile(2, "heavy")})
    assert trace.format == "chrome"
    assert [p.name for p in trace.profiles] == [
        "CrRendererMain (pid 1)",
        "CrRendererMain (pid 2)",
        "CrRendererMain (pid 1) tasks",
        "CrRendererMain (pid 2) tasks",
    ]
    assert self_values(trace, 0) == {"light": 1_000_000}
    assert self_values(trace) == {"heavy": 2_000_000}
    assert self_values(trace, 3) == {"RunTask": 90_000}


def test_a_format_is_found_behind_a_long_value() -> None:
    trace = read({"metadata": {"map": "x" * 100_000}, "traceEvents": slices(("X", "a", 0, 10))})
    assert trace.format == "trace-event"


def pprof(*, packed: bool = True) -> bytes:
    """Two value types; `inlined` is inlined into `caller` at location 1, `main` is location 2."""
    texts = ["", "samples", "count", "cpu", "nanoseconds", "inlined", "caller", "main", "a.go"]

    def numbers(field: int, *values: int) -> list[tuple[int, int | bytes]]:
        return [(field, b"".join(map(varint, values)))] if packed else [(field, value) for value in values]

    return message(
        (1, message((1, 1), (2, 2))),
        (1, message((1, 3), (2, 4))),
        (2, message(*numbers(1, 1, 2), *numbers(2, 3, 30_000_000))),
        (2, message(*numbers(1, 2), *numbers(2, 1, 10_000_000))),
        (4, message((1, 1), (4, message((1, 1), (2, 11))), (4, message((1, 2), (2, 22))))),
        (4, message((1, 2), (4, message((1, 3), (2, 33))))),
        *((5, message((1, i + 1), (2, 5 + i), (4, 8), (5, 10 * i))) for i in range(3)),
        *((6, text.encode()) for text in texts),
    )


@pytest.mark.parametrize("packed", [True, False])
def test_pprof_keeps_inlined_functions_and_every_value(*, packed: bool) -> None:
    trace = read(pprof(packed=packed))
    profile = trace.profiles[0]
    assert [(v.name, v.unit) for v in profile.values] == [("samples", Unit.COUNT), ("cpu", Unit.NANOSECONDS)]
    assert self_values(trace) == {"inlined": 30_000_000, "main": 10_000_000}
    assert [trace.frame_names[f] for f in profile.tree.frame] == ["main", "caller", "inlined"]
    assert profile.tree.total_values[0].tolist() == [4, 3, 3]
    assert [trace.frame_line(i) for i in range(3)] == [20, 10, 11]  # where it begins, or was sampled


def test_stacks_ten_thousand_frames_deep_are_read_and_answered() -> None:
    deep = ";".join(f"f{i % 50}" for i in range(10_000))
    trace = read(f"{deep} 5\nmain;x 1\n")
    assert len(trace.profiles[0].tree) == 10_002
    assert top_functions(trace, sort_by="total", limit=1).rows[0].total_value == 5


def test_deep_trees_of_slices_and_of_old_v8_files_are_read() -> None:
    events = slices(*(("X", "f", i, 40_000 - 2 * i) for i in range(10_000)))
    assert read(events).profiles[0].spans is not None
    tree: dict[str, Any] = {"id": 200, "functionName": "leaf", "url": ""}
    for ident in range(199, 0, -1):
        tree = {"id": ident, "functionName": "f" if ident > 1 else "(root)", "url": "", "children": [tree]}
    old = read({"head": tree, "samples": [200, 200], "timestamps": [0, 9]})
    assert self_values(old) == {"leaf": 9000}
