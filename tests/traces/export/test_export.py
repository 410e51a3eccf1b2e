"""What we write and read again is the same trace, as far as the format can hold it."""

import gzip
import itertools
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion
from traces.export.document import timeline
from traces.export.targets import TARGETS, Target, export
from traces.handles import ALL, ProfileChoice
from traces.invariants import check
from traces.model import Profile, Trace
from traces.nesting import nest_slices
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import ProfileKind, Unit, ValueType

LAWS = settings(max_examples=15, deadline=None, derandomize=True)
FRAMES = [
    ("main", "app.py", 1),
    ("walk<T>", "src/ö \\x/a.py", 72),
    ('say "hi"\t', "https://shop.test/a.js?b=1", 9),
    ("(anonymous)", "b.js", 3),
]
UNITS = [Unit.NANOSECONDS, Unit.BYTES, Unit.COUNT]

rows = st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=5), st.integers(1, 10**12)), min_size=1, max_size=12)
rows_with_weight = rows.filter(lambda listed: any(stack for stack, _ in listed))
slices = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([0, 0, 1, 5, 20, 10**15 + 1]), st.integers(0, 3)),
    min_size=1,
    max_size=15,
)


LONGEST_OF_A_LINE = 10**15
"""Collapsed stacks are read with weights of up to fifteen digits."""


def sampled(listed: list[tuple[list[int], int]], unit: Unit = Unit.NANOSECONDS) -> Trace:
    builder = TraceBuilder("t", "test")
    frames = [builder.frame(*frame) for frame in FRAMES]
    stacks = StackTable()
    leaves = stacks.leaves([[frames[i] for i in stack] for stack, _ in listed])
    weights = [np.array([weight for _, weight in listed])]
    builder.add_sampled("thread 1", stacks, leaves, weights, values=(ValueType("weight", unit),), pid="7", tid="8")
    return builder.build(content_key="0" * 64, source_bytes=1)


def evented(listed: list[tuple[int, int, int]]) -> Trace:
    builder = TraceBuilder("t", "test")
    frames = np.array([builder.frame(*frame) for frame in FRAMES], np.int32)
    start, duration, frame = (np.array(column, np.int64) for column in zip(*listed, strict=True))
    builder.add_evented("thread 1", nest_slices(start, start + duration, frames[frame]), pid="7", tid="8")
    return builder.build(content_key="0" * 64, source_bytes=1)


def again(trace: Trace, target: Target, profile: ProfileChoice = ALL) -> Trace:
    read = read_trace(export(trace, target, profile).read(), name=f"{trace.name}.{target}")
    check(read)
    return read


def place(trace: Trace, frame: int, *, named_only: bool = False) -> tuple[Any, ...]:
    if named_only:
        return (" ".join(trace.frame_names[frame].replace(";", ":").split()),)
    return trace.frame_names[frame], trace.frame_file(frame), trace.frame_line(frame)


def paths(trace: Trace, profile: Profile, value: int | None = None, *, named_only: bool = False) -> dict[Any, Any]:
    """Self and total of every call path that has any."""
    tree = profile.tree
    k = profile.default_value if value is None else value
    known: list[tuple[Any, ...]] = []
    for node, (frame, parent) in enumerate(zip(tree.frame.tolist(), tree.parent.tolist(), strict=True)):
        above = known[parent] if parent >= 0 else ()
        assert node == len(known)
        known.append((*above, place(trace, frame, named_only=named_only)))
    found: dict[Any, tuple[float, float]] = defaultdict(lambda: (0, 0))
    for path, own, total in zip(known, tree.self_values[k].tolist(), tree.total_values[k].tolist(), strict=True):
        if total > 0:  # functions that differ by their column only are one here
            found[path] = found[path][0] + own, found[path][1] + total
    return dict(found)


def spans(trace: Trace, profile: Profile) -> list[Any]:
    found = profile.spans
    assert found is not None
    frames = [place(trace, frame) for frame in profile.tree.frame[found.node].tolist()]
    return list(zip(found.start.tolist(), found.end.tolist(), found.depth.tolist(), frames, strict=True))


def moments(trace: Trace, profile: Profile) -> list[Any]:
    """When each call path was seen: neighbours joined, idle left out."""
    line = timeline(profile, profile.default_value)
    ends = line.start + np.cumsum(line.weight)
    seen = [(int(leaf), *edge) for leaf, *edge in zip(line.leaf, ends - line.weight, ends, strict=True) if leaf >= 0]
    joined: list[list[Any]] = []
    for leaf, start, end in seen:
        if joined and joined[-1][0] == leaf and joined[-1][2] == start:
            joined[-1][2] = end
        else:
            joined.append([leaf, start, end])
    return [(start, end, leaf_path(trace, profile, leaf)) for leaf, start, end in joined if end > start]


def leaf_path(trace: Trace, profile: Profile, node: int) -> tuple[Any, ...]:
    if node < 0:
        return ()
    tree = profile.tree
    return (*leaf_path(trace, profile, int(tree.parent[node])), place(trace, int(tree.frame[node])))


