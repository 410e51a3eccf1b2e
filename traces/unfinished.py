"""Spans without an end, as rows in preorder: who lasts until nobody knows when is left out of sums (docs/time.md)."""

import numpy as np
import numpy.typing as npt

from traces.kernels.columns import pick
from traces.kernels.trees import outermost as outermost_nodes

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
NONE = -1


def leave_out(own: npt.NDArray[np.generic], parent: Int32, unfinished: Int32) -> None:
    """Take unfinished spans out of what each span spent itself: their time goes to the nearest caller that ended, or
    nowhere. In place."""
    if not len(unfinished):
        return
    nearest = parent[unfinished]
    while True:
        place = np.searchsorted(unfinished, nearest)
        again = unfinished[np.minimum(place, len(unfinished) - 1)] == nearest
        if not again.any():
            break
        nearest = np.where(again, nearest[np.minimum(place, len(unfinished) - 1)], nearest)
    called = nearest >= 0
    np.add.at(own, nearest[called], own[unfinished[called]])
    own[unfinished] = 0


def never_ended(node: Int32, unfinished: Int32, nodes: int) -> npt.NDArray[np.bool_]:
    """Which nodes have spans (their node by span) of which none ended."""
    ended = np.ones(len(node), np.bool_)
    ended[unfinished] = False
    seen, lasted = np.zeros(nodes, np.bool_), np.zeros(nodes, np.bool_)
    seen[node], lasted[node[ended]] = True, True
    return seen & ~lasted


def outermost_ended(
    frame: Int32, parent: Int32, unended: npt.NDArray[np.bool_], outermost: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """1 for each node that ended and has no ancestor of its frame that ended: totals of functions add up these only.
    `outermost` is the answer where every node ended."""
    if not unended.any():
        return outermost
    known = np.where(unended, frame.max() + 1, frame).astype(np.int32)
    return np.where(unended, 0, outermost_nodes(known, parent)).astype(np.uint8)


def finished(parent: Int32, unfinished: Int32, chosen: npt.NDArray[np.bool_]) -> Int64:
    """The rows of some spans of which none lies in another; for an unfinished one the outermost that ended in it."""
    if not len(unfinished):
        return np.flatnonzero(chosen)
    is_unfinished = np.zeros(len(parent) + 1, np.bool_)  # the last row answers for NONE
    is_unfinished[unfinished] = True
    reached = chosen[unfinished]
    above = np.where(is_unfinished[parent[unfinished]], np.searchsorted(unfinished, parent[unfinished]), NONE)
    while (above >= 0).any():
        reached = reached | (reached[above] & (above >= 0))
        above = np.where(above >= 0, above[above], NONE)
    replaced = np.zeros(len(parent) + 1, np.bool_)
    replaced[unfinished] = reached
    taken = pick(replaced, parent)
    taken |= chosen
    taken &= ~is_unfinished[:-1]
    return np.flatnonzero(taken)
