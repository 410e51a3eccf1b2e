"""spans.c and tree.c against their references."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.kernels.columns_alike import assert_same, int32, int64, small
from traces.kernels import columns, spans, trees
from traces.kernels.library import NotReadable, kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
DEPTH = 4


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), small), max_size=40))
def test_spans_become_nodes_and_sums_alike(slices: list[tuple[int, int, int]]) -> None:
    start = int64([s for s, _, _ in slices])
    nested = spans.nest(start, start + int64([d for _, d, _ in slices]), 100)
    frame = int32([f for _, _, f in slices])[nested.source]
    begin = start[nested.source]
    paths = trees.paths_of_spans(frame, nested.parent, DEPTH)
    assert_same(paths, trees.paths_of_spans_reference(frame, nested.parent, DEPTH))
    own = spans.self_durations(begin, nested.end, nested.parent)
    np.testing.assert_array_equal(own, spans.self_durations_reference(begin, nested.end, nested.parent))
    spent = (begin, nested.end, nested.parent, paths.leaf, len(paths))
    for mine, reference in zip(spans.sum_spans(*spent), spans.sum_spans_reference(*spent), strict=True):
        np.testing.assert_array_equal(mine, reference)
    assert_same(trees.paths_of_spans(frame, nested.parent, DEPTH, owned=True), paths)  # over the frames


@given(st.lists(st.tuples(st.integers(-1, 6), st.sampled_from([0, 0, 0, 5, 1 << 57])), max_size=40))
def test_rows_are_added_up_and_counted_by_node_alike(rows: list[tuple[int, int]]) -> None:
    node, value = int32([node for node, _ in rows]), int64([value for _, value in rows])
    found = []
    for library in (kernels, lambda: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trees, "kernels", library)
            patch.setattr(columns, "kernels", library)
            sums = [trees.sum_by_node(node, values, 7) for values in (value, value.astype(np.float64))]
            found.append([column.tolist() for column in (*sums, columns.counted(node, 7))])
    assert found[0] == found[1]


@given(st.lists(st.lists(small, max_size=7), max_size=30), st.booleans())
def test_stacks_become_paths_alike(stacks: list[list[int]], inner_first: bool) -> None:
    frames = int32([frame for stack in stacks for frame in stack])
    ends = np.cumsum(int64([len(stack) for stack in stacks])).astype(np.int64)
    mine = trees.paths_of_stacks(frames, ends, DEPTH, inner_first=inner_first)
    assert_same(mine, trees.paths_of_stacks_reference(frames, ends, DEPTH, inner_first=inner_first))


parents = st.lists(st.integers(-1, 100), max_size=40).map(lambda ps: [min(p, i - 1) for i, p in enumerate(ps)])
chains = st.integers(1, 40).map(lambda size: list(range(-1, size - 1)))
graphs = st.lists(st.integers(-2, 7), min_size=8, max_size=8)
"""Of nodes: most have a cycle, or a parent that is not there."""


@given(st.data())
def test_samples_of_a_profilers_own_tree_become_paths_alike(data: st.DataObject) -> None:
    above = int32(data.draw(parents.filter(bool) | chains | graphs))
    size = len(above)
    alike = st.lists(st.integers(-1, 4), min_size=size, max_size=size)
    frame = int32(data.draw(alike | st.permutations(range(-1, size - 1))))  # so that no siblings are of one frame, too
    on_top = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    samples = int32(data.draw(st.lists(st.integers(0, size - 1), max_size=20)))
    max_depth = data.draw(st.sampled_from([2, 100]))
    results: list[Any] = []
    for function in (trees.paths_of_nodes, trees.paths_of_nodes_reference):
        try:
            results.append(function(above, frame, on_top, samples, max_depth))
        except (NotReadable, trees.CycleFound) as error:
            results.append(type(error))
    if isinstance(results[0], trees.Paths):
        assert_same(*results)
    else:
        assert results[0] is results[1]


def test_garbage_collection_goes_on_top_of_what_ran_once() -> None:
    # root, main, draw below main, gc below root
    above, frame = int32([-1, 0, 1, 0]), int32([-1, 0, 1, 2])
    on_top = np.array([False, False, False, True])
    paths = trees.paths_of_nodes(above, frame, on_top, int32([0, 2, 3, 3, 1, 3]), 100)
    assert paths.leaf.tolist() == [-1, 1, 2, 2, 0, 3]
    assert paths.parent.tolist() == [-1, 0, 1, 0]


def test_what_lies_under_something_on_top_is_found_again() -> None:
    # main, gc and program side by side
    nodes = int32([-1, -1, -1]), int32([0, 1, 2]), np.array([False, True, True])
    for find in (trees.paths_of_nodes, trees.paths_of_nodes_reference):
        paths = find(*nodes, int32([0, 1, 2, 1, 0]), 100)
        assert paths.leaf.tolist() == [0, 1, 2, 1, 0]
        assert paths.parent.tolist() == [-1, 0, 1]


@given(parents, st.data())
def test_sums_over_a_tree_are_alike_to_the_last_bit(above: list[int], data: st.DataObject) -> None:
    size = len(above)
    frame = int32(data.draw(st.lists(small, min_size=size, max_size=size)))
    own = np.array(data.draw(st.lists(st.floats(0, 1e9), min_size=size, max_size=size)), np.float64)
    parent = int32(above)
    for values in (own, own.astype(np.int64)):
        np.testing.assert_array_equal(trees.sum_upwards(values, parent), trees.sum_upwards_reference(values, parent))
    np.testing.assert_array_equal(trees.outermost(frame, parent), trees.outermost_reference(frame, parent))


@pytest.mark.parametrize(
    "call",
    [
        lambda: trees.paths_of_spans(int32([0, 0]), int32([1, -1]), DEPTH),
        lambda: trees.sum_upwards(int64([1, 2]), int32([0, 5])),
        lambda: trees.sum_by_node(int32([7]), int64([1]), 2),
        lambda: trees.outermost(int32([0, -4]), int32([-1, 0])),
        lambda: trees.paths_of_nodes(int32([9]), int32([0]), np.array([False]), int32([0]), DEPTH),
        lambda: trees.paths_of_nodes(int32([-1]), int32([0]), np.array([False]), int32([3]), DEPTH),
        lambda: spans.sum_spans(int64([0]), int64([5]), int32([-1]), int32([9]), 1),
        lambda: spans.self_durations(int64([0]), int64([5]), int32([4])),
    ],
)
def test_an_index_out_of_range_is_refused_not_followed(call: Any) -> None:
    with pytest.raises((NotReadable, trees.CycleFound)):
        call()


@pytest.mark.parametrize("deep", [1, 3, 40, 400])
def test_nodes_that_are_met_far_from_the_one_before_are_outermost_as_any_other(deep: int) -> None:
    """Three deep paths, of which each node is met in turn, and what they call after that."""
    parent = [-1, -1, -1, *range(3 * deep)] + [3 * deep + number % 3 for number in range(60)]
    frame = [number * 7 % 5 + number % 3 for number in range(len(parent))]
    flags = trees.outermost(int32(frame), int32(parent))
    np.testing.assert_array_equal(flags, trees.outermost_reference(int32(frame), int32(parent)))


@pytest.mark.long
def test_trees_as_deep_as_they_may_be_take_no_longer_for_each_node() -> None:
    deep = 300_000  # a step for each pair of nodes above each other would take hours
    parent = np.concatenate((np.arange(-1, deep - 1), np.arange(deep))).astype(np.int32)
    frame = np.concatenate((np.arange(deep) % 1_000, np.arange(deep) % 1_500)).astype(np.int32)
    flags = trees.outermost_reference(frame, parent)
    np.testing.assert_array_equal(flags, trees.outermost(frame, parent))
    assert flags[:1_001].tolist() == [1] * 1_000 + [0]
    own = np.ones(2 * deep, np.int64)
    np.testing.assert_array_equal(trees.sum_upwards_reference(own, parent), trees.sum_upwards(own, parent))