@LAWS
@given(rows_with_weight, st.sampled_from(UNITS))
def test_samples_come_back_from_speedscope_with_their_order_and_gaps(
    listed: list[tuple[list[int], int]], unit: Unit
) -> None:
    trace = sampled(listed, unit)
    back = again(trace, "speedscope")
    (old,), (new,) = trace.profiles, back.profiles
    assert (new.name, new.unit, new.kind) == (old.name, old.unit, old.kind)
    assert paths(back, new) == paths(trace, old)
    assert moments(back, new) == moments(trace, old)
    assert new.axis_end == old.axis_end
    assert [place(back, f) for f in range(len(back.frames))] == [place(trace, f) for f in range(len(trace.frames))]


@pytest.mark.parametrize("target", ["speedscope", "chrome"])
def test_gaps_between_samples_come_back_as_idle_time(target: Target) -> None:
    builder = TraceBuilder("gaps", "test")
    stacks = StackTable()
    leaves = stacks.leaves([[builder.frame("a")], [builder.frame("b")]])
    time, weights = np.array([10, 50]), [np.array([20, 5])]
    builder.add_sampled("p", stacks, leaves, weights, time=time, axis_start=0, axis_end=70)
    back = again(builder.build(content_key="0" * 64, source_bytes=1), target)
    seen = [(start, end, path[-1][0]) for start, end, path in moments(back, back.profiles[0])]
    assert seen == [(10, 30, "a"), (50, 55, "b")]
    assert back.profiles[0].axis_end == 70


def test_threads_come_back_from_chrome_in_their_order() -> None:
    builder = TraceBuilder("t", "test")
    ids = [("9", "2"), ("9", "1"), ("3", "7"), ("10", "x")]
    for pid, tid in ids:
        spans = nest_slices(np.array([0]), np.array([int(tid, 36)]), np.array([builder.frame("main")], np.int32))
        builder.add_evented(f"pid {pid}, tid {tid}", spans, pid=pid, tid=tid)
    back = again(builder.build(content_key="0" * 64, source_bytes=1), "chrome")
    assert [(profile.pid, profile.tid) for profile in back.profiles] == ids


def test_empty_spans_keep_their_callers_in_chrome() -> None:
    pairs = [("B", "a", 5), ("B", "b", 5), ("E", "b", 5), ("E", "a", 5), ("B", "c", 5), ("E", "c", 9)]
    events = [{"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": 1} for ph, name, ts in pairs]
    trace = read_trace(json.dumps(events).encode(), name="t")
    assert [depth for _, _, depth, _ in spans(trace, trace.profiles[0])] == [0, 1, 0]
    back = again(trace, "chrome")
    assert spans(back, back.profiles[0]) == spans(trace, trace.profiles[0])


@LAWS
@given(slices)
@pytest.mark.parametrize("target", ["speedscope", "chrome"])
def test_spans_come_back_one_by_one_even_empty_ones(target: Target, listed: list[tuple[int, int, int]]) -> None:
    trace = evented(listed)
    back = again(trace, target)
    assert spans(back, back.profiles[0]) == spans(trace, trace.profiles[0])
    assert paths(back, back.profiles[0]) == paths(trace, trace.profiles[0])
    assert not back.warnings


@LAWS
@given(rows_with_weight)
def test_samples_of_time_come_back_from_chrome_as_v8_profiles(listed: list[tuple[list[int], int]]) -> None:
    trace = sampled(listed)
    back = again(trace, "chrome")
    (new,) = back.profiles
    assert (new.name, new.pid, new.tid) == ("thread 1", "7", "8")
    assert paths(back, new) == paths(trace, trace.profiles[0])
    assert moments(back, new) == moments(trace, trace.profiles[0])


@LAWS
@given(
    st.lists(
        st.tuples(st.sampled_from([[], [0], [0, 1], [0, 2], [1, 2], [2], [0, 1, 2]]), st.integers(1, 9)), min_size=1
    )
)
def test_garbage_collection_comes_back_from_chrome_on_the_stack_that_it_was_on(
    listed: list[tuple[list[int], int]],
) -> None:
    builder = TraceBuilder("t", "test")
    frames = [builder.frame(name) for name in ("main", "draw", "(garbage collector)")]
    stacks = StackTable()
    leaves = stacks.leaves([[frames[i] for i in stack] for stack, _ in listed])
    builder.add_sampled("thread 1", stacks, leaves, [np.array([weight for _, weight in listed])], pid="7", tid="8")
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    back = again(trace, "chrome")
    assert moments(back, back.profiles[0]) == moments(trace, trace.profiles[0])


@LAWS
@given(st.one_of(rows_with_weight.map(sampled), slices.map(evented)))
def test_sums_come_back_from_collapsed_stacks_and_pprof(trace: Trace) -> None:
    profile = trace.profiles[0]
    if not any(own for own, _ in paths(trace, profile).values()):
        return
    if max(own for own, _ in paths(trace, profile).values()) < LONGEST_OF_A_LINE:
        back = again(trace, "collapsed")
        assert paths(back, back.profiles[0], named_only=True) == paths(trace, profile, named_only=True)
    back = again(trace, "pprof")
    assert paths(back, back.profiles[0]) == paths(trace, profile)
    assert back.profiles[0].values == profile.values


