"""Call paths, interned: samples and spans become the nodes of a profile's call tree."""

from collections.abc import Iterable, Sequence

import numpy as np

from traces.analysis.levels import depth_levels, sum_upwards
from traces.bounds import MAX_STACK_DEPTH
from traces.model import NONE, CallTree, Int32, Int64, UInt8, Values


class StackTable:
    """Nodes of one profile in order of first appearance, parents first. `truncated` counts cut paths."""

    __slots__ = ("_index", "depth", "frame", "parent", "truncated")

    def __init__(self) -> None:
        self.frame: list[int] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.truncated = 0
        self._index: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.frame)

    def child(self, parent: int, frame: int) -> int:
        """The node of `frame` called from node `parent` (-1: a root). Past the depth bound it is `parent` itself."""
        key = (parent + 1) << 32 | frame
        node = self._index.get(key)
        if node is not None:
            return node
        depth = self.depth[parent] + 1 if parent >= 0 else 0
        if depth >= MAX_STACK_DEPTH:
            self.truncated += 1
            return parent
        node = self._index[key] = len(self.frame)
        self.frame.append(frame)
        self.parent.append(parent)
        self.depth.append(depth)
        return node

    def leaves(self, stacks: Iterable[Sequence[int]]) -> list[int]:
        """The leaf node of each stack of frames (outermost first); -1 for an empty one."""
        child = self.child
        leaves: list[int] = []
        previous: Sequence[int] = ()
        nodes: list[int] = []  # the node at each depth of the previous stack
        for stack in stacks:
            shared = min(len(previous), len(stack))
            if previous[:shared] != stack[:shared]:
                for depth, (before, now) in enumerate(zip(previous, stack, strict=False)):
                    if before != now:
                        shared = depth
                        break
            del nodes[shared:]
            node = nodes[-1] if nodes else NONE
            for frame in stack[shared:]:
                node = child(node, frame)
                nodes.append(node)
            leaves.append(node)
            previous = stack
        return leaves

    def of_spans(self, frame: Int32, parent: Int32) -> Int32:
        """The node of each span, given spans with parents first."""
        child = self.child
        nodes: list[int] = []
        for span_frame, span_parent in zip(frame.tolist(), parent.tolist(), strict=True):
            nodes.append(child(nodes[span_parent] if span_parent >= 0 else NONE, span_frame))
        return np.array(nodes, np.int32)

    def tree(self, self_values: tuple[Values, ...], count: Int64) -> CallTree:
        """The finished call tree: totals summed from the leaves up."""
        parent, depth = np.array(self.parent, np.int32), np.array(self.depth, np.int32)
        frame = np.array(self.frame, np.int32)
        levels = depth_levels(depth)
        return CallTree(
            frame=frame,
            parent=parent,
            depth=depth,
            count=count,
            outermost=outermost(frame, parent),
            self_values=self_values,
            total_values=tuple(sum_upwards(values, parent, levels) for values in self_values),
        )


def outermost(frame: Int32, parent: Int32) -> UInt8:
    """1 for each node without an ancestor of the same frame."""
    alone = np.ones(len(frame), np.uint8)
    nodes = np.flatnonzero(parent >= 0)
    ancestors = parent[nodes]
    while len(nodes):
        same = frame[ancestors] == frame[nodes]
        alone[nodes[same]] = 0
        ancestors = np.where(same, NONE, parent[ancestors])
        going = ancestors >= 0
        nodes, ancestors = nodes[going], ancestors[going]
    return alone
