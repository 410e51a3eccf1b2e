"""Call paths interned as the nodes of a call tree, and sums over it. In C: tree.c."""

import ctypes
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.library import NotReadable, Outcome, call, contiguous, kernels, raise_for, take

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Values = npt.NDArray[Any]
NONE, ABSENT = -1, -2
SUM_UPWARDS, SUM_BY_NODE = (
    {np.dtype(np.int64): f"{name}_int64", np.dtype(np.float64): f"{name}_float64"}
    for name in ("sum_upwards", "sum_by_node")
)
"""Kernels by the type of what they add."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Nodes in order of first appearance, parents first; `leaf` is the node of each span, stack or sample (-1: none).
    `truncated` spans, stacks or nodes of a profiler's own tree lay deeper than was allowed: what was too deep of them
    is part of the node above it."""

    frame: Int32
    parent: Int32
    depth: Int32
    leaf: Int32
    truncated: int

    def __len__(self) -> int:
        return len(self.frame)


class CycleFound(Exception):
    """A profiler's own tree leads back to itself."""


class TreeStruct(ctypes.Structure):
    """`Tree` of tree.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("frame", "parent", "depth")),
        *((name, ctypes.c_int64) for name in ("frame_room", "parent_room", "depth_room")),
        *((name, ctypes.c_int64) for name in ("count", "truncated", "max_depth")),
        ("slots", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("slot_count", "placed")),
    )

    def paths(self, library: ctypes.CDLL, leaf: Int32) -> Paths:
        """Its columns, which are no longer the struct's to free."""
        frame, parent, depth = (
            take(library, self, name, self.count, np.int32) for name in ("frame", "parent", "depth")
        )
        return Paths(frame, parent, depth, leaf, self.truncated)


def paths_of_spans(frame: Int32, parent: Int32, max_depth: int, *, owned: bool = False) -> Paths:
    """The node of each span, given spans with parents first. Frames that are nobody else's may become the column of
    nodes."""
    library = kernels()
    if library is None:
        return paths_of_spans_reference(frame, parent, max_depth)
    frame = contiguous(frame, np.int32)
    leaf = frame if owned and frame.flags.writeable else np.empty(len(frame), np.int32)
    return _grow(library, library.nodes_of_spans, (frame, contiguous(parent, np.int32), len(frame)), leaf, max_depth)


def paths_of_spans_reference(frame: Int32, parent: Int32, max_depth: int) -> Paths:
    """The same, a span at a time."""
    trie = Trie(max_depth)
    nodes: list[int] = []
    for span_frame, span_parent in zip(frame.tolist(), parent.tolist(), strict=True):
        nodes.append(trie.child(nodes[span_parent] if span_parent >= 0 else NONE, span_frame))
    return trie.paths(nodes)


def paths_of_stacks(frames: Int32, ends: Int64, max_depth: int, *, inner_first: bool = False) -> Paths:
    """The leaf of each stack. Stack `i` is `frames[ends[i - 1]:ends[i]]`, outermost frame first unless said
    otherwise."""
    library = kernels()
    if len(ends) and (ends[0] < 0 or ends[-1] > len(frames) or (np.diff(ends) < 0).any()):
        raise ValueError("the stacks' ends do not fit the frames")
    if library is None:
        return paths_of_stacks_reference(frames, ends, max_depth, inner_first=inner_first)
    inputs = (contiguous(frames, np.int32), contiguous(ends, np.int64), len(ends), int(inner_first))
    return _grow(library, library.leaves_of_stacks, inputs, np.empty(len(ends), np.int32), max_depth)


def paths_of_stacks_reference(frames: Int32, ends: Int64, max_depth: int, *, inner_first: bool = False) -> Paths:
    """The same, a stack at a time."""
    trie = Trie(max_depth)
    leaves: list[int] = []
    begin = truncated = 0
    for end in ends.tolist():
        stack = frames[begin:end].tolist()
        leaves.append(trie.leaf(reversed(stack) if inner_first else stack))
        truncated += len(stack) > max_depth
        begin = end
    return replace(trie.paths(leaves), truncated=truncated)


def paths_of_nodes(above: Int32, frame: Int32, on_top: npt.NDArray[np.bool_], samples: Int32, max_depth: int) -> Paths:
    """The leaf of each sample of a profiler that keeps its own tree.

    `above` is the parent of each of its nodes (-1 none, -2 one that is not there), `frame` is -1 where a node is no
    part of a path (the root, idle). Nodes `on_top` happen while the code before them is on the stack: there they are
    put, once in a row. Raises NotReadable for a missing parent, CycleFound.
    """
    library = kernels()
    if library is None:
        return paths_of_nodes_reference(above, frame, on_top, samples, max_depth)
    frames = int(frame.max()) + 1 if len(frame) else 0
    nodes = (contiguous(above, np.int32), contiguous(frame, np.int32), contiguous(on_top, np.uint8))
    inputs = (*nodes, len(above), frames, contiguous(samples, np.int32), len(samples))
    return _grow(library, library.leaves_of_nodes, inputs, np.empty(len(samples), np.int32), max_depth)


