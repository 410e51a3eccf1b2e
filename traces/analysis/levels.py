"""Trees by depth: what makes sums over a call tree a few numpy calls a level."""

import numpy as np

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
