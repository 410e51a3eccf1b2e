"""Call paths interned as the nodes of a call tree, and sums over it. In C: tree.c."""

import ctypes
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.levels import Preorder, by_depth, is_whole
from traces.kernels.library import NotReadable, Outcome, call, contiguous, kernels, raise_for, take

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Values = npt.NDArray[Any]
NONE, ABSENT, UNKNOWN = -1, -2, -2
FEW_STACKS = 16
"""Fewer stacks than this at the average depth are walked one by one: numpy needs more at a time to be the faster."""
DEEP = 256
"""From this average depth on, looking at all ancestors of all nodes takes longer than walking the tree."""

STEPS = 8
"""Ancestors of all nodes are looked at, before those that are done are left out."""


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
        ("slot_count", ctypes.c_int64),
    )

    def paths(self, library: ctypes.CDLL, leaf: Int32) -> Paths:
        """Its columns, which are no longer the struct's to free."""
        frame, parent, depth = (
            take(library, self, name, self.count, np.int32) for name in ("frame", "parent", "depth")
        )
        return Paths(frame, parent, depth, leaf, self.truncated)


def paths_of_spans(
    frame: Int32, parent: Int32, max_depth: int, *, owned: bool = False, depth: Int32 | None = None
) -> Paths:
    """The node of each span, given spans with parents first, and their depths if they are known. Frames that are nobody
    else's may become the column of nodes."""
    library = kernels()
    if library is None:
        return paths_of_spans_reference(frame, parent, max_depth, depth)
    frame = contiguous(frame, np.int32)
    leaf = frame if owned and frame.flags.writeable else np.empty(len(frame), np.int32)
    return _grow(library, library.nodes_of_spans, (frame, contiguous(parent, np.int32), len(frame)), leaf, max_depth)


def paths_of_spans_reference(frame: Int32, parent: Int32, max_depth: int, depth: Int32 | None = None) -> Paths:
    """The same in numpy, a depth of all spans at a time."""
    depth = depths_of(parent) if depth is None else depth
    deepest = int(depth.max()) + 1 if len(depth) else 0
    if deepest > max_depth or len(frame) < FEW_STACKS * deepest:
        return _spans_one_by_one(frame, parent, max_depth)
    node = np.full(len(frame) + 1, NONE, np.int32)  # the last one is the parent of roots
    found: Found = []
    nodes = 0
    rows, cuts = by_depth(depth)
    for spans in np.split(rows, cuts[1:-1]):
        nodes, node[spans] = _distinct_children(node[parent[spans]], frame[spans], spans, nodes, found)
    return _paths_in_order(found, node[:-1])


def _spans_one_by_one(frame: Int32, parent: Int32, max_depth: int) -> Paths:
    """The same, a span at a time."""
    tree = Trie(max_depth)
    nodes: list[int] = []
    for span_frame, span_parent in zip(frame.tolist(), parent.tolist(), strict=True):
        nodes.append(tree.child(nodes[span_parent] if span_parent >= 0 else NONE, span_frame))
    return tree.paths(nodes)


Found = list[tuple[Int32, Int32, Int32]]
"""Of each depth: frames and parents of its nodes, and the first row that led to each."""


def _distinct_children(parents: Int32, frames: Int32, rows: Int64, count: int, found: Found) -> tuple[int, Int64]:
    """Add the nodes of one depth to the `count` that were found; returns how many there are then, and each row's."""
    keys = (parents.astype(np.int64, copy=False) + 1) << 32 | frames
    distinct, first, number = np.unique(keys, return_index=True, return_inverse=True)
    frame, parent = (distinct & 0xFFFFFFFF).astype(np.int32), ((distinct >> 32) - 1).astype(np.int32)
    found.append((frame, parent, rows[first].astype(np.int32)))
    return count + len(distinct), count + number


def _paths_in_order(found: Found, leaf: Int32) -> Paths:
    """The nodes as a walk through the rows meets them; `leaf` counts them in the order found."""
    depth = np.repeat(np.arange(len(found), dtype=np.int32), [len(first) for _, _, first in found])
    frame, parent, first = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((depth, first))
    renamed = np.append(np.empty(len(order), np.int32), np.int32(NONE))
    renamed[order] = np.arange(len(order), dtype=np.int32)
    return Paths(frame[order], renamed[parent[order]], depth[order], renamed[leaf], 0)


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
    """The same in numpy, a depth of all stacks at a time."""
    sizes = np.diff(ends, prepend=0)
    truncated = int((sizes > max_depth).sum())
    deepest = min(int(sizes.max()), max_depth) if len(sizes) else 0
    if len(frames) < FEW_STACKS * deepest:
        return replace(_paths_one_by_one(frames, ends, max_depth, inner_first=inner_first), truncated=truncated)
    places, step = (ends - 1, -1) if inner_first else (ends - sizes, 1)
    leaf = np.full(len(ends), NONE)
    stacks = np.arange(len(ends))
    found: Found = []
    nodes = 0
    for depth in range(deepest):
        stacks = stacks[sizes[stacks] > depth]
        here = frames[places[stacks] + depth * step]
        nodes, leaf[stacks] = _distinct_children(leaf[stacks], here, stacks, nodes, found)
    if not nodes:
        return Paths(empty := np.empty(0, np.int32), empty, empty, leaf.astype(np.int32), truncated)
    return replace(_paths_in_order(found, leaf), truncated=truncated)