def paths_of_nodes_reference(
    above: Int32, frame: Int32, on_top: npt.NDArray[np.bool_], samples: Int32, max_depth: int
) -> Paths:
    """The same, a sample at a time."""
    trie = Trie(max_depth)
    parents, frames, tops = above.tolist(), frame.tolist(), on_top.tolist()
    covers: set[int] = set()  # frames that were put on top
    known: dict[int, int] = {}  # our node of each of the profiler's
    leaves: list[int] = []
    previous = NONE
    for sample in samples.tolist():
        mine = frames[sample]
        if tops[sample] and mine >= 0:
            covers.add(mine)
            under = previous
            while under >= 0 and trie.frame[under] in covers and trie.frame[under] != mine:
                under = trie.parent[under]
            previous = under if under >= 0 and trie.frame[under] == mine else trie.child(previous, mine)
        else:
            node, pending = sample, list[int]()
            while node >= 0 and frames[node] >= 0 and node not in known:
                if len(pending) == len(parents):
                    raise CycleFound
                pending.append(node)
                node = parents[node]
            if node == ABSENT:
                raise NotReadable("a node's parent is missing", 0)
            previous = known.get(node, NONE)
            for node in reversed(pending):
                previous = known[node] = trie.child(previous, frames[node])
        leaves.append(previous)
    return trie.paths(leaves)


def sum_upwards(own: Values, parent: Int32) -> Values:
    """Each node's own value and those of all nodes below it; children add from the last to the first."""
    library = kernels()
    total = np.array(own)
    kernel = SUM_UPWARDS.get(own.dtype)
    if library is None or kernel is None:
        return sum_upwards_reference(own, parent)
    raise_for(call(getattr(library, kernel), contiguous(parent, np.int32), len(total), total), 0)
    return total


def sum_upwards_reference(own: Values, parent: Int32) -> Values:
    """The same, a node at a time."""
    total, parents = own.tolist(), parent.tolist()
    for node in range(len(total) - 1, -1, -1):
        if parents[node] >= 0:
            total[parents[node]] += total[node]
    return np.array(total, own.dtype)


def sum_by_node(node: Int32, values: Values, node_count: int) -> Values:
    """The sum of the rows of each node, added in row order; rows of node -1 count for none."""
    library = kernels()
    kernel = SUM_BY_NODE.get(values.dtype)
    if library is None or kernel is None:
        sums = np.zeros(node_count + 1, values.dtype)  # the last one is where -1 counts
        np.add.at(sums, node, values)
        return sums[:-1]
    own = np.zeros(node_count, values.dtype)
    columns = (contiguous(node, np.int32), contiguous(values, values.dtype))
    raise_for(call(getattr(library, kernel), *columns, len(node), node_count, own), 0)
    return own


def outermost(frame: Int32, parent: Int32) -> UInt8:
    """1 for each node without an ancestor of the same frame."""
    library = kernels()
    if library is None:
        return outermost_reference(frame, parent)
    flags = np.zeros(len(frame), np.uint8)
    frames = int(frame.max()) + 1 if len(frame) else 0
    columns = (contiguous(frame, np.int32), contiguous(parent, np.int32))
    raise_for(call(library.find_outermost, *columns, len(frame), frames, flags), 0)
    return flags


def outermost_reference(frame: Int32, parent: Int32) -> UInt8:
    """The same, walking down each subtree and up again: of each frame, how many are open."""
    flags = np.zeros(len(frame), np.uint8)
    children: dict[int, list[int]] = defaultdict(list)
    for node, above in enumerate(parent.tolist()):
        children[above].append(node)
    frames = frame.tolist()
    open_calls: Counter[int] = Counter()
    steps = [(root, True) for root in children[NONE]]  # a node, and whether the walk enters it or leaves it
    while steps:
        node, enters = steps.pop()
        if enters:
            flags[node] = open_calls[frames[node]] == 0
            steps.append((node, False))
            steps += [(child, True) for child in children[node]]
        open_calls[frames[node]] += 1 if enters else -1
    return flags


class Trie:
    """Call paths as they are met, a frame at a time."""

    def __init__(self, max_depth: int) -> None:
        self.frame, self.parent, self.depth = array("i"), array("i"), array("i")
        self.truncated = 0
        self._max_depth = max_depth
        self._nodes: dict[tuple[int, int], int] = {}

    def child(self, parent: int, frame: int) -> int:
        """The node of `frame` called from `parent` (-1: a root), or `parent` where it is too deep, which is counted."""
        node = self._nodes.get((parent, frame))
        if node is not None:
            return node
        depth = self.depth[parent] + 1 if parent >= 0 else 0
        if depth >= self._max_depth:
            self.truncated += 1
            return parent
        node = self._nodes[parent, frame] = len(self.frame)
        self.frame.append(frame)
        self.parent.append(parent)
        self.depth.append(depth)
        return node

    def leaf(self, frames: Iterable[int]) -> int:
        """The node of a path, outermost frame first; -1 of an empty one."""
        node = NONE
        for frame in frames:
            node = self.child(node, frame)
        return node

    def paths(self, leaves: Sequence[int]) -> Paths:
        """The finished columns."""
        frame, parent, depth = (np.array(column, np.int32) for column in (self.frame, self.parent, self.depth))
        return Paths(frame, parent, depth, np.array(leaves, np.int32), self.truncated)


def _grow(library: ctypes.CDLL, kernel: Any, inputs: tuple[Any, ...], leaf: Int32, max_depth: int) -> Paths:
    tree = TreeStruct(max_depth=max_depth)
    try:
        outcome = call(kernel, *inputs, leaf, tree)
        if outcome == Outcome.UNUSUAL:
            raise NotReadable("a node's parent is missing", 0)
        if outcome == Outcome.MALFORMED:
            raise CycleFound
        raise_for(outcome, 0)
        return tree.paths(library, leaf)
    finally:
        call(library.forget_tree, tree)
