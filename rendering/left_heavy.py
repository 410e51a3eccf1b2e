"""Call trees side by side, heaviest first: the layout of left heavy, sandwich and diff."""

from collections.abc import Callable

import numpy as np

from rendering.kernels.layout import side_by_side
from rendering.rows import BoxRows
from traces.analysis.merged import MergedTree
from traces.model import Int32, Int64, Trace


def heaviest_first(trace: Trace, tree: MergedTree) -> BoxRows:
    """Boxes of a tree from 0 on its value's axis: siblings heaviest first, ties by name, nothing without weight."""
    weight = tree.total_value.astype(np.float64)
    ranks = trace.name_ranks if len(tree) >= len(trace.frames) else name_ranks(trace.frame_name, tree.frame)
    places = side_by_side(tree.parent, tree.depth, weight, tree.frame, ranks)
    return BoxRows(places.start, places.end, places.kind, places.row_offsets)


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
