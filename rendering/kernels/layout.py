"""A tree's nodes side by side, heaviest first. In C: layout.c."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.kernels.library import call, kernels
from traces.kernels.library import contiguous, raise_for
from traces.levels import depth_levels
from traces.model import Int32, Int64

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Places:
    """Nodes with weight, row by row from left to right: row `r` is `row_offsets[r]:row_offsets[r + 1]`. `start` is the
    sum of the weights to the left, `end` that with the node's own."""

    node: Int32
    start: Float64
    end: Float64
    kind: Int32
    row_offsets: Int64


def side_by_side(parent: Int32, depth: Int32, weight: Float64, kind: Int32, rank: Int64) -> Places:
    """Places of a tree's nodes (parents first): siblings heaviest first, at a tie by the rank of their kind, then
    number; nodes without weight, or below one without, have none."""
    library = kernels()
    if library is None:
        return side_by_side_reference(parent, depth, weight, kind, rank)
    count = len(parent)
    node, kinds, start, end = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count), np.empty(count)
    ends = np.empty(count + 1, np.int64)
    tree = (contiguous(parent, np.int32), contiguous(weight, np.float64), contiguous(kind, np.int32))
    ranks = contiguous(rank, np.int64)
    rows = call(library.side_by_side, *tree, ranks, len(ranks), count, node, start, end, kinds, ends)
    raise_for(max(0, -rows), 0)
    offsets = np.concatenate(([0], ends[:rows]))
    shown = slice(int(offsets[-1]))
    return Places(node[shown], start[shown], end[shown], kinds[shown], offsets)


def side_by_side_reference(parent: Int32, depth: Int32, weight: Float64, kind: Int32, rank: Int64) -> Places:
    """The same in numpy, a row at a time."""
    start = np.zeros(len(parent))
    place = np.zeros(len(parent), np.int64)
    is_shown = weight > 0
    rows: list[Int64] = []
    for level in depth_levels(depth):
        is_shown[level] &= (parent[level] < 0) | is_shown[parent[level]]
        nodes = level[is_shown[level]]
        if not len(nodes):
            break
        above = parent[nodes]
        order = np.lexsort((nodes, rank[kind[nodes]], -weight[nodes], np.where(above >= 0, place[above], 0)))
        nodes, above = nodes[order], above[order]
        first = np.flatnonzero(np.concatenate(([True], above[1:] != above[:-1])))
        for low, high in zip(first.tolist(), np.append(first[1:], len(nodes)).tolist(), strict=True):
            base = start[above[low]] if above[low] >= 0 else 0.0
            sums = np.cumsum(np.concatenate(([base], weight[nodes[low:high]])))  # added one by one, as in C
            start[nodes[low:high]] = sums[:-1]
        place[nodes] = np.arange(len(nodes))
        rows.append(nodes)
    nodes = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int64)
    left = start[nodes]
    return Places(nodes.astype(np.int32), left, left + weight[nodes], kind[nodes], offsets)
