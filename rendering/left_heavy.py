"""Call trees side by side, heaviest first: the layout of left heavy, sandwich and diff."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.kernels.cells import Cells, Rgb8, Scale
from rendering.kernels.layout import kinds_in_rows, merge_tree, rows_of_tree, side_by_side
from rendering.rows import BoxRows
from traces.analysis.merged import MergedTree
from traces.model import Int32, Int64, Trace


@dataclass(frozen=True, slots=True)
class TreeRows:
    """The boxes of `heaviest_first`, placed while their cells are made: of a tree of a million nodes no column is
    written. `row` is that of each node (-1: it has no box), `rank` that of each frame by name."""

    tree: MergedTree
    row: Int32
    rank: Int64
    depth_count: int

    def cells(self, depths: range, scale: Scale, palette: Rgb8) -> tuple[list[Cells], int]:
        tree = self.tree
        cells, hidden = merge_tree(
            tree.parent, self.row, tree.total_value, tree.frame, self.rank, depths, scale, palette
        )
        return cells, int(hidden.sum())

    def kinds(self, depths: range, count: int) -> npt.NDArray[np.bool_]:
        return kinds_in_rows(self.row, self.tree.frame, depths, count)


def rows_heaviest_first(trace: Trace, tree: MergedTree) -> TreeRows:
    """The rows of `heaviest_first`."""
    rank = _ranks(trace, tree)
    row, count = rows_of_tree(tree.parent, tree.depth, tree.total_value, tree.frame, rank)
    return TreeRows(tree, row, rank, count)


def heaviest_first(trace: Trace, tree: MergedTree) -> BoxRows:
    """Boxes of a tree from 0 on its value's axis: siblings heaviest first, ties by name, nothing without weight."""
    places = side_by_side(tree.parent, tree.depth, tree.total_value, tree.frame, _ranks(trace, tree))
    return BoxRows(places.start, places.end, places.kind, places.row_offsets)


def _ranks(trace: Trace, tree: MergedTree) -> Int64:
    return trace.name_ranks if len(tree) >= len(trace.frames) else name_ranks(trace.frame_name, tree.frame)


def name_ranks(name: Callable[[int], str], items: Int32) -> Int64:
    """Of each number up to the largest item: the place of its name among those of all items, sorted by name, then
    number; 0 of what is none of them. Items are indices."""
    if not len(items):
        return np.empty(0, np.int64)
    ranks = np.zeros(int(items.max()) + 1, np.int64)
    ranks[items] = 1
    numbers = np.flatnonzero(ranks)
    names = [name(number) for number in numbers.tolist()]
    ranks[numbers[sorted(range(len(names)), key=names.__getitem__)]] = np.arange(len(names))
    return ranks
