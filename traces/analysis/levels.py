"""Trees by depth: what makes sums over a call tree a few numpy calls a level."""

import numpy as np
import numpy.typing as npt

from traces.model import Int32, Int64, Values


def depth_levels(depth: Int32) -> list[Int64]:
    """The nodes of each depth, in node order."""
    if len(depth) == 0:
        return []
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1])


def sum_upwards(own: Values, parent: Int32, levels: list[Int64]) -> Values:
    """Each node's own value plus those of all nodes below it."""
    total = own.copy()
    for nodes in reversed(levels[1:]):
        np.add.at(total, parent[nodes], total[nodes])
    return total


def at_or_below(wanted: npt.NDArray[np.bool_], parent: Int32) -> npt.NDArray[np.bool_]:
    """Which nodes are wanted or lie below one that is. Each round doubles the distance looked up."""
    found = np.append(wanted, np.False_)
    up = np.append(parent, np.int32(-1))  # the last row stands above the roots
    while (up[:-1] >= 0).any():
        found |= found[up]
        up = up[up]
    return found[:-1]
