"""A tree's nodes side by side, heaviest first. In C: layout.c."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rendering.kernels.cells import CellRoom, Cells, Rgb8, Scale, merge_boxes_reference
from rendering.kernels.library import call, kernels
from traces.kernels.library import contiguous, raise_for
from traces.levels import depth_levels
from traces.model import NONE, Int32, Int64, Values

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


def side_by_side(parent: Int32, depth: Int32, weight: Values, kind: Int32, rank: Int64) -> Places:
    """Places of a tree's nodes (parents first): siblings heaviest first, at a tie by the rank of their kind, then
    number; nodes without weight, or below one without, have none."""
    library = kernels()
    if library is None:
        return side_by_side_reference(parent, depth, weight, kind, rank)
    level, rows = rows_of_tree(parent, depth, weight, kind, rank)
    count = len(parent)
    node, kinds, start, end = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count), np.empty(count)
    ends = np.zeros(rows, np.int64)
    columns = _columns(parent, level, weight, kind, rank)
    raise_for(call(library.side_by_side, *columns, count, rows, node, start, end, kinds, ends), 0)
    offsets = np.concatenate((np.zeros(1, np.int64), ends))
    shown = slice(int(offsets[-1]))
    return Places(node[shown], start[shown], end[shown], kinds[shown], offsets)


def side_by_side_reference(
    parent: Int32, depth: Int32, weight: Values, kind: Int32, rank: Int64, scale: Scale | None = None
) -> Places:
    """The same in numpy, a row at a time. With a scale, siblings below a node that lies in one pixel are in order of
    their number."""
    weight = weight.astype(np.float64)
    start = np.zeros(len(parent))
    place = np.zeros(len(parent), np.int64)
    narrow = np.zeros(len(parent), np.bool_)
    is_shown = weight > 0
    rows: list[Int64] = []
    for level in depth_levels(depth):
        is_shown[level] &= (parent[level] < 0) | is_shown[parent[level]]
        nodes = level[is_shown[level]]
        if not len(nodes):
            break
        above = parent[nodes]
        seen = (above < 0) | ~narrow[above]
        keys = np.where(seen, rank[kind[nodes]], 0), np.where(seen, -weight[nodes], 0)
        order = np.lexsort((nodes, *keys, np.where(above >= 0, place[above], 0)))
        nodes, above = nodes[order], above[order]
        first = np.flatnonzero(np.concatenate(([True], above[1:] != above[:-1])))
        for low, high in zip(first.tolist(), np.append(first[1:], len(nodes)).tolist(), strict=True):
            base = start[above[low]] if above[low] >= 0 else 0.0
            sums = np.cumsum(np.concatenate(([base], weight[nodes[low:high]])))  # added one by one, as in C
            start[nodes[low:high]] = sums[:-1]
        place[nodes] = np.arange(len(nodes))
        if scale is not None:
            narrow[nodes] = scale.in_one_pixel(scale.place(start[nodes]), scale.place(start[nodes] + weight[nodes]))
        rows.append(nodes)
    nodes = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int64)
    left = start[nodes]
    return Places(nodes.astype(np.int32), left, left + weight[nodes], kind[nodes], offsets)


def rows_of_tree(parent: Int32, depth: Int32, weight: Values, kind: Int32, rank: Int64) -> tuple[Int32, int]:
    """The row of each node, -1 where it has no place, and how many rows there are."""
    library = kernels()
    if library is None:
        return rows_of_tree_reference(parent, depth, weight)
    level = np.empty(len(parent), np.int32)
    columns = (contiguous(parent, np.int32), *_weights(weight), contiguous(kind, np.int32))
    rows = call(library.find_rows, *columns, len(rank), len(parent), level)
    raise_for(max(0, -rows), 0)
    return level, rows


def rows_of_tree_reference(parent: Int32, depth: Int32, weight: Values) -> tuple[Int32, int]:
    """The same in numpy, a row at a time."""
    row = np.full(len(parent), NONE, np.int32)
    for nodes in depth_levels(depth):
        above = parent[nodes]
        shown = (weight[nodes] > 0) & ((above < 0) | (row[above] >= 0))
        row[nodes[shown]] = depth[nodes[shown]]
    return row, int(row.max(initial=NONE)) + 1


def kinds_in_rows(row: Int32, kind: Int32, rows: range, count: int) -> npt.NDArray[np.bool_]:
    """Which of `count` kinds the items in some rows have."""
    used = np.zeros(count, np.bool_)
    library = kernels()
    if library is None:
        used[kind[(row >= rows.start) & (row < rows.stop)]] = True
        return used
    columns = contiguous(row, np.int32), contiguous(kind, np.int32)
    raise_for(call(library.find_kinds, *columns, len(row), rows.start, rows.stop, count, used), 0)
    return used


def merge_tree(
    parent: Int32, row: Int32, weight: Values, kind: Int32, rank: Int64, rows: range, scale: Scale, palette: Rgb8
) -> tuple[list[Cells], Int64]:
    """Cells of some rows of a tree whose nodes lie side by side, and how many boxes of each the scale hides. `row` is
    that of each node; no column of their places is made. Below a node that lies in one pixel siblings are in order of
    their number: nobody sees it, and most nodes of a large tree need not be sorted."""
    library = kernels()
    if library is None:
        return merge_tree_reference(parent, row, weight, kind, rank, rows, scale, palette)
    columns = _columns(parent, row, weight, kind, rank)
    room = CellRoom(len(rows), scale.width)
    raise_for(
        call(
            library.merge_tree,
            *columns,
            len(parent),
            rows.start,
            len(rows),
            *scale.numbers,
            np.ascontiguousarray(palette),
            len(palette),
            *room.columns,
        ),
        0,
    )
    return room.cells(), room.hidden


def merge_tree_reference(
    parent: Int32, row: Int32, weight: Values, kind: Int32, rank: Int64, rows: range, scale: Scale, palette: Rgb8
) -> tuple[list[Cells], Int64]:
    """The same by way of the places."""
    shown = row >= 0
    places = side_by_side_reference(parent, np.where(shown, row, 0), np.where(shown, weight, 0), kind, rank, scale)
    found, hidden = [], np.zeros(len(rows), np.int64)
    for index, at in enumerate(rows):
        part = slice(int(places.row_offsets[at]), int(places.row_offsets[at + 1]))
        cells, hidden[index : index + 1] = merge_boxes_reference(
            places.start[part], places.end[part], places.kind[part], scale, palette
        )
        found += cells
    return found, hidden


def _weights(weight: Values) -> tuple[Int64 | None, Float64 | None]:
    """Integers or others."""
    is_integer = weight.dtype == np.int64
    return (contiguous(weight, np.int64), None) if is_integer else (None, contiguous(weight, np.float64))


def _columns(parent: Int32, row: Int32, weight: Values, kind: Int32, rank: Int64) -> tuple[Any, ...]:
    """Of a tree, as the kernels take it."""
    tree = contiguous(parent, np.int32), contiguous(row, np.int32), *_weights(weight)
    return (*tree, contiguous(kind, np.int32), contiguous(rank, np.int64))
