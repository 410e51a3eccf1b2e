"""Which rows are equal, and which nodes of a tree stand for one path: the groups come in order of their first rows."""

import numpy as np
import numpy.typing as npt

from traces.kernels.levels import Levels
from traces.kernels.library import kernels
from traces.kernels.trees import NONE, Paths, paths_of_spans

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
MIX = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio's fraction in 64 bits: multiplying by it spreads neighbours apart (D. Knuth, "The Art of Computer
Programming", 6.4)."""
HALF = np.uint64(32)
MANY = 16
"""A part of a tree's nodes that is less than one of so many is walked alone: keys are of all nodes."""
DENSE = 4
"""Keys below so many times their number are counted in a table; others are sorted."""


def groups_of(keys: Int64 | npt.NDArray[np.uint64]) -> tuple[Int32, Int64]:
    """The group of each row with the same key (none negative), and the first row of each group."""
    count = len(keys)
    if count == 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    is_first = np.zeros(count, bool)
    if (top := int(keys.max())) < DENSE * count:
        first_of = np.full(top + 1, count)
        np.minimum.at(first_of, keys, np.arange(count))
        is_first[first_of[first_of < count]] = True
        number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
        return np.append(number, np.int32(NONE))[first_of][keys], np.flatnonzero(is_first)
    order = np.argsort(keys)
    ranked = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    first = np.minimum.reduceat(order, starts)
    is_first[first] = True
    number = np.cumsum(is_first, dtype=np.int32)[first] - np.int32(1)
    group = np.empty(count, np.int32)
    group[order] = np.repeat(number, np.diff(starts, append=count))
    return group, np.flatnonzero(is_first)


def shared_paths(levels: Levels, frame: Int32, shown: npt.NDArray[np.bool_], above: Int64, max_depth: int) -> Paths:
    """What a tree is when only the nodes shown are left and those of one path are one; `above` is the node shown above
    each of them (-1: none), `leaf` where each of them went."""
    nodes = np.flatnonzero(shown)
    if kernels() is None and len(nodes) * MANY > len(frame):
        group, first = groups_of(path_keys(levels, frame, shown)[nodes])
        group_of = np.full(len(frame) + 1, NONE, np.int32)  # the last row answers for NONE
        group_of[nodes] = group
        frames, parents = frame[nodes[first]], group_of[above[first]]
        if (frame[nodes] == frames[group]).all() and (group_of[above] == parents[group]).all():
            depth = levels.sum_downwards(shown.astype(np.int32))[nodes[first]] - np.int32(1)
            return Paths(frames, parents, depth, group, 0)
    place = np.full(len(frame) + 1, NONE, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    return paths_of_spans(frame[nodes], place[above], max_depth)


def path_keys(levels: Levels, frame: Int32, shown: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """A number for the path of shown frames down to each node of a tree: equal paths have equal ones. Different paths
    hardly ever have: who groups by it checks that."""
    frames = frame[levels.nodes].astype(np.uint64) + np.uint64(1)
    hidden = ~shown[levels.nodes]
    some_hidden = bool(hidden.any())
    keys = np.zeros(len(frames), np.uint64)
    for first, last in zip(levels.cuts[:-1], levels.cuts[1:], strict=True):
        if first:
            over = keys[levels.above[first:last]]
            keys[first:last] = over
        mixed = (keys[first:last] + frames[first:last]) * MIX
        mixed ^= mixed >> HALF
        if some_hidden:
            np.copyto(mixed, keys[first:last], where=hidden[first:last])
        keys[first:last] = mixed
    found = np.empty_like(keys)
    found[levels.nodes] = keys
    return found
