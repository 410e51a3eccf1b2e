"""Call paths from a call graph: estimates of who called whom from where, and exact sums per function.

A function's cost is split over its callers by what they paid for it, as speedscope and KCachegrind do, from the
functions that nobody called downwards, heaviest first. What is too light for a path of its own counts where the
function has paths.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import mul

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.call_graph.call_graph import CallGraph
from traces.model import NONE, Values
from traces.stacks import StackTable

MAX_PATHS = 20_000
"""Call paths that are distinguished, heaviest first: more would be guesses about guesses."""
MAX_STEPS = 1_000_000
"""Calls that are looked at while paths grow; real graphs need a tenth."""
SMALLEST_PATH = 1e-4
"""Of the total; a path below it is not followed further (speedscope's bound too)."""
SMALLEST_ROOT = 1e-3
"""Of a function's total; what its callers paid may differ by rounding without a caller being unknown."""
RARE = "(rare call paths)"
"""Holds functions that are on no path heavy enough."""


@dataclass(slots=True)
class _Node:
    """`part` of all that the function cost, for each event; `waiting` is to be added and handed on to the callees."""

    function: int
    parent: int
    waiting: list[float]
    part: list[float]
    times: float = 0.0
    children: dict[int, int] = field(default_factory=dict)


def paths_of_graph(graph: CallGraph, builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    """Stacks, the leaf of each sample and the weight columns of `TraceBuilder.add_sampled`: each event's cost, and last
    how often functions were called. Callees come before what their caller did itself."""
    builder.warn(
        "estimated_paths",
        "the profiler recorded who called whom: sums per function are exact, call paths are estimates",
    )
    unpaid = _unpaid(graph)
    paid, callers = graph.paid()
    events = range(graph.width)
    roots = {f: [_part(rest[k], paid[f][k] + rest[k], 1.0) for k in events] for f, rest in unpaid.items()}
    shares: list[dict[int, list[float]]] = []
    for caller, callees in enumerate(graph.calls):
        shares.append({})
        for callee, costs in callees.items():
            if callee != caller:
                rest = unpaid.get(callee)
                full_cost = [paid[callee][k] + (rest[k] if rest else 0.0) for k in events]
                even = 0.0 if rest else 1 / callers[callee]
                shares[caller][callee] = [_part(costs[k], full_cost[k], even) for k in events]
    growth = _Growth(graph, shares)
    growth.grow(roots)
    return _emit(graph, growth.nodes, builder)


def _unpaid(graph: CallGraph) -> dict[int, list[float]]:
    """What no known caller paid, of the functions that have such a part."""
    total = graph.totals()
    paid, callers = graph.paid()
    unpaid: dict[int, list[float]] = {}
    cycles = graph.cycles()
    number = {function: i for i, group in enumerate(cycles) for function in group}
    entered = {number[to] for caller, below in enumerate(graph.calls) for to in below if number[to] != number[caller]}
    for i, group in enumerate(cycles):
        if len(group) == 1:
            (function,) = group
            costs = total[function]
            missing = [max(0.0, cost - known) for cost, known in zip(costs, paid[function], strict=True)]
            if not callers[function] or any(
                rest > SMALLEST_ROOT * cost for rest, cost in zip(missing, costs, strict=True)
            ):
                unpaid[function] = missing
        elif i not in entered:
            first = max(group, key=lambda f: (total[f], -f))
            unpaid[first] = total[first]
    return unpaid


def _part(some: float, full_cost: float, otherwise: float) -> float:
    return some / full_cost if full_cost > 0 else otherwise


class _Growth:
    """The heaviest paths, parents first. A call of what is on the path already goes on where that is."""

    def __init__(self, graph: CallGraph, shares: list[dict[int, list[float]]]) -> None:
        self.nodes: list[_Node] = []
        self._events = range(graph.width)
        self._calls = graph.calls
        self._shares = shares
        scale = [1 / max(sum(own[k] for own in graph.own), 1e-300) for k in self._events]
        self._weight = [[scale[k] * total[k] for k in self._events] for total in graph.totals()]
        self._heap: list[tuple[float, int]] = []
        self._steps = 0

    def grow(self, roots: dict[int, list[float]]) -> None:
        """Fill `nodes` from the functions that nobody called, and their parts."""
        for function, part in roots.items():
            if self._heaviest(function, part) >= SMALLEST_PATH:
                self._add(self._node(function, NONE), part)
        while self._heap and self._steps < MAX_STEPS:
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
        calls = self._calls[node.function]
        self._steps += len(calls) + len(above)
        for callee, share in self._shares[node.function].items():
            handed = [part[k] * share[k] for k in self._events]
            to = above.get(callee, node.children.get(callee))
            if to is None and len(self.nodes) < MAX_PATHS and self._heaviest(callee, handed) >= SMALLEST_PATH:
                to = node.children[callee] = self._node(callee, here)
            if to is not None:
                self.nodes[to].times += calls[callee][-1] * part[0]
                self._add(to, handed)

    def _node(self, function: int, parent: int) -> int:
        nothing = [0.0] * len(self._events)
        self.nodes.append(_Node(function, parent, nothing, list(nothing)))
        return len(self.nodes) - 1

    def _add(self, to: int, part: list[float]) -> None:
        node = self.nodes[to]
        for k in self._events:
            node.waiting[k] += part[k]
        weight = self._heaviest(node.function, node.waiting)
        if weight >= SMALLEST_PATH:
            heappush(self._heap, (-weight, to))

    def _heaviest(self, function: int, part: list[float]) -> float:
        weight: float = max(map(mul, part, self._weight[function]))
        return weight

    def _path(self, at: int) -> dict[int, int]:
        above: dict[int, int] = {}
        while at >= 0:
            above[self.nodes[at].function] = at
            at = self.nodes[at].parent
        return above


def _emit(graph: CallGraph, nodes: list[_Node], builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    width = graph.width
    events = range(width)
    reached = [[0.0] * (width + 1) for _ in graph.own]
    for node in nodes:
        sums = reached[node.function]
        for k in events:
            sums[k] += node.part[k]
        sums[width] += node.times
    stacks = StackTable()
    leaves: list[int] = []
    rows: list[list[float]] = []
    tree = [NONE] * len(nodes)
    # A negative number is a node whose callees are done.
    pending = [index for index, node in enumerate(nodes) if node.parent < 0]
    pending.reverse()
    while pending:
        index = pending.pop()
        node = nodes[index if index >= 0 else -index - 1]
        function = node.function
        if index >= 0:
            above = tree[node.parent] if node.parent >= 0 else NONE
            tree[index] = stacks.child(above, graph.frames[function])
            pending.append(-index - 1)
            pending.extend(reversed(node.children.values()))
            continue
        own, sums = graph.own[function], reached[function]
        row = [own[k] * node.part[k] / sums[k] if sums[k] else 0.0 for k in events]
        share = node.times / sums[width] if sums[width] else _part(node.part[0], sums[0], 0.0)
        leaves.append(tree[-index - 1])
        rows.append([*row, graph.times[function] * share])
    top = NONE
    for function, own in enumerate(graph.own):
        sums = reached[function]
        row = [0.0 if sums[k] else own[k] for k in events]
        times = 0.0 if sums[0] or sums[width] else graph.times[function]
        if any(row) or times:
            top = stacks.child(NONE, builder.frame(RARE)) if top < 0 else top
            leaves.append(stacks.child(top, graph.frames[function]))
            rows.append([*row, times])
    table = np.array(rows, np.float64).reshape(-1, width + 1)
    return stacks, leaves, [table[:, k] for k in range(width + 1)]
