"""The heaviest call paths of a call graph. In C: path_growth.c.

They grow from the functions that nobody called downwards, heaviest first; a call of what is on the path already goes on
where that is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import mul
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from traces.kernels.library import Outcome, call, contiguous, kernels

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
NONE = -1


class Bounds(NamedTuple):
    """Most paths and steps, the weight below which a path is not followed, and how many callees of a function are
    looked at one by one sooner than as columns."""

    max_paths: int
    max_steps: int
    smallest: float
    few_callees: int


@dataclass(frozen=True, slots=True)
class Calls:
    """The callees of function `i` are rows `first[i]` to `first[i + 1]` of `callee`, of the `share` of each one's cost
    that it pays, a column an event, and of how often it called it (`times`). `weight` is what all that each function
    cost weighs, a column an event."""

    first: Int64
    callee: Int32
    share: Float64
    times: Float64
    weight: Float64


@dataclass(frozen=True, slots=True)
class GrownPaths:
    """A row a node, in the order in which they were made: its function, the node above it, the part of all that the
    function cost, for each event, and how often it was called. `entered` and `left` are the nodes in the order of a
    walk, callers first and callees first."""

    function: Int32
    parent: Int32
    part: Float64
    times: Float64
    entered: Int32
    left: Int32


def grow_paths(calls: Calls, roots: Int32, parts: Float64, bounds: Bounds) -> GrownPaths:
    """Grow paths from the functions that nobody called, of each of which `parts` are the parts to be split."""
    library = kernels()
    if library is None or not calls.weight.shape[1]:
        return grow_paths_reference(calls, roots, parts, bounds)
    width, room = calls.weight.shape[1], bounds.max_paths + len(roots)
    function, parent, entered, left = (np.empty(room, np.int32) for _ in range(4))
    part, times = np.zeros((room, width)), np.zeros(room)
    graph = (contiguous(calls.first, np.int64), contiguous(calls.callee, np.int32))
    numbers = (contiguous(each, np.float64) for each in (calls.share, calls.times, calls.weight))
    begins = (contiguous(roots, np.int32), contiguous(parts, np.float64), len(roots))
    limits = (bounds.max_paths, bounds.max_steps, bounds.few_callees, bounds.smallest)
    sizes = (len(calls.first) - 1, width)
    count = call(
        library.grow_paths, *graph, *numbers, *sizes, *begins, *limits, function, parent, part, times, entered, left
    )
    if count == -Outcome.NO_MEMORY:
        raise MemoryError
    if count < 0:
        raise IndexError("a callee is no function")
    return GrownPaths(function[:count], parent[:count], part[:count], times[:count], entered[:count], left[:count])


def grow_paths_reference(calls: Calls, roots: Int32, parts: Float64, bounds: Bounds) -> GrownPaths:
    """The same, a node at a time."""
    growth = _Growth(calls, bounds)
    growth.grow(roots.tolist(), parts.tolist())
    nodes, width = growth.nodes, calls.weight.shape[1]
    entered, left = _walked(nodes)
    return GrownPaths(
        np.array([node.function for node in nodes], np.int32),
        np.array([node.parent for node in nodes], np.int32),
        np.array([node.part for node in nodes], np.float64).reshape(-1, width),
        np.array([node.times for node in nodes], np.float64),
        np.array(entered, np.int32),
        np.array(left, np.int32),
    )


@dataclass(slots=True)
class _Node:
    """`waiting` is to be added to `part` and handed on to the callees."""

    function: int
    parent: int
    waiting: list[float]
    part: list[float]
    times: float = 0.0
    children: dict[int, int] = field(default_factory=dict)


def _walked(nodes: list[_Node]) -> tuple[list[int], list[int]]:
    entered, left = list[int](), list[int]()
    pending = [index for index, node in enumerate(nodes) if node.parent < 0][::-1]
    while pending:
        index = pending.pop()
        if index < 0:  # a node whose callees are done
            left.append(-index - 1)
            continue
        entered.append(index)
        pending.append(-index - 1)
        pending.extend(reversed(nodes[index].children.values()))
    return entered, left


class _Growth:
    """The heaviest paths, parents first."""

    def __init__(self, calls: Calls, bounds: Bounds) -> None:
        self.nodes: list[_Node] = []
        self._events = range(calls.weight.shape[1])
        self._calls = calls
        self._bounds = bounds
        self._weight = calls.weight
        self._is_met = np.zeros(len(calls.first), bool)
        """The functions that a node's calls lead to without a new one, while they are looked at."""
        self._heap: list[tuple[float, int]] = []
        self._steps = 0

    def grow(self, roots: list[int], parts: list[list[float]]) -> None:
        """Fill `nodes` from the functions that nobody called, and their parts."""
        for function, part in zip(roots, parts, strict=True):
            if self._heaviest(function, part) >= self._bounds.smallest:
                self._add(self._node(function, NONE), part)
        while self._heap and self._steps < self._bounds.max_steps:
            self._hand_on(heappop(self._heap)[1])

    def _hand_on(self, here: int) -> None:
        node = self.nodes[here]
        part = node.waiting
        if not any(part):
            return
        node.waiting = [0.0] * len(part)
        for k in self._events:
            node.part[k] += part[k]
        above = self._path(here)
        self._steps += int(self._calls.first[node.function + 1] - self._calls.first[node.function]) + len(above)
        for callee, costs, times in self._handed_on(node, above, part):
            to = above.get(callee, node.children.get(callee))
            if (
                to is None
                and len(self.nodes) < self._bounds.max_paths
                and self._heaviest(callee, costs) >= self._bounds.smallest
            ):
                to = node.children[callee] = self._node(callee, here)
            if to is not None:
                self.nodes[to].times += times * part[0]
                self._add(to, costs)

    def _handed_on(
        self, node: _Node, above: dict[int, int], part: list[float]
    ) -> Iterable[tuple[int, list[float], float]]:
        """The callees besides the function itself, what each is handed, and how often it was called. Of many those are
        left out that are too light for a path and on none that goes on here."""
        calls, rows = self._calls, slice(self._calls.first[node.function], self._calls.first[node.function + 1])
        callees, shares, times = calls.callee[rows], calls.share[rows], calls.times[rows]
        if len(callees) <= self._bounds.few_callees:
            named = zip(callees.tolist(), shares.tolist(), times.tolist(), strict=True)
            return [
                (callee, [some * of for some, of in zip(part, share, strict=True)], called)
                for callee, share, called in named
                if callee != node.function
            ]
        handed = shares * part
        met = [*above, *node.children]
        self._is_met[met] = True
        is_heavy = (handed * self._weight[callees]).max(axis=1) >= self._bounds.smallest
        rest = np.flatnonzero((is_heavy | self._is_met[callees]) & (callees != node.function))
        self._is_met[met] = False
        return zip(callees[rest].tolist(), handed[rest].tolist(), times[rest].tolist(), strict=True)

    def _node(self, function: int, parent: int) -> int:
        nothing = [0.0] * len(self._events)
        self.nodes.append(_Node(function, parent, nothing, list(nothing)))
        return len(self.nodes) - 1

    def _add(self, to: int, part: list[float]) -> None:
        node = self.nodes[to]
        for k in self._events:
            node.waiting[k] += part[k]
        weight = self._heaviest(node.function, node.waiting)
        if weight >= self._bounds.smallest:
            heappush(self._heap, (-weight, to))

    def _heaviest(self, function: int, part: list[float]) -> float:
        weight: float = max(map(mul, part, self._weight[function].tolist()))
        return weight

    def _path(self, at: int) -> dict[int, int]:
        above: dict[int, int] = {}
        while at >= 0:
            above[self.nodes[at].function] = at
            at = self.nodes[at].parent
        return above
