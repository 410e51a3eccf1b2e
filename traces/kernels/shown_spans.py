"""The calls that a transformed call tree shows, and what each has itself. In C: shown_spans.c."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.columns import pick
from traces.kernels.library import call, contiguous, kernels, raise_for
from traces.kernels.trees import NONE, sum_by_node

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Values = npt.NDArray[Any]
KERNELS = {np.dtype(np.int64): "shown_spans_int64", np.dtype(np.float64): "shown_spans_float64"}
"""By the type of what calls have themselves."""


@dataclass(frozen=True, slots=True)
class ShownSpans:
    """`place` of each call that was recorded: which of those shown it is or lies in, -1 for none. Of each one shown:
    its `row` among the recorded, which of the shown is `above` it (-1: none), its `node` in the other tree, and what
    is its `own`, with what calls in it had that went into it."""

    place: Int32
    row: Int64
    above: Int32
    node: Int32
    own: Values


def shown_spans(node: Int32, parent: Int32, self_value: Values, shown: Int32, leaf: Int32) -> ShownSpans:
    """Of calls with parents first. `shown` leads from the node of a call to the one that stands for it in the other
    tree, `leaf` to the one that has what was spent in it, -1 where there is none. Raises NotReadable for nodes that do
    not exist and parents that come later."""
    library = kernels()
    kernel = KERNELS.get(self_value.dtype)
    if library is None or kernel is None:
        return shown_spans_reference(node, parent, self_value, shown, leaf)
    count = len(node)
    place, above, to = (np.empty(count, np.int32) for _ in range(3))
    row, own = np.empty(count, np.int64), np.empty(count, self_value.dtype)
    spans = contiguous(node, np.int32), contiguous(parent, np.int32), contiguous(self_value, self_value.dtype)
    tree = contiguous(shown, np.int32), contiguous(leaf, np.int32), len(shown)
    kept = call(getattr(library, kernel), *spans, count, *tree, place, row, above, to, own)
    raise_for(max(0, -kept), 0)
    return ShownSpans(place, row[:kept], above[:kept], to[:kept], own[:kept])


def shown_spans_reference(node: Int32, parent: Int32, self_value: Values, shown: Int32, leaf: Int32) -> ShownSpans:
    """The same in numpy."""
    to = pick(shown, node)
    rows = np.flatnonzero(to >= 0)
    place = np.full(len(node), NONE, np.int32)
    place[rows] = np.arange(len(rows), dtype=np.int32)
    around = np.where(to >= 0, place, parent)  # of those not shown first the recorded call around it
    waiting = np.flatnonzero((to < 0) & (parent >= 0))
    while len(waiting):
        further = around[waiting]
        is_there = to[further] >= 0
        around[waiting[is_there]] = place[further[is_there]]
        waiting, further = waiting[~is_there], further[~is_there]
        around[waiting] = np.where(further >= 0, parent[further], NONE)
        waiting = waiting[around[waiting] >= 0]
    above = parent[rows]
    goes = np.where(pick(leaf, node) >= 0, around, NONE).astype(np.int32)
    own = sum_by_node(goes, self_value, len(rows))
    return ShownSpans(
        around.astype(np.int32), rows, np.where(above >= 0, around[above], NONE).astype(np.int32), to[rows], own
    )
