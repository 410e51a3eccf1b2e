"""Call trees merged in other ways than from the root: below a frame (callees), above it (callers), bottom up."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.shared_paths import shared_paths
from traces.analysis.window import NodeValues
from traces.bounds import MAX_STACK_DEPTH
from traces.equal_rows import groups_of
from traces.kernels.trees import sum_by_node
from traces.model import NONE, CallTree, Int32, Int64, Values

MAX_WAITING = 1 << 16
"""Rows of a growing tree that are kept before they are added up."""


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


def full_tree(tree: CallTree, values: NodeValues) -> MergedTree:
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
    paths = shared_paths(tree.frame, inside, above, MAX_STACK_DEPTH)
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
    growth = _Growth(tree, weights, counts)
    nodes, rows, groups = starts, np.arange(len(starts)), np.full(len(starts), NONE, np.int64)
    largest_totals = np.zeros(0, weights.dtype)
    while len(nodes):
        group, totals = growth.level(groups, rows, nodes)
        callers = tree.parent[nodes]
        going = callers >= 0
        if largest is not None:
            # A caller has no more than what it calls: below the smallest of the largest so far nobody need look.
            largest_totals = np.sort(np.concatenate((largest_totals, totals)))[-largest:]
            if len(largest_totals) == largest:
                going &= (totals >= largest_totals[0])[group]
        kept = np.flatnonzero(going)
        nodes, rows = callers[kept].astype(np.int64), rows[kept]
        groups = group[kept].astype(np.int64) + (growth.size - len(totals))
    return growth.finish()


class _Growth:
    """A merged tree that grows by complete levels, out of rows with weights and counts that climb from a tree's nodes
    to their callers. Levels are many and small: what nodes have besides totals is added up for several at once."""

    def __init__(self, tree: CallTree, weights: Values, counts: Int64) -> None:
        self.size = 0
        self._tree, self._weights, self._counts = tree, weights, counts
        self._levels: list[tuple[Int64, Int32, Values]] = []
        self._waiting: list[tuple[Int64, Int64, Int32]] = []
        self._rows_waiting = self._first_waiting = 0
        self._sums: list[tuple[Values, Int64, Int64]] = []

    def level(self, parents: Int64, rows: Int64, nodes: Int64) -> tuple[Int32, Values]:
        """Add the next level: rows that stand at nodes of the tree merge by parent and frame. Returns which of the new
        nodes each row is part of, and their totals."""
        frames = self._tree.frame[nodes]
        group, first = groups_of((parents + 1) * (int(frames.max()) + 1) + frames)
        totals = sum_by_node(group, self._weights[rows], len(first))
        self._levels.append((parents[first], frames[first], totals))
        self._waiting.append((rows, nodes, group + np.int32(self.size - self._first_waiting)))
        self.size += len(first)
        self._rows_waiting += len(rows)
        if self._rows_waiting > MAX_WAITING:
            self._add_up()
        return group, totals

    def _add_up(self) -> None:
        """Self, count and the node of the largest part, of all levels that wait."""
        rows, nodes, group = (np.concatenate(column) for column in zip(*self._waiting, strict=True))
        size, weights = self.size - self._first_waiting, self._weights[rows]
        ended = np.flatnonzero(self._tree.parent[nodes] < 0)
        own, count = sum_by_node(group[ended], weights[ended], size), sum_by_node(group, self._counts[rows], size)
        self._sums.append((own, count, _heaviest(group, weights, nodes, size)))
        self._waiting, self._rows_waiting, self._first_waiting = [], 0, self.size

    def finish(self) -> MergedTree:
        if not self._levels:
            none = np.zeros(0, np.int32)
            empty, wide = np.zeros(0, self._weights.dtype), np.zeros(0, np.int64)
            return MergedTree(none, none, none, empty, empty, wide, wide)
        if self._waiting:
            self._add_up()
        parent, frame, total = (np.concatenate(column) for column in zip(*self._levels, strict=True))
        own, count, ref = (np.concatenate(column) for column in zip(*self._sums, strict=True))
        depth = np.repeat(np.arange(len(self._levels), dtype=np.int32), [len(level[0]) for level in self._levels])
        return MergedTree(frame, parent.astype(np.int32), depth, own, total, count, ref)


def _heaviest(group: Int32, total: Values, refs: Int64, size: int) -> Int64:
    """The first ref of the largest total in each group; no group is empty."""
    peak = np.full(size, -1, total.dtype)
    np.maximum.at(peak, group, total)
    rows = np.flatnonzero(total == peak[group])[::-1]  # the first is written last
    found = np.empty(size, np.int64)
    found[group[rows]] = refs[rows]
    return found