def _paths_one_by_one(frames: Int32, ends: Int64, max_depth: int, *, inner_first: bool) -> Paths:
    """The same, a stack at a time."""
    tree = Trie(max_depth)
    leaves: list[int] = []
    previous: list[int] = []
    nodes: list[int] = []  # the node at each place of the previous stack
    begin = 0
    for end in ends.tolist():
        stack = frames[begin:end].tolist()
        if inner_first:
            stack.reverse()
        shared = min(len(previous), len(stack))
        if previous[:shared] != stack[:shared]:
            shared = next(i for i, (before, now) in enumerate(zip(previous, stack, strict=False)) if before != now)
        del nodes[shared:]
        nodes += tree.path(nodes[-1] if nodes else NONE, stack[shared:])
        leaves.append(nodes[-1] if nodes else NONE)
        previous, begin = stack, end
    return tree.paths(leaves)


def distinct_rows(*columns: Int32) -> tuple[Int32, Int64]:
    """Which of the distinct rows each row is, and the first row of each, in order of first appearance; no value may be
    negative."""
    count = len(columns[0])
    if kernels() is None:
        return _distinct_rows_reference(columns)
    # Equal rows are equal paths: their leaves are the same.
    flat = np.stack(columns, axis=-1).astype(np.int32).ravel()
    ends = np.arange(1, count + 1, dtype=np.int64) * len(columns)
    paths = paths_of_stacks(flat, ends, len(columns))
    first = np.full(len(paths), NONE)
    first[paths.leaf[::-1]] = np.arange(count)[::-1]
    used = first != NONE
    return (np.cumsum(used) - 1).astype(np.int32)[paths.leaf], first[used]


def _distinct_rows_reference(columns: tuple[Int32, ...]) -> tuple[Int32, Int64]:
    """The same by sorting: each column in turn splits the groups of those before it."""
    count = len(columns[0])
    number = np.zeros(count, np.int64)
    for column in columns:
        keys = number << 32 | column
        order = np.argsort(keys)
        number[order] = np.cumsum(np.diff(keys[order], prepend=-1) != 0) - 1
    first = np.full(int(number.max(initial=NONE)) + 1, NONE)
    first[number[::-1]] = np.arange(count)[::-1]
    order = np.argsort(first)
    renamed = np.empty(len(order), np.int32)
    renamed[order] = np.arange(len(order), dtype=np.int32)
    return renamed[number], first[order]


def paths_of_nodes(above: Int32, frame: Int32, on_top: npt.NDArray[np.bool_], samples: Int32, max_depth: int) -> Paths:
    """The leaf of each sample of a profiler that keeps its own tree.

    `above` is the parent of each of its nodes (-1 none, -2 one that is not there), `frame` is -1 where a node is no
    part of a path (the root, idle). Nodes `on_top` happen while the code before them is on the stack: there they are
    put, once in a row. Raises NotReadable for a missing parent, CycleFound.
    """
    library = kernels()
    if library is None:
        from traces.kernels.nodes_reference import paths_of_nodes_reference  # noqa: PLC0415 - imported by its own reference

        return paths_of_nodes_reference(above, frame, on_top, samples, max_depth)
    frames = int(frame.max()) + 1 if len(frame) else 0
    nodes = (contiguous(above, np.int32), contiguous(frame, np.int32), contiguous(on_top, np.uint8))
    inputs = (*nodes, len(above), frames, contiguous(samples, np.int32), len(samples))
    return _grow(library, library.leaves_of_nodes, inputs, np.empty(len(samples), np.int32), max_depth)


def sum_upwards(
    own: Values, parent: Int32, preorder: Callable[[], Preorder] | None = None, depth: Int32 | None = None
) -> Values:
    """Each node's own value and those of all nodes below it; children add from the last to the first. Who keeps the
    tree's preorder, or its depths, spares the reference much."""
    library = kernels()
    total = np.array(own)
    kernel = {"int64": "sum_upwards_int64", "float64": "sum_upwards_float64"}.get(str(own.dtype))
    if library is None or kernel is None:
        return preorder().sum_upwards(own) if preorder and is_whole(own) else sum_upwards_reference(own, parent, depth)
    raise_for(call(getattr(library, kernel), contiguous(parent, np.int32), len(total), total), 0)
    return total


def sum_upwards_reference(own: Values, parent: Int32, depth: Int32 | None = None) -> Values:
    """The same in numpy, a depth at a time."""
    total, (nodes, cuts) = np.array(own), by_depth(depths_of(parent) if depth is None else depth)
    for level in np.split(nodes, cuts[1:-1])[:0:-1]:
        inner = level[::-1]
        np.add.at(total, parent[inner], total[inner])
    return total


