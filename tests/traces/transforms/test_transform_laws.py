"""Transforms of random recordings, compared with the same done to each stack by itself."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.sandwich import callers_callees
from traces.analysis.selection import select
from traces.analysis.view_layout import left_heavy, time_order
from traces.analysis.window import Window, node_values
from traces.builder import TraceBuilder
from traces.invariants import check
from traces.model import NONE, CallTree, Profile, Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.transforms.transformed import transformed, what_is_left
from traces.transforms.vocabulary import Kind, Transform, Transforms, parsed_transforms
from traces.values import Unit, ValueType

LAWS = settings(max_examples=25, deadline=None, derandomize=True)
NAMES = ("a", "b", "lib", "dom", "dot")
FILES = ("a.py", "b.py", "/usr/lib/x.py", "d.py", "d.py")
TIME = ValueType("time", Unit.NANOSECONDS)
Path = tuple[int, ...]

stack_rows = st.lists(
    st.tuples(st.lists(st.integers(0, 4), max_size=7), st.integers(0, 9)), min_size=1, max_size=14
).filter(lambda rows: any(stack and weight for stack, weight in rows))
slice_rows = st.lists(
    st.tuples(st.integers(0, 25), st.integers(1, 20), st.integers(0, 4)), min_size=1, max_size=16
)  # start, duration, function


def sampled(rows: list[tuple[list[int], int]], value: ValueType = TIME) -> Trace:
    builder = TraceBuilder("sampled", "test")
    frames = [builder.frame(*place) for place in zip(NAMES, FILES, strict=True)]
    table = StackTable()
    leaves = table.leaves([[frames[i] for i in stack] for stack, _ in rows])
    builder.add_sampled("samples", table, leaves, [np.array([weight for _, weight in rows])], values=(value,))
    return builder.build(content_key="0" * 64, source_bytes=1)


def evented(rows: list[tuple[int, int, int]]) -> Trace:
    builder = TraceBuilder("evented", "test")
    frames = np.array([builder.frame(*place) for place in zip(NAMES, FILES, strict=True)], np.int32)
    start, duration, frame = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    builder.add_evented("slices", nest_slices(start, start + duration, frames[frame]))
    return builder.build(content_key="0" * 64, source_bytes=1)


def heap(rows: list[tuple[list[int], int]]) -> Trace:
    return sampled(rows, ValueType("bytes", Unit.BYTES))


traces = st.one_of(stack_rows.map(sampled), slice_rows.map(evented), stack_rows.map(heap))


KINDS = [kind for kind in Kind if kind is not Kind.INVERT]


@st.composite
def cases(draw: st.DrawFn, kinds: Sequence[Kind] = KINDS, most: int = 3) -> tuple[Trace, Transforms]:
    """A recording and what is done to it."""
    trace = draw(traces)
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most))
    return trace, Transforms(tuple(Transform(kind, draw(arguments(trace, kind))) for kind in drawn))


def arguments(trace: Trace, kind: Kind) -> st.SearchStrategy[str | None]:
    """Functions by handle or a part of their names, nodes that there are."""
    functions: list[str | None] = [f"f{i}" for i in range(len(trace.frames))]
    functions += ["*do*"] if "dom" in trace.frame_names else []
    match kind:
        case Kind.DROP_LIBRARY:
            return st.none()
        case Kind.FOCUS_SUBTREE:
            return st.integers(0, len(trace.profiles[0].tree) - 1).map("n{}".format)
        case Kind.FILTER_SAMPLES:
            return st.sampled_from(["a", "do", "LIB", "d.py"])
        case Kind.COLLAPSE_RECURSION:
            return st.sampled_from([None, *functions])
        case _:
            return st.sampled_from(functions)


@dataclass(frozen=True)
class Slow:
    """Stacks as nodes of the recorded tree, changed one by one."""

    trace: Trace

    @property
    def tree(self) -> CallTree:
        return self.trace.profiles[0].tree

    def stack(self, node: int) -> list[int]:
        nodes: list[int] = []
        while node != NONE:
            nodes.insert(0, node)
            node = int(self.tree.parent[node])
        return nodes

    def name(self, node: int) -> str:
        return self.trace.frame_names[int(self.tree.frame[node])]

    def path(self, nodes: Sequence[int]) -> Path:
        return tuple(int(self.tree.frame[node]) for node in nodes)

    def chosen(self, argument: str) -> Callable[[int], bool]:
        if argument == "*do*":
            return lambda node: "do" in self.name(node)
        return lambda node: f"f{int(self.tree.frame[node])}" == argument

    def found(self, text: str) -> Callable[[int], bool]:
        def finds(node: int) -> bool:
            frame = int(self.tree.frame[node])
            place = (self.trace.frame_file(frame) or "") + "\n" + self.trace.frame_names[frame]
            return text.casefold() in place.casefold()

        return finds

    def changed(self, nodes: list[int], one: Transform, earlier: Sequence[Transform], *, shape: bool) -> list[int]:
        """What is left of a stack; nothing where it goes. `shape`: of a node's own path, which the search keeps."""
        argument = one.argument or ""
        if one.kind is Kind.FOCUS_SUBTREE:
            node = int(argument[1:])
            root = self.after(self.stack(node), earlier, shape=True)
            if not root or root[-1] != node or self.path(nodes[: len(root)]) != self.path(root):
                return []
            return nodes[len(root) - 1 :]
        if one.kind is Kind.FILTER_SAMPLES:
            return nodes if shape or any(map(self.found(argument), nodes)) else []
        return self.without_frames(nodes, one, argument)

    def without_frames(self, nodes: list[int], one: Transform, argument: str) -> list[int]:
        match one.kind:
            case Kind.FOCUS_FUNCTION:
                is_one = self.chosen(argument)
                first = next((i for i, node in enumerate(nodes) if is_one(node)), len(nodes))
                return nodes[first:]
            case Kind.DROP_FUNCTION:
                return [] if any(map(self.chosen(argument), nodes)) else nodes
            case Kind.MERGE_FUNCTION:
                is_one = self.chosen(argument)
                return [node for node in nodes if not is_one(node)]
            case Kind.DROP_LIBRARY:
                return [node for node in nodes if self.name(node) != "lib"]
            case Kind.COLLAPSE_RECURSION if one.argument is None:
                seen = [self.tree.frame[node] for node in nodes]
                return [node for i, node in enumerate(nodes) if seen.index(self.tree.frame[node]) == i]
            case Kind.COLLAPSE_RECURSION:
                is_one = self.chosen(argument)
                calls = [node for node in nodes if is_one(node)]
                return [node for node in nodes if node not in calls[1:]]
            case Kind.COLLAPSE_FUNCTION_SUBTREE:
                is_one = self.chosen(argument)
                first = next((i for i, node in enumerate(nodes) if is_one(node)), len(nodes))
                return nodes[: first + 1]
            case _:
                raise AssertionError(one)

    def after(self, nodes: list[int], transforms: Sequence[Transform], *, shape: bool = False) -> list[int]:
        for index, one in enumerate(transforms):
            nodes = self.changed(nodes, one, transforms[:index], shape=shape)
        return nodes

    def own(self, transforms: Transforms, window: Window | None = None) -> dict[Path, float]:
        """What each path has itself."""
        sums: Counter[Path] = Counter()
        values = node_values(self.trace.profiles[0], window).self_value
        for node, value in enumerate(values.tolist()):
            if left := self.after(self.stack(node), tuple(transforms)):
                sums[self.path(left)] += value
        return {path: value for path, value in sums.items() if value}


