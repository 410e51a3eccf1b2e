"""Parts of a call tree, and the tree without recursion, by hand."""

import numpy as np

from traces.analysis.merged import MergedTree
from traces.analysis.subtrees import depth_without_recursion, subtree

#     0 a
#     1   b        4   b
#     2     c      5     a
#     3       d    6       b
FRAME = np.array([0, 1, 2, 3, 1, 0, 1], np.int32)
PARENT = np.array([-1, 0, 1, 2, 0, 4, 5], np.int32)
DEPTH = np.array([0, 1, 2, 3, 1, 2, 3], np.int32)
VALUE = np.arange(7, dtype=np.int64)
TREE = MergedTree(FRAME, PARENT, DEPTH, VALUE, VALUE * 10, VALUE + 1, VALUE + 100)


def test_a_subtree_has_its_root_at_the_top_with_all_that_it_calls() -> None:
    part, kept = subtree(TREE, np.array([1], np.int64))
    assert kept.tolist() == [1, 2, 3]
    assert (part.frame.tolist(), part.parent.tolist(), part.depth.tolist()) == ([1, 2, 3], [-1, 0, 1], [0, 1, 2])
    assert (part.self_value.tolist(), part.total_value.tolist()) == ([1, 2, 3], [10, 20, 30])
    assert (part.count.tolist(), part.ref.tolist()) == ([2, 3, 4], [101, 102, 103])


def test_several_roots_stand_side_by_side() -> None:
    part, kept = subtree(TREE, np.array([2, 5], np.int64))
    assert kept.tolist() == [2, 3, 5, 6]
    assert (part.parent.tolist(), part.depth.tolist()) == ([-1, 0, -1, 2], [0, 1, 0, 1])


def test_without_recursion_a_call_is_drawn_as_the_nearest_that_is_kept() -> None:
    depth, anchor = depth_without_recursion(TREE)
    assert depth.tolist() == [0, 1, 2, 3, 1, -1, -1]
    assert anchor.tolist() == [0, 1, 2, 3, 4, 4, 4]