def sum_by_node(node: Int32, values: Values, node_count: int) -> Values:
    """The sum of the rows of each node, added in row order; rows of node -1 count for none."""
    library = kernels()
    kernel = {"int64": "sum_by_node_int64", "float64": "sum_by_node_float64"}.get(str(values.dtype))
    if library is None or kernel is None:
        present = values != 0
        if np.count_nonzero(present) < len(node) // 2:
            rows = np.flatnonzero(present)
            node, values = node[rows], values[rows]
        sums = np.zeros(node_count + 1, values.dtype)  # the last one is where -1 counts
        np.add.at(sums, node, values)
        return sums[:-1]
    own = np.zeros(node_count, values.dtype)
    columns = (contiguous(node, np.int32), contiguous(values, values.dtype))
    raise_for(call(getattr(library, kernel), *columns, len(node), node_count, own), 0)
    return own


def outermost(frame: Int32, parent: Int32, depth: Int32 | None = None) -> UInt8:
    """1 for each node without an ancestor of the same frame. Who keeps the tree's depths spares the reference much."""
    library = kernels()
    if library is None:
        return outermost_reference(frame, parent, depth)
    flags = np.zeros(len(frame), np.uint8)
    frames = int(frame.max()) + 1 if len(frame) else 0
    columns = (contiguous(frame, np.int32), contiguous(parent, np.int32))
    raise_for(call(library.find_outermost, *columns, len(frame), frames, flags), 0)
    return flags


def outermost_reference(frame: Int32, parent: Int32, depth: Int32 | None = None) -> UInt8:
    """The same in numpy, an ancestor at a time; of a tree that is deep, a node at a time."""
    depth = depths_of(parent) if depth is None else depth
    if depth.sum(dtype=np.int64) > DEEP * len(parent):
        return _outermost_one_by_one(frame, parent)
    alone = np.ones(len(frame), np.uint8)
    top = len(parent)  # is above roots, and above itself
    above = np.append(np.where(parent < 0, top, parent), top)
    frames = np.append(frame, np.iinfo(np.int32).min)
    nodes = np.flatnonzero(parent >= 0)
    ancestors = above[nodes]
    while len(nodes):
        mine = frames[nodes]
        found = np.zeros(len(nodes), np.bool_)
        for _ in range(STEPS):
            found |= frames[ancestors] == mine
            ancestors = above[ancestors]
        alone[nodes[found]] = 0
        going = ~found & (ancestors != top)
        nodes, ancestors = nodes[going], ancestors[going]
    return alone


def _outermost_one_by_one(frame: Int32, parent: Int32) -> UInt8:
    """The same, walking down and up again: of each frame, how many are open."""
    alone = np.zeros(len(frame), np.uint8)
    frames = frame.tolist()
    open_of = [0] * (max(frames) + 1)
    children = np.split(
        np.argsort(parent, kind="stable"), np.cumsum(np.bincount(parent + 1, minlength=len(parent) + 1))
    )
    left = children[0].tolist()[::-1]
    while left:
        node = left.pop()
        if node < 0:
            open_of[frames[~node]] -= 1
            continue
        alone[node] = open_of[frames[node]] == 0
        open_of[frames[node]] += 1
        left.append(~node)
        left += children[node + 1].tolist()
    return alone


def depths_of(parent: Int32) -> Int32:
    """How many ancestors each node has: of those that it passes, it takes the number, and passes twice as many next.
    Raises CycleFound."""
    depth = (parent >= 0).astype(np.int32)
    beyond = np.array(parent)
    nodes = np.flatnonzero(beyond >= 0)
    for _ in range(len(parent).bit_length()):
        if not len(nodes):
            break
        passed = beyond[nodes]
        more, further = depth[passed], beyond[passed]
        depth[nodes] += more
        beyond[nodes] = further
        nodes = nodes[further >= 0]
    if len(nodes):
        raise CycleFound
    return depth


class Trie:
    """Call paths as they are met, a frame at a time."""

    def __init__(self, max_depth: int) -> None:
        self.frame, self.parent, self.depth = array("i"), array("i"), array("i")
        self.truncated = 0
        self._max_depth = max_depth
        self._index: dict[int, int] = {}

    def child(self, parent: int, frame: int) -> int:
        """The node of `frame` called from `parent` (-1: a root), or `parent` where it is too deep, which is counted."""
        return self.path(parent, (frame,))[0]

    def path(self, parent: int, frames: Iterable[int]) -> list[int]:
        """The same of frames of which each calls the next."""
        index, frame_of, parent_of, depth_of = self._index, self.frame, self.parent, self.depth
        nodes = []
        for frame in frames:
            key = (parent + 1) << 32 | frame
            node = index.get(key)
            if node is None:
                depth = depth_of[parent] + 1 if parent >= 0 else 0
                node = parent if depth >= self._max_depth else len(frame_of)
                self.truncated += node == parent
                if node != parent:
                    index[key] = node
                    frame_of.append(frame)
                    parent_of.append(parent)
                    depth_of.append(depth)
            nodes.append(parent := node)
        return nodes

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