def paths_of(tree: CallTree) -> list[Path]:
    paths: list[Path] = []
    for frame, parent in zip(tree.frame.tolist(), tree.parent.tolist(), strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), frame))
    return paths


def own_by_path(profile: Profile, window: Window | None = None) -> dict[Path, float]:
    values = node_values(profile, window).self_value.tolist()
    return {path: value for path, value in zip(paths_of(profile.tree), values, strict=True) if value}


@LAWS
@given(cases())
def test_every_path_has_what_the_changed_stacks_have(case: tuple[Trace, Transforms]) -> None:
    trace, transforms = case
    expected = Slow(trace).own(transforms)
    after = transformed(trace, transforms)
    profile = after.profiles[0]
    assert own_by_path(profile) == expected
    assert len(set(paths_of(profile.tree))) == len(profile.tree)
    totals = {
        path: sum(value for other, value in expected.items() if other[: len(path)] == path)
        for path in paths_of(profile.tree)
    }
    assert dict(zip(paths_of(profile.tree), profile.tree.total_values[0].tolist(), strict=True)) == totals
    left = what_is_left(select(trace), select(after))
    assert left.left == sum(expected.values())
    assert left.of == sum(own_by_path(trace.profiles[0]).values())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_alone_changes_every_stack(kind: Kind) -> None:
    @settings(LAWS, max_examples=30)
    @given(cases([kind], 1))
    def law(case: tuple[Trace, Transforms]) -> None:
        trace, transforms = case
        assert own_by_path(transformed(trace, transforms).profiles[0]) == Slow(trace).own(transforms)

    law()


@LAWS
@given(cases(), st.integers(0, 30), st.integers(1, 20))
def test_so_it_is_inside_a_window(case: tuple[Trace, Transforms], start: int, length: int) -> None:
    trace, transforms = case
    if not trace.profiles[0].has_times:
        return
    window = Window(start, start + length)
    expected = Slow(trace).own(transforms, window)
    after = transformed(trace, transforms)
    assert own_by_path(after.profiles[0], window) == expected
    boxes = left_heavy(after, window=window).boxes
    assert boxes.axis_end == sum(expected.values())


