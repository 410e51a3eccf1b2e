"""Call trees merged in other ways than from the root: below a frame (callees), above it (callers), bottom up."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from traces.analysis.window import NodeValues
from traces.bounds import MAX_STACK_DEPTH
from traces.kernels.distinct import groups_of, shared_paths
from traces.kernels.trees import sum_by_node
from traces.model import NONE, CallTree, Int32, Int64, Values


@dataclass(frozen=True, slots=True)
class MergedTree:
    """Nodes with parents first; self + children = total. `ref` is the call-tree node (local index) of the largest part.

    In a tree of callers "self" is what came from no further caller.
    """

    frame: Int32
    parent: Int32
    depth: Int32
    self_value: Values
    total_value: Values
    count: Int64
    ref: Int64

    def __len__(self) -> int:
        return len(self.frame)


def whole_tree(tree: CallTree, values: NodeValues) -> MergedTree:
    """The call tree itself."""
    refs = np.arange(len(tree), dtype=np.int64)
    return MergedTree(tree.frame, tree.parent, tree.depth, values.self_value, values.total_value, values.count, refs)


def below(tree: CallTree, values: NodeValues, starts: Int64) -> MergedTree:
    """What the start nodes and their callees spent, merged by path from the start. No start may lie below another."""
    is_start = np.zeros(len(tree), bool)
    is_start[starts] = True
    inside = tree.levels.at_or_below(is_start)
    nodes = np.flatnonzero(inside)
    above = np.where(is_start, NONE, tree.parent)[nodes].astype(np.int64)
    if len(starts) == 1:  # no two nodes below it have one path
        place = np.full(len(tree) + 1, NONE, np.int32)
        place[nodes] = np.arange(len(nodes), dtype=np.int32)
        own, total, count = (column[nodes] for column in (values.self_value, values.total_value, values.count))
        depth = tree.depth[nodes] - tree.depth[starts]
        return MergedTree(tree.frame[nodes], place[above], depth, own, total, count, nodes)
    paths = shared_paths(tree.levels, tree.frame, inside, above, MAX_STACK_DEPTH)
    size = len(paths.frame)
    return MergedTree(
        paths.frame,
        paths.parent,
        paths.depth,
        sum_by_node(paths.leaf, values.self_value[nodes], size),
        sum_by_node(paths.leaf, values.total_value[nodes], size),
        sum_by_node(paths.leaf, values.count[nodes], size),
        _heaviest(paths.leaf, values.total_value[nodes], nodes, size),
    )


def above(tree: CallTree, starts: Int64, weights: Values, counts: Int64, *, largest: int | None = None) -> MergedTree:
    """Who called the start nodes: their frames are the roots, callers the children, with the starts' weights.

    With `largest`, callers are followed only as far as the so many nodes of largest total need it.
    """
    growth = _Growth(weights.dtype)
    nodes, groups = starts, np.full(len(starts), NONE, np.int64)
    totals = np.zeros(0, weights.dtype)
    while len(nodes):
        callers = tree.parent[nodes]
        called = callers >= 0
        ends = weights.copy()
        ends[called] = 0
        here = growth.level(groups, tree.frame[nodes], ends, weights, counts, nodes)
        going = called
        if largest is not None:
            # A caller has no more than what it calls: below the smallest of the largest so far nobody need look.
            new = growth.last_totals
            totals = np.sort(np.concatenate((totals, new)))[-largest:]
            if len(totals) == largest:
                going &= (new >= totals[0])[here - (growth.size - len(new))]
        rows = np.flatnonzero(going)
        nodes, groups = callers[rows].astype(np.int64), here[rows]
        weights, counts = weights[rows], counts[rows]
    return growth.finish()


class _Growth:
    """A merged tree that grows by whole levels."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self.size = 0
        self._levels: list[tuple[Int64, Int64, Values, Values, Int64, Int64]] = []

    def level(self, parents: Int64, frames: Int32, own: Values, total: Values, count: Int64, refs: Int64) -> Int64:
        """Add the next level from rows that merge by parent and frame; returns each row's node."""
        inverse, first = groups_of((parents + 1) * (int(frames.max()) + 1) + frames)
        size = len(first)
        sums = [sum_by_node(inverse, column, size) for column in (own, total, count)]
        ref = _heaviest(inverse, total, refs, size)
        self._levels.append((parents[first], frames[first].astype(np.int64), sums[0], sums[1], sums[2], ref))
        here: Int64 = inverse.astype(np.int64) + self.size
        self.size += size
        return here

    @property
    def last_totals(self) -> Values:
        """The totals of the newest level."""
        return self._levels[-1][3]

    def finish(self) -> MergedTree:
        if not self._levels:
            none = np.zeros(0, np.int32)
            empty, wide = np.zeros(0, self._dtype), np.zeros(0, np.int64)
            return MergedTree(none, none, none, empty, empty, wide, wide)
        parent, frame, own, total, count, ref = (np.concatenate(c) for c in zip(*self._levels, strict=True))
        depth = np.repeat(np.arange(len(self._levels)), [len(level[0]) for level in self._levels])
        return MergedTree(
            frame.astype(np.int32), parent.astype(np.int32), depth.astype(np.int32), own, total, count, ref
        )


def _heaviest(group: Int32, total: Values, refs: Int64, size: int) -> Int64:
    """The first ref of the largest total in each group; no group is empty."""
    peak = np.full(size, -1, total.dtype)
    np.maximum.at(peak, group, total)
    rows = np.flatnonzero(total == peak[group])[::-1]  # the first is written last
    found = np.empty(size, np.int64)
    found[group[rows]] = refs[rows]
    return found
