"""Calls side by side and callers merged, beside walks from node to node."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.analysis import merged, side_by_side
from traces.analysis.calltree import call_tree
from traces.analysis.merged import above
from traces.analysis.view_layout import left_heavy
from traces.builder import TraceBuilder
from traces.model import CallTree, Trace
from traces.stacks import StackTable
from traces.values import Unit, ValueType

LAWS = settings(max_examples=60, deadline=None, derandomize=True)
NAMES = "cabd"

stacks = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=25)
weights = st.sampled_from([(1, 1, 2, 3), (0.1, 0.25, 0.1, 1 / 3), (4096.0, 1.0, 4096.0, 7.0)])


def traced(rows: list[list[int]], values: tuple[float, ...]) -> Trace:
    builder = TraceBuilder("rows", "test")
    frames = [builder.frame(name) for name in NAMES]
    table = StackTable()
    leaves = table.leaves([frames[i] for i in row] for row in rows)
    column = np.array([values[i % len(values)] for i in range(len(rows))])
    measured = ValueType("time", Unit.NANOSECONDS) if column.dtype.kind == "i" else ValueType("bytes", Unit.BYTES)
    builder.add_sampled("main", table, leaves, [column], values=(measured,))
    return builder.build(content_key="0" * 64, source_bytes=1)


@LAWS
@given(stacks, weights, st.sampled_from([side_by_side.KEY_BITS, 4]))
def test_calls_lie_in_their_callers_the_heaviest_first_and_those_of_one_weight_by_name(
    rows: list[list[int]], values: tuple[float, ...], key_bits: int
) -> None:
    trace = traced(rows, values)
    tree = trace.profiles[0].tree
    total = tree.total_values[0].tolist()
    expected: list[tuple[int, float, int]] = []
    left = [(-1, 0.0, 0)]
    while left:
        parent, start, depth = left.pop()
        children = np.flatnonzero(tree.parent == parent).tolist()
        for node in sorted(children, key=lambda child: (-total[child], trace.frame_name(int(tree.frame[child])))):
            expected.append((depth, start, node))
            left.append((node, start, depth + 1))
            start += total[node]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(side_by_side, "KEY_BITS", key_bits)  # with few of them numbers are not sorted as one
        boxes = left_heavy(trace).boxes
    row_of = np.repeat(np.arange(boxes.depth_count), np.diff(boxes.row_offsets)).tolist()
    expected.sort()
    assert list(zip(row_of, boxes.ref.tolist(), strict=True)) == [(row, node) for row, _, node in expected]
    assert boxes.start.tolist() == pytest.approx([start for _, start, _ in expected])
    assert (boxes.end - boxes.start).tolist() == pytest.approx([total[node] for _, _, node in expected])
    for first, last in pairwise(boxes.row_offsets.tolist()):
        assert (np.diff(boxes.start[first:last]) > 0).all()


def test_callers_of_more_functions_than_32_bits_count_stay_apart() -> None:
    many = (1 << 16) + 1
    number = np.arange(many, dtype=np.int32)
    nothing = (np.zeros(2 * many),)
    tree = CallTree(
        frame=np.concatenate((np.full(many, many - 2, np.int32), number)),  # one function calls all
        parent=np.concatenate((np.full(many, -1, np.int32), number)),
        depth=np.repeat(np.array([0, 1], np.int32), many),
        count=np.ones(2 * many, np.int64),
        outermost=np.ones(2 * many, np.uint8),
        self_values=nothing,
        total_values=nothing,
    )
    found = above(tree, np.arange(many, 2 * many), np.ones(many), np.ones(many, np.int64))
    assert found.parent[many:].tolist() == number.tolist()
    assert found.frame.tolist() == [*number.tolist(), *[many - 2] * many]
    assert found.self_value.tolist() == [0.0] * many + [1.0] * many


@LAWS
@given(stacks)
def test_callers_are_the_same_however_many_levels_are_added_up_at_once(rows: list[list[int]]) -> None:
    trace = traced(rows, (1, 1, 2, 3))
    at_once = call_tree(trace, inverted=True, max_nodes=999)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merged, "MAX_WAITING", 1)
        assert call_tree(trace, inverted=True, max_nodes=999) == at_once
