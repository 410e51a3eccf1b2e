"""A tree's nodes by depth: what makes a walk over it a few numpy calls a level."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.columns import counted

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Values = npt.NDArray[Any]
EXACT = float(1 << 53)
"""Below this, float64 holds every integer."""
RADIX = 1 << 16
"""Numpy sorts numbers below this by radix."""


@dataclass(frozen=True, slots=True)
class Levels:
    """`nodes` are those of one depth after the other, in node order each, `cuts` where each depth begins and the last
    ends. `above` is the place of each one's parent among them (of roots: any)."""

    nodes: Int64
    above: Int64
    cuts: tuple[int, ...]

    def sum_upwards(self, own: Values) -> Values:
        """Each node's own value and those of all nodes below it; children add from the last to the first."""
        sums = own[self.nodes]
        for first, last in zip(self.cuts[-2:0:-1], self.cuts[:1:-1], strict=True):
            values = sums[first:last][::-1].copy()  # else numpy copies all sums, lest they share memory
            np.add.at(sums, self.above[first:last][::-1], values)
        return self._by_node(sums)

    def at_or_below(self, matching: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which nodes match or lie below one that is."""
        found = matching[self.nodes]
        for first, last in zip(self.cuts[1:-1], self.cuts[2:], strict=True):
            found[first:last] |= found[self.above[first:last]]
        return self._by_node(found)

    def nearest(self, matching: npt.NDArray[np.bool_]) -> Int64:
        """The nearest matching node at or above each one, -1 where there is none."""
        found = np.where(matching[self.nodes], self.nodes, -1)
        if not matching.all():
            for first, last in zip(self.cuts[1:-1], self.cuts[2:], strict=True):
                here = found[first:last]
                np.copyto(here, found[self.above[first:last]], where=here < 0)
        return self._by_node(found)

    def sum_downwards(self, own: Values) -> Values:
        """Each node's own value and those of all nodes above it."""
        sums = own[self.nodes]
        for first, last in zip(self.cuts[1:-1], self.cuts[2:], strict=True):
            sums[first:last] += sums[self.above[first:last]]
        return self._by_node(sums)

    def _by_node(self, column: Values) -> Values:
        found = np.empty_like(column)
        found[self.nodes] = column
        return found


def is_integral(values: Values) -> bool:
    """Whether no sum of them is rounded."""
    if values.dtype.kind == "i":
        return True
    return bool((values == np.rint(values)).all() and np.abs(values).sum() < EXACT)


def levels_of(depth: Int32, parent: Int32 | Int64) -> Levels:
    """The levels of a tree with parents first."""
    nodes, cuts = by_depth(depth)
    place = np.empty(len(depth), np.int64)
    place[nodes] = np.arange(len(depth))
    return Levels(nodes, place[parent[nodes]], tuple(cuts.tolist()))


def by_depth(depth: Int32) -> tuple[Int64, Int64]:
    """The order of their depths, stable, and where each depth begins and the last ends in it."""
    if len(depth) == 0:
        return np.zeros(0, np.int64), np.zeros(1, np.int64)
    counts = counted(depth, int(depth.max()) + 1)
    keys = depth.astype(np.uint16) if len(counts) <= RADIX else depth
    return np.argsort(keys, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def depth_levels(depth: Int32) -> list[Int64]:
    """The nodes of each depth, in node order."""
    nodes, cuts = by_depth(depth)
    return np.split(nodes, cuts[1:-1]) if len(depth) else []
