"""Parts of a call tree, and the tree without recursion."""

import numpy as np

from traces.analysis.merged import MergedTree
from traces.kernels.trees import outermost
from traces.levels import depth_levels
from traces.model import NONE, Int32, Int64


def subtree(tree: MergedTree, roots: Int64) -> tuple[MergedTree, Int64]:
    """The roots and what they call, with the roots at depth 0, and each node's number in the given tree. No root may
    lie below another."""
    is_root = np.zeros(len(tree), bool)
    is_root[roots] = True
    base = np.where(is_root, tree.depth, NONE).astype(np.int32)  # the depth of the root above, -1 outside
    for nodes in depth_levels(tree.depth)[1:]:
        base[nodes] = np.where(is_root[nodes], base[nodes], base[tree.parent[nodes]])
    kept = np.flatnonzero(base >= 0)
    place = np.full(len(tree) + 1, NONE, np.int32)  # the last one is where -1 leads
    place[kept] = np.arange(len(kept), dtype=np.int32)
    part = MergedTree(
        tree.frame[kept],
        np.where(is_root[kept], NONE, place[tree.parent[kept]]).astype(np.int32),
        tree.depth[kept] - base[kept],
        tree.self_value[kept],
        tree.total_value[kept],
        tree.count[kept],
        tree.ref[kept],
    )
    return part, kept


def depth_without_recursion(tree: MergedTree) -> tuple[Int32, Int64]:
    """For each node its depth when every function is drawn once in a stack, -1 for a recursive call, and the innermost
    call that is kept: itself, or one above."""
    kept = outermost(tree.frame, tree.parent) == 1
    anchor = np.arange(len(tree), dtype=np.int64)
    depth = np.zeros(len(tree), np.int32)
    for nodes in depth_levels(tree.depth)[1:]:
        above = anchor[tree.parent[nodes]]
        depth[nodes] = depth[above] + 1
        anchor[nodes] = np.where(kept[nodes], nodes, above)
    return np.where(kept, depth, NONE).astype(np.int32), anchor


def without_recursion(tree: MergedTree) -> MergedTree:
    """The tree with each function once in a stack: what a recursive call spends itself belongs to the innermost kept
    call. Calls that thereby come to have one path are merged."""
    depth, anchor = depth_without_recursion(tree)
    own = np.zeros(len(tree), tree.self_value.dtype)
    np.add.at(own, anchor, tree.self_value)
    kept = np.flatnonzero(depth >= 0)
    group = np.full(len(tree), NONE, np.int64)
    levels: list[MergedTree] = []
    size = 0
    for level in depth_levels(depth[kept]):
        nodes = kept[level]
        parents = np.where(depth[nodes] > 0, group[anchor[tree.parent[nodes]]], NONE)
        keys, first, inverse = np.unique(
            (parents + 1) << 32 | tree.frame[nodes], return_index=True, return_inverse=True
        )
        sums = [np.zeros(len(keys), column.dtype) for column in (own, tree.total_value, tree.count)]
        for column, rows in zip(sums, (own, tree.total_value, tree.count), strict=True):
            np.add.at(column, inverse, rows[nodes])
        heaviest = nodes[np.lexsort((-tree.total_value[nodes], inverse))]
        refs = tree.ref[heaviest[np.searchsorted(np.sort(inverse), np.arange(len(keys)))]]
        depths = np.full(len(keys), len(levels), np.int32)
        mine, total, count = sums
        frame, parent = tree.frame[nodes[first]], parents[first].astype(np.int32)
        group[nodes] = inverse + size
        size += len(keys)
        levels.append(MergedTree(frame, parent, depths, mine, total, count, refs))
    if not levels:
        return tree
    columns = (np.concatenate([getattr(merged, name) for merged in levels]) for name in MergedTree.__dataclass_fields__)
    return MergedTree(*columns)
