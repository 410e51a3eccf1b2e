"""Call paths from a call graph: estimates of who called whom from where, and exact sums per function.

A function's cost is split over its callers by what they paid for it, as speedscope and KCachegrind do, from the
functions that nobody called downwards, heaviest first. What is too light for a path of its own counts where the
function has paths.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import mul

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.call_graph.call_graph import CallColumns, Costs
from traces.model import NONE, Int64, Values
from traces.stacks import StackTable

MAX_PATHS = 20_000
"""Call paths that are distinguished, heaviest first: more would be guesses about guesses."""
MAX_STEPS = 1_000_000
"""Calls that are looked at while paths grow; real graphs need a tenth."""
SMALLEST_PATH = 1e-4
"""Of the total; a path below it is not followed further (speedscope's bound too)."""
SMALLEST_ROOT = 1e-3
"""Of a function's total; what its callers paid may differ by rounding without a caller being unknown."""
FEW_CALLEES = 24
"""So many are looked at one by one sooner than as columns."""
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


def paths_of_graph(graph: CallColumns, builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    """Stacks, the leaf of each sample and the weight columns of `TraceBuilder.add_sampled`: each event's cost, and last
    how often functions were called. Callees come before what their caller did itself."""
    builder.warn(
        "estimated_paths",
        "the profiler recorded who called whom: sums per function are exact, call paths are estimates",
    )
    totals, paid, callers = graph.totals(), graph.paid_for(), graph.callers()
    unpaid = _unpaid(graph, totals, paid, callers)
    missing, has_missing = np.zeros_like(graph.own), np.zeros(len(graph.frame), bool)
    for function, costs in unpaid.items():
        missing[function], has_missing[function] = costs, True
    full_cost = paid + missing
    roots = {f: _parts(missing[f], full_cost[f], np.ones(graph.width)).tolist() for f in unpaid}
    even = np.where(has_missing, 0.0, 1 / np.maximum(callers, 1))
    shares = _parts(graph.paid[:, :-1], full_cost[graph.callee], even[graph.callee][:, None])
    growth = _Growth(graph, totals, shares)
    growth.grow(roots)
    return _emit(graph, growth.nodes, builder)


def _unpaid(graph: CallColumns, totals: Costs, paid: Costs, callers: Int64) -> dict[int, Costs]:
    """What no known caller paid, of the functions that have such a part, by their groups."""
    group = graph.groups()
    size = np.bincount(group)
    missing = np.maximum(0.0, totals - paid)
    is_root = (callers == 0) | (missing > SMALLEST_ROOT * totals).any(axis=1)
    found = [(int(group[f]), int(f), missing[f]) for f in np.flatnonzero((size[group] == 1) & is_root)]
    is_entered = np.zeros(len(size), bool)
    is_entered[group[graph.callee[group[graph.caller] != group[graph.callee]]]] = True
    members: dict[int, list[int]] = {}
    for function in np.flatnonzero((size[group] > 1) & ~is_entered[group]).tolist():
        members.setdefault(int(group[function]), []).append(function)
    for number, functions in members.items():
        first = max(functions, key=lambda f: (totals[f].tolist(), -f))
        found.append((number, first, totals[first]))
    found.sort(key=lambda one: one[0])
    return {function: costs for _, function, costs in found}


def _parts(some: Costs, full_cost: Costs, otherwise: Costs) -> Costs:
    return np.where(full_cost > 0, some / np.where(full_cost > 0, full_cost, 1.0), otherwise)


def _part(some: float, full_cost: float, otherwise: float) -> float:
    return some / full_cost if full_cost > 0 else otherwise


class _Growth:
    """The heaviest paths, parents first. A call of what is on the path already goes on where that is."""

    def __init__(self, graph: CallColumns, totals: Costs, shares: Costs) -> None:
        self.nodes: list[_Node] = []
        self._events = range(graph.width)
        self._graph = graph
        self._shares = shares
        self._weight = totals / np.maximum(graph.own.sum(axis=0), 1e-300)
        self._is_met = np.zeros(len(graph.frame), bool)
        """The functions that a node's calls lead to without a new one, while they are looked at."""
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
        self._steps += int(self._graph.first[node.function + 1] - self._graph.first[node.function]) + len(above)
        for callee, costs, times in self._handed_on(node, above, part):
            to = above.get(callee, node.children.get(callee))
            if to is None and len(self.nodes) < MAX_PATHS and self._heaviest(callee, costs) >= SMALLEST_PATH:
                to = node.children[callee] = self._node(callee, here)
            if to is not None:
                self.nodes[to].times += times * part[0]
                self._add(to, costs)

    def _handed_on(
        self, node: _Node, above: dict[int, int], part: list[float]
    ) -> Iterable[tuple[int, list[float], float]]:
        """The callees besides the function itself, what each is handed, and how often it was called. Of many those are
        left out that are too light for a path and on none that goes on here."""
        graph, rows = self._graph, slice(self._graph.first[node.function], self._graph.first[node.function + 1])
        callees, shares, times = graph.callee[rows], self._shares[rows], graph.paid[rows, -1]
        if len(callees) <= FEW_CALLEES:
            named = zip(callees.tolist(), shares.tolist(), times.tolist(), strict=True)
            return [
                (callee, [some * of for some, of in zip(part, share, strict=True)], called)
                for callee, share, called in named
                if callee != node.function
            ]
        handed = shares * part
        met = [*above, *node.children]
        self._is_met[met] = True
        is_heavy = (handed * self._weight[callees]).max(axis=1) >= SMALLEST_PATH
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
        if weight >= SMALLEST_PATH:
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


def _emit(graph: CallColumns, nodes: list[_Node], builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    width = graph.width
    events = range(width)
    reached = np.zeros((len(graph.frame), width + 1))
    parts = np.array([[*node.part, node.times] for node in nodes], np.float64).reshape(-1, width + 1)
    functions = np.array([node.function for node in nodes], np.int64)
    for k in range(width + 1):
        np.add.at(reached[:, k], functions, parts[:, k])
    own_of = dict(zip(functions.tolist(), graph.own[functions].tolist(), strict=True))
    sums_of = dict(zip(functions.tolist(), reached[functions].tolist(), strict=True))
    frames, times_of = graph.frame.tolist(), graph.times.tolist()
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
            tree[index] = stacks.child(above, frames[function])
            pending.append(-index - 1)
            pending.extend(reversed(node.children.values()))
            continue
        own, sums = own_of[function], sums_of[function]
        row = [own[k] * node.part[k] / sums[k] if sums[k] else 0.0 for k in events]
        share = node.times / sums[width] if sums[width] else _part(node.part[0], sums[0], 0.0)
        leaves.append(tree[-index - 1])
        rows.append([*row, times_of[function] * share])
    rare = np.where(reached != 0, 0.0, np.column_stack([graph.own, graph.times]))
    rare[reached[:, 0] != 0, width] = 0.0
    unplaced = np.flatnonzero(rare.any(axis=1))
    top = stacks.child(NONE, builder.frame(RARE)) if len(unplaced) else NONE
    leaves += [stacks.child(top, frames[function]) for function in unplaced.tolist()]
    table = np.concatenate([np.array(rows, np.float64).reshape(-1, width + 1), rare[unplaced]])
    return stacks, leaves, [table[:, k] for k in range(width + 1)]
