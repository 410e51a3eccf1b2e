"""The boxes of a merged tree: calls side by side, the heaviest first."""

import numpy as np

from traces.analysis.boxes import Boxes
from traces.analysis.merged import MergedTree
from traces.analysis.selection import Selection
from traces.equal_rows import distinct
from traces.levels import Levels, by_depth, is_integral, levels_of
from traces.model import NONE, Int32, Int64, Values

KEY_BITS = 62
"""Two numbers that fit in so many bits are sorted as one."""


def heaviest_first(chosen: Selection, tree: MergedTree, levels: Levels | None = None) -> Boxes:
    """A merged tree as boxes side by side: siblings heaviest first, ties by name, nothing for nodes without weight.
    The highest of the others are the roots. `levels` are the tree's, where somebody keeps them."""
    nodes = np.flatnonzero(tree.total_value > 0)
    total, frame, parent = tree.total_value[nodes], tree.frame[nodes], tree.parent[nodes].astype(np.int64)
    left = np.zeros(len(tree), total.dtype)
    left[nodes] = _left(parent, total, chosen.trace.name_ranks[frame])
    start = (levels or levels_of(tree.depth, tree.parent)).sum_downwards(left)[nodes]
    depth = tree.depth[nodes]
    order, rows = _in_rows(depth - depth.min() if len(depth) else depth, start)
    start = start[order].astype(np.float64, copy=False)
    end = start + total[order]
    return Boxes(
        start=start,
        end=end,
        frame=frame[order],
        ref=chosen.refs(tree.ref[nodes[order]]),
        row_offsets=rows,
        ref_kind="node",
        unit=chosen.unit,
        axis_start=0.0,
        axis_end=end[rows[1] - 1].item() if len(end) else 0.0,
    )


def _left(parent: Int64, total: Values, rank: Int64) -> Values:
    """Where each node begins in its parent: behind its heavier siblings, at a tie behind those of a lower rank."""
    left = np.zeros(len(total), total.dtype)
    several = np.flatnonzero(np.bincount(parent + 1)[parent + 1] > 1)  # an only child begins where its parent does
    if len(several) == 0:
        return left
    order = several[_heaviest_siblings(parent[several], total[several], rank[several])]
    before = np.concatenate((np.zeros(1, total.dtype), np.cumsum(total[order])[:-1]))  # with all earlier parents'
    first = np.flatnonzero(np.diff(parent[order], prepend=NONE - 1))
    left[order] = before - np.repeat(before[first], np.diff(first, append=len(order)))
    return left


def _heaviest_siblings(parent: Int64, total: Values, rank: Int64) -> Int64:
    """Children of one parent after the other, the heaviest first, at a tie by rank."""
    weight = total.astype(np.int64, copy=False)
    if not is_integral(total) or _bits(parent + 1) + _bits(weight) > KEY_BITS:
        weight = np.searchsorted(distinct(total), total)  # how many different totals are less
    keys = (parent + 1 << _bits(weight)) | (int(weight.max()) - weight)
    order = np.argsort(keys)
    ranked = keys[order]
    differs = np.concatenate(([True], ranked[1:] != ranked[:-1], [True]))
    tied = np.flatnonzero(~(differs[1:] & differs[:-1]))
    if len(tied):
        rows, group = order[tied], np.cumsum(differs[:-1])[tied]
        order[tied] = rows[np.argsort(group * (int(rank.max()) + 1) + rank[rows])]
    return order


def _in_rows(depth: Int32, start: Values) -> tuple[Int64, Int64]:
    """The order by depth, then start, and where each depth begins and the last ends in it."""
    if len(depth) and is_integral(start) and _bits(depth) + _bits(start) <= KEY_BITS:
        keys = depth.astype(np.int64) << _bits(start) | start.astype(np.int64, copy=False)
        return np.argsort(keys), np.concatenate(([0], np.cumsum(np.bincount(depth))))
    from_left = np.argsort(start)
    in_rows, rows = by_depth(depth[from_left])
    return from_left[in_rows], rows


def _bits(values: Values) -> int:
    """As many as the largest of these numbers takes, none of which is negative."""
    return int(values.max()).bit_length()