def test_all_values_of_a_profile_are_kept_where_the_format_can() -> None:
    builder = TraceBuilder("heap", "test")
    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("a")], [builder.frame("b")]])
    values = (ValueType("objects", Unit.COUNT), ValueType("space", Unit.BYTES))
    builder.add_sampled("heap", stacks, leaf, [np.array([3, 1]), np.array([10, 99])], values=values, default_value=1)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    (back,) = again(trace, "pprof").profiles
    assert (back.values, back.default_value) == (values, 1)
    assert [total.sum() for total in back.tree.self_values] == [4, 109]
    dated = again(replace(trace, recorded_at_ns=10**18, recorded_for_ns=10**9), "pprof")
    assert (dated.recorded_at_ns, dated.recorded_for_ns) == (10**18, 10**9)
    apart = again(trace, "speedscope")
    assert [p.name for p in apart.profiles] == ["heap (objects)", "heap (space)"]
    assert apart.default_profile == 1
    with pytest.raises(InvalidQuestion, match="holds time alone"):
        export(trace, "chrome")


def test_profiles_stay_apart_or_are_added_up_as_the_format_can() -> None:
    builder = TraceBuilder("threads", "test")
    for name, weight in (("main", 5), ("worker", 7)):
        stacks = StackTable()
        builder.add_sampled(name, stacks, stacks.leaves([[builder.frame("run")]]), [np.array([weight])])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    apart: list[Target] = ["speedscope", "chrome"]
    summed: list[Target] = ["collapsed", "pprof"]
    for target in apart:
        assert [(p.name, p.tree.total_values[0].sum()) for p in again(trace, target).profiles] == [
            ("main", 5),
            ("worker", 7),
        ]
    for target in summed:
        assert [p.tree.total_values[0].sum() for p in again(trace, target).profiles] == [12]
        assert any("2 profiles were added up" in note for note in export(trace, target).notes)
        assert [p.tree.total_values[0].sum() for p in again(trace, target, 1).profiles] == [7]


def test_functions_of_one_name_stay_apart_in_collapsed_stacks() -> None:
    builder = TraceBuilder("same", "test")
    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("run", "a.py", 1)], [builder.frame("run", "b.py", 2)], [builder.frame("x;y")]])
    builder.add_sampled("p", stacks, leaf, [np.array([1, 2, 3])])
    written = export(builder.build(content_key="0" * 64, source_bytes=1), "collapsed")
    assert written.read() == b"run (a.py:1) 1\nrun (b.py:2) 2\nx:y 3\n"
    assert any("semicolons" in note for note in written.notes)


FIXTURES = [
    "sample/order-service.speedscope.json.gz",
    "search-index.cpuprofile.gz",
    "board.chrome-object.json.gz",
    "settlement.go-cpu.pb.gz",
]


@pytest.mark.parametrize(("name", "target"), list(itertools.product(FIXTURES, TARGETS)))
def test_real_traces_keep_every_sum(fixtures: Path, name: str, target: Target) -> None:
    trace = read_trace((fixtures / name).read_bytes(), name=name)
    profile = trace.profiles[trace.default_profile]
    if target == "chrome" and not profile.axis.is_time:
        pytest.skip("this format holds time alone")
    back = again(trace, target, profile.index)
    assert back.format == {"chrome": "chrome" if profile.kind is ProfileKind.SAMPLED else "trace-event"}.get(
        target, target
    )
    new = back.profiles[back.default_profile]
    if target == "collapsed":
        sums = [sum(own for own, _ in paths(t, p).values()) for t, p in ((back, new), (trace, profile))]
        assert sums[0] == sums[1]
    else:
        assert paths(back, new) == paths(trace, profile)


def test_a_complete_chrome_trace_comes_back_with_its_threads(fixtures: Path) -> None:
    trace = read_trace((fixtures / "board.chrome-object.json.gz").read_bytes(), name="board")
    back = again(trace, "chrome")
    assert [(p.name, p.pid, p.tid, p.kind) for p in back.profiles] == [
        (p.name, p.pid, p.tid, p.kind) for p in trace.profiles
    ]
    assert again(back, "chrome").profiles[0].name == back.profiles[0].name


def test_what_is_written_is_well_formed() -> None:
    trace = evented([(0, 10, 0), (2, 3, 1)])
    chrome = json.loads(export(trace, "chrome").read())
    assert {event["ph"] for event in chrome["traceEvents"]} == {"M", "X"}
    assert {"pid", "tid", "ph", "cat"} <= set(chrome["traceEvents"][0])  # by this speedscope knows Chrome's traces
    speedscope = json.loads(export(trace, "speedscope").read())
    assert [event["type"] for event in speedscope["profiles"][0]["events"]] == ["O", "O", "C", "C"]
    assert gzip.decompress(export(trace, "pprof").read()) == gzip.decompress(export(trace, "pprof").read())
