"""All profiles as one and only some frames: random traces, the answers compared with slow and obvious ones."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.analysis.calltree import call_tree
from traces.analysis.filters import FrameFilter, library_frames
from traces.analysis.functions import top_functions
from traces.analysis.sandwich import callers_callees
from traces.analysis.selection import select
from traces.analysis.view_layout import left_heavy, sandwich_layout
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion
from traces.handles import ALL
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit, ValueType

LAWS = settings(max_examples=25, deadline=None, derandomize=True)
NAMES = "abcd"
Rows = list[tuple[list[int], int]]

rows_of_a_thread = st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=6), st.integers(1, 9)), max_size=12)
threads = st.lists(rows_of_a_thread, min_size=1, max_size=3).filter(any)
slices = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=15)
hidden_names = st.sampled_from(NAMES)


def sampled(all_rows: list[Rows]) -> Trace:
    builder = TraceBuilder("sampled", "test")
    frames = [builder.frame(name) for name in NAMES]
    for rows in all_rows:
        stacks = StackTable()
        leaves = stacks.leaves([[frames[i] for i in stack] for stack, _ in rows])
        builder.add_sampled("thread", stacks, leaves, [np.array([weight for _, weight in rows], np.int64)])
    return builder.build(content_key="0" * 64, source_bytes=1)


def evented(all_rows: list[list[tuple[int, int, int]]]) -> Trace:
    builder = TraceBuilder("evented", "test")
    frames = np.array([builder.frame(name) for name in NAMES], np.int32)
    for rows in all_rows:
        start, duration, frame = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        builder.add_evented("thread", nest_slices(start, start + duration, frames[frame]))
    return builder.build(content_key="0" * 64, source_bytes=1)


def by_name(trace: Trace, **question: object) -> dict[str, tuple[float, float]]:
    table = top_functions(trace, limit=99, **question)  # type: ignore[arg-type]
    return {row.name: (row.self_value, row.total_value) for row in table.rows}


def obvious(rows: Rows, hidden: str | None = None) -> dict[str, tuple[float, float]]:
    own: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    for stack, weight in rows:
        shown = [NAMES[i] for i in stack if NAMES[i] != hidden]
        if shown:
            own[shown[-1]] += weight
        for name in set(shown):
            total[name] += weight
    return {name: (own[name], total[name]) for name in total}


@LAWS
@given(threads, st.one_of(st.none(), hidden_names))
def test_all_profiles_and_what_a_filter_leaves_are_sums_over_the_stacks(
    all_rows: list[Rows], hidden: str | None
) -> None:
    trace = sampled(all_rows)
    used = {NAMES[i] for rows in all_rows for stack, _ in rows for i in stack}
    if not used - {hidden}:
        return
    every = [row for rows in all_rows for row in rows]
    kept = FrameFilter(hide=hidden) if hidden else None
    assert by_name(trace, profile=ALL, frame_filter=kept) == obvious(every, hidden)
    for index, rows in enumerate(all_rows):
        assert by_name(trace, profile=index, frame_filter=kept) == obvious(rows, hidden)
    table = top_functions(trace, profile=ALL, frame_filter=kept)
    assert table.scope_total == sum(weight for stack, weight in every if stack)
    assert table.hidden == sum(weight for stack, weight in every if stack and {NAMES[i] for i in stack} == {hidden})


@LAWS
@given(
    st.one_of(st.lists(slices, min_size=1, max_size=3).map(evented), threads.map(sampled)),
    hidden_names,
    st.integers(0, 40),
    st.integers(1, 20),
)
def test_a_merged_filtered_window_holds_what_its_parts_hold(trace: Trace, hidden: str, start: int, length: int) -> None:
    if not set(trace.frame_names) - {hidden}:
        return
    window = Window(start, start + length)
    kept = FrameFilter(hide=hidden)
    plain = [by_name(trace, profile=p.index, window=window) for p in trace.profiles]
    merged = by_name(trace, profile=ALL, window=window)
    summed: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    for values in plain:
        for name, (own, total) in values.items():
            summed[name][0] += own
            summed[name][1] += total
    assert {name: list(values) for name, values in merged.items()} == dict(summed)
    filtered = top_functions(trace, profile=ALL, window=window, frame_filter=kept, limit=99)
    assert sum(row.self_value for row in filtered.rows) + filtered.hidden == filtered.scope_total
    assert filtered.scope_total == top_functions(trace, profile=ALL, window=window).scope_total
    for row in filtered.rows:
        assert row.total_value == merged[row.name][1]  # who calls a function changes nothing in what it takes


@LAWS
@given(threads, hidden_names)
def test_trees_sandwiches_and_layouts_of_a_filter_add_up(all_rows: list[Rows], hidden: str) -> None:
    trace = sampled(all_rows)
    if not {NAMES[i] for rows in all_rows for stack, _ in rows for i in stack} - {hidden}:
        return
    kept = FrameFilter(hide=hidden)
    chosen = select(trace, ALL, frame_filter=kept)
    values = chosen.values()
    tree = call_tree(trace, profile=ALL, frame_filter=kept, max_nodes=99)
    assert sum(node.total_value for node in tree.nodes if node.parent < 0) + values.hidden == tree.scope_total
    assert all(node.name != hidden for node in tree.nodes)
    heavy = left_heavy(trace, profile=ALL, frame_filter=kept).boxes
    assert len(heavy) == len(tree.nodes)
    for frame in range(len(trace.frames)):
        around = callers_callees(trace, frame, profile=ALL, frame_filter=kept)
        assert sum(row.value for row in around.callers) == around.frame.total_value
        assert sum(row.value for row in around.callees) + around.frame.self_value == around.frame.total_value
        drawn = sandwich_layout(trace, frame, profile=ALL, frame_filter=kept).callees
        assert drawn.axis_end == around.frame.total_value


def test_a_hidden_call_is_no_call_of_its_caller_but_a_hidden_sample_is_one() -> None:
    calls = evented([[(0, 10, 0), (1, 3, 1), (5, 3, 1)]])
    assert [(row.name, row.count) for row in top_functions(calls, frame_filter=FrameFilter(hide="b")).rows] == [
        ("a", 1)
    ]
    samples = sampled([[([0, 1], 5), ([0], 5)]])
    assert [(row.name, row.count) for row in top_functions(samples, frame_filter=FrameFilter(hide="b")).rows] == [
        ("a", 2)
    ]


def test_all_profiles_leaves_out_what_measures_something_else() -> None:
    builder = TraceBuilder("mixed", "test")
    frame = builder.frame("work")
    stacks = StackTable()
    leaf = stacks.leaves([[frame], [frame]])
    builder.add_sampled("cpu 1", stacks, leaf, [np.array([5, 5])])
    builder.add_sampled("cpu 2", stacks, leaf, [np.array([7, 7])])
    builder.add_sampled("memory", stacks, leaf, [np.array([99, 99])], values=(ValueType("heap", Unit.BYTES),))
    builder.add_evented("tasks", nest_slices(np.array([0]), np.array([5]), np.array([frame], np.int32)))
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    chosen = select(trace, ALL)
    assert ([p.name for p in chosen.profiles], chosen.left_out, chosen.handle) == (["cpu 1", "cpu 2"], 2, "all")
    assert top_functions(trace, profile=ALL).scope_total == 24


def test_each_value_of_a_profile_can_be_asked_for() -> None:
    builder = TraceBuilder("values", "test")
    small, large = builder.frame("small"), builder.frame("large")
    stacks = StackTable()
    values = (ValueType("objects", Unit.COUNT), ValueType("space", Unit.BYTES))
    columns = [np.array([9, 1]), np.array([10, 1000])]
    builder.add_sampled("heap", stacks, stacks.leaves([[small], [large]]), columns, values=values, default_value=1)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    assert [row.name for row in top_functions(trace).rows] == ["large", "small"]
    counted = top_functions(trace, value="objects")
    assert ([row.name for row in counted.rows], counted.unit) == (["small", "large"], Unit.COUNT)
    with pytest.raises(InvalidQuestion, match="objects, space"):
        top_functions(trace, value="cpu")


def test_libraries_are_recognised_by_where_package_managers_put_them() -> None:
    builder = TraceBuilder("app", "test")
    mine = ["/srv/app/main.py", "src/index.ts", "file:///srv/app/lib/search.js", "https://shop.test/static/app.js"]
    theirs = [
        "/x/node_modules/react/index.js",
        "/v/lib/python3.11/site-packages/numpy/core.py",
        "/usr/lib/python3.11/json/decoder.py",
        "node:internal/timers",
        "/usr/local/go/src/runtime/proc.go",
        "encoding/json/decode.go",
        "/opt/go/pkg/mod/golang.org/x/net/http2.go",
        "<frozen importlib._bootstrap>",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        None,
    ]
    frames = [builder.frame(f"f{i}", file) for i, file in enumerate([*mine, *theirs])]
    stacks = StackTable()
    builder.add_sampled("p", stacks, stacks.leaves([[f] for f in frames]), [np.ones(len(frames))])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    assert library_frames(trace).tolist() == [False] * len(mine) + [True] * len(theirs)


def test_a_filter_that_hides_everything_is_refused() -> None:
    trace = sampled([[([0, 1], 5)]])
    with pytest.raises(InvalidQuestion, match="hides every function"):
        top_functions(trace, frame_filter=FrameFilter(only="nothing like this"))


def test_inlined_frames_without_a_file_are_their_callers() -> None:
    builder, table = TraceBuilder("a.perf.txt", "example"), StackTable()
    main, libc = (
        builder.frame("main", "/srv/shop/shop"),
        builder.frame("new_do_write", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
    )
    ours, sync, deeper = (builder.frame(name, "inlined") for name in ("helper", "__GI__IO_fflush", "write_it"))
    leaves = table.leaves([[main, ours], [main, sync, libc, deeper]])
    builder.add_sampled("t", table, leaves, [np.array([5, 5])])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    found = dict(zip(trace.frame_names, library_frames(trace).tolist(), strict=True))
    of_libraries = {"new_do_write", "__GI__IO_fflush", "write_it"}
    assert {name for name, is_library in found.items() if is_library} == of_libraries
