"""Call paths, interned: samples and spans become the nodes of a profile's call tree."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.kernels.columns import counts_up
from traces.kernels.trees import Paths, outermost, paths_of_spans, sum_upwards
from traces.model import NONE, CallTree, Int32, Int64, Values


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

    def paths(self) -> Paths:
        """The finished nodes; `leaf` is empty."""
        frame, parent, depth = (np.array(column, np.int32) for column in (self.frame, self.parent, self.depth))
        return Paths(frame, parent, depth, np.zeros(0, np.int32), self.truncated)


def call_tree(paths: Paths, self_values: tuple[Values, ...], count: Int64) -> CallTree:
    """The finished call tree: totals summed from the leaves up."""
    return CallTree(
        frame=paths.frame,
        parent=paths.parent,
        depth=paths.depth,
        count=count,
        outermost=outermost(paths.frame, paths.parent),
        self_values=self_values,
        total_values=tuple(sum_upwards(values, paths.parent) for values in self_values),
    )


def with_frames(paths: Paths, frame: Int32) -> Paths:
    """The same paths where `frame[i]` takes the place of frame `i`; nodes that become the same are merged."""
    if counts_up(frame):
        return paths
    merged = paths_of_spans(frame[paths.frame].astype(np.int32), paths.parent, MAX_STACK_DEPTH)
    if len(merged) == 0:
        return paths
    leaf = np.where(paths.leaf >= 0, merged.leaf[paths.leaf], NONE).astype(np.int32)
    return replace(merged, leaf=leaf, truncated=paths.truncated)
