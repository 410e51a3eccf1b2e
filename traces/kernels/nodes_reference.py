"""What tree.c does with the tree that a profiler keeps itself: all nodes at once, or where that does not do, a sample
at a time."""

from array import array

import numpy as np
import numpy.typing as npt

from traces.kernels.levels import by_depth
from traces.kernels.library import NotReadable, contiguous
from traces.kernels.trees import ABSENT, NONE, UNKNOWN, CycleFound, Int32, Int64, Paths, Trie, depths_of

Flags = npt.NDArray[np.bool_]


def paths_of_nodes_reference(above: Int32, frame: Int32, on_top: Flags, samples: Int32, max_depth: int) -> Paths:
    """The same as `trees.paths_of_nodes`."""
    paths = _paths_of_distinct_nodes(above, frame, on_top, samples, max_depth)
    return _paths_one_by_one(above, frame, on_top, samples, max_depth) if paths is None else paths


def _paths_of_distinct_nodes(above: Int32, frame: Int32, on_top: Flags, samples: Int32, max_depth: int) -> Paths | None:
    """The paths of a tree whose nodes are paths already, as those of V8 are: no two siblings are of one frame. None of
    another one, and of one with a cycle, a missing parent, or nodes that lie too deep."""
    if not len(samples) or (above == ABSENT).any():
        return None
    parent = np.where((above >= 0) & (frame >= 0) & (frame[above] >= 0), above, np.int32(NONE))
    keys = _keys(parent, frame)
    by_key = np.argsort(keys)
    keys = keys[by_key]
    if ((keys[1:] == keys[:-1]) & (frame[by_key[1:]] >= 0)).any():
        return None
    try:
        depth = depths_of(parent)
    except CycleFound:
        return None
    leaf = np.where(frame[samples] >= 0, samples, np.int32(NONE))
    tops = np.flatnonzero(on_top[samples] & (leaf >= 0))
    first = _first_samples(leaf, tops, parent, depth)
    # What is on top is put there a sample at a time: there are few, and each goes on the one before.
    frames, parents, depths, firsts = (column.tolist() for column in (frame, parent, depth, first))
    added: dict[tuple[int, int], int] = {}
    covers: set[int] = set()
    for sample, mine in zip(tops.tolist(), frame[leaf[tops]].tolist(), strict=True):
        covers.add(mine)
        previous = under = int(leaf[sample - 1]) if sample else NONE
        while under >= 0 and frames[under] in covers and frames[under] != mine:
            under = parents[under]
        if under < 0 or frames[under] != mine:
            under = _child(keys, by_key, previous, mine) if previous < len(frame) else NONE
            under = under if under >= 0 else added.setdefault((previous, mine), len(frames))
        if under == len(frames):
            frames.append(mine)
            parents.append(previous)
            depths.append(depths[previous] + 1 if previous >= 0 else 0)
            firsts.append(sample)
        firsts[under] = min(firsts[under], sample)
        leaf[sample] = under
    first, depth = np.array(firsts), np.array(depths)
    if depth.max() >= max_depth:
        return None
    used = np.flatnonzero(first < len(samples))
    order = used[np.argsort(first[used] << 32 | depth[used])]  # as a walk through the samples meets them
    renamed = np.full(len(first) + 1, NONE, np.int32)
    renamed[order] = np.arange(len(order), dtype=np.int32)
    mine, above = np.array(frames, np.int32)[order], renamed[np.array(parents)[order]]
    return Paths(mine, above, depth[order].astype(np.int32), renamed[leaf], 0)


def _keys(parent: Int32, frame: Int32) -> Int64:
    return (parent.astype(np.int64) + 1) << 32 | (frame.astype(np.int64) + 1)


def _child(keys: Int64, by_key: Int64, parent: int, frame: int) -> int:
    """The node of a frame below a parent, -1 where there is none."""
    key = (parent + 1) << 32 | (frame + 1)
    place = int(np.searchsorted(keys, key))
    return int(by_key[place]) if place < len(keys) and keys[place] == key else NONE


def _first_samples(leaf: Int32, tops: Int64, parent: Int32, depth: Int32) -> Int64:
    """The first sample that is of each node or of one below it, without some samples; their number where there is
    none."""
    first = np.full(len(parent) + 1, len(leaf))
    samples = np.delete(np.arange(len(leaf)), tops)[::-1]
    first[leaf[samples]] = samples  # the earliest is written last
    nodes, cuts = by_depth(depth)
    for level in np.split(nodes, cuts[1:-1])[:0:-1]:
        np.minimum.at(first, parent[level], first[level])
    return first[:-1]


def _paths_one_by_one(above: Int32, frame: Int32, on_top: Flags, samples: Int32, max_depth: int) -> Paths:
    """The same, a sample at a time."""
    tree = Trie(max_depth)
    parents, frames, tops = above.tolist(), frame.tolist(), on_top.tolist()
    known = [UNKNOWN] * len(parents)
    covers: set[int] = set()
    leaves = array("i")
    previous = NONE
    for sample in contiguous(samples, np.int32).data:
        at = sample
        if tops[at] and frames[at] >= 0:
            mine = frames[at]
            covers.add(mine)
            under = previous
            while under >= 0 and tree.frame[under] in covers and tree.frame[under] != mine:
                under = tree.parent[under]
            previous = under if under >= 0 and tree.frame[under] == mine else tree.child(previous, mine)
        elif (previous := known[at]) == UNKNOWN:
            pending: list[int] = []
            while at >= 0 and known[at] == UNKNOWN and frames[at] >= 0:
                if len(pending) == len(parents):
                    raise CycleFound
                pending.append(at)
                at = parents[at]
            if at == ABSENT:
                raise NotReadable("a node's parent is missing", 0)
            previous = max(known[at], NONE) if at >= 0 else NONE
            pending.reverse()
            for node, found in zip(pending, tree.path(previous, [frames[node] for node in pending]), strict=True):
                previous = known[node] = found
        leaves.append(previous)
    return tree.paths(leaves)