@LAWS
@given(cases())
def test_every_question_answers_by_the_changed_stacks(case: tuple[Trace, Transforms]) -> None:
    trace, transforms = case
    expected = Slow(trace).own(transforms)
    after = transformed(trace, transforms)
    rows = {row.frame: row for row in top_functions(after, limit=99).rows}
    for frame in range(len(trace.frames)):
        own = sum(value for path, value in expected.items() if path[-1] == frame)
        total = sum(value for path, value in expected.items() if frame in path)
        assert (frame in rows) == (total > 0)
        if frame in rows:
            assert (rows[frame].self_value, rows[frame].total_value) == (own, total)
            callers = callers_callees(after, frame).callers
            assert sum(row.value for row in callers) == total
    shown = call_tree(after, max_nodes=10_000)
    assert shown.scope_total == sum(expected.values())
    assert sum(node.self_value for node in shown.nodes) == shown.scope_total
    boxes = left_heavy(after).boxes
    roots = boxes.row_offsets[1] if boxes.depth_count else 0
    assert (boxes.end - boxes.start)[:roots].sum() == shown.scope_total


@LAWS
@given(cases())
def test_an_inverted_tree_is_the_one_that_the_call_tree_grows(case: tuple[Trace, Transforms]) -> None:
    trace, transforms = case
    upright = call_tree(transformed(trace, transforms), max_nodes=10_000, inverted=True)
    inverted = Transforms((*transforms, Transform(Kind.INVERT)))
    after = transformed(trace, inverted)
    tree = call_tree(after, max_nodes=10_000)
    assert [(n.frame, n.parent, n.total_value, n.handle) for n in tree.nodes] == [
        (n.frame, n.parent, n.total_value, n.handle) for n in upright.nodes
    ]
    expected = Slow(trace).own(transforms)
    roots = {int(node.frame[1:]): node.total_value for node in tree.nodes if node.parent < 0}
    ends: Counter[int] = Counter()
    for path, value in expected.items():
        ends[path[-1]] += int(value)
    assert roots == dict(ends)


@LAWS
@given(cases())
def test_a_transformed_profile_keeps_the_laws_of_profiles(case: tuple[Trace, Transforms]) -> None:
    """Calls that a dropped one leaves have less than their duration: so it is of what is left that they are asked."""
    trace, transforms = case
    after = transformed(trace, transforms).profiles[0]
    if after.spans is None:
        check_as_a_trace(trace, after)
        return
    spans, tree = after.spans, after.tree
    sums = np.zeros(len(tree), np.int64)
    np.add.at(sums, spans.node, spans.self_value)
    assert (sums == tree.self_values[0]).all()
    assert (np.bincount(spans.node, minlength=len(tree)) == tree.count).all()
    child = spans.parent >= 0
    assert (spans.depth[child] == spans.depth[spans.parent[child]] + 1).all()
    assert (tree.parent[spans.node[child]] == spans.node[spans.parent[child]]).all()
    assert (spans.depth[~child] == 0).all()
    time_order(transformed(trace, transforms))


def check_as_a_trace(trace: Trace, profile: Profile) -> None:
    check(replace(trace, profiles=(profile,)))


@LAWS
@given(cases())
def test_handles_lead_to_what_they_led_to(case: tuple[Trace, Transforms]) -> None:
    """The node behind a box's handle has the box's function, in the recording too."""
    trace, transforms = case
    after = transformed(trace, transforms)
    for layout in (
        left_heavy(after),
        left_heavy(transformed(trace, Transforms((*transforms, Transform(Kind.INVERT))))),
    ):
        boxes = layout.boxes
        assert (trace.profiles[0].tree.frame[boxes.ref] == boxes.frame).all()
    if trace.profiles[0].spans is not None:
        boxes = time_order(after).boxes
        spans = trace.profiles[0].spans
        assert (trace.profiles[0].tree.frame[spans.node[boxes.ref]] == boxes.frame).all()


@LAWS
@given(cases())
def test_the_text_leads_back_to_the_transforms(case: tuple[Trace, Transforms]) -> None:
    assert parsed_transforms(str(case[1])) == case[1]


@pytest.mark.parametrize("kernels", [True, False])
def test_merged_libraries_have_the_figures_of_ones_own_code(kernels: bool, monkeypatch: Any) -> None:
    if not kernels:
        monkeypatch.setattr("traces.kernels.trees.kernels", lambda: None)
    trace = sampled([([0, 2, 1], 5), ([0, 2], 3), ([2, 1], 2), ([2], 1)])
    after = transformed(trace, parsed_transforms("drop-library"))
    assert {row.name: (row.self_value, row.total_value) for row in top_functions(after).rows} == {
        "a": (3, 8),
        "b": (7, 7),
    }
    assert what_is_left(select(trace), select(after)).left == 10
