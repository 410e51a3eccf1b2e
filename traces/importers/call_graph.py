"""Call graphs (callgrind, cProfile, stackprof without raw samples) as call trees.

Such a profiler knows what each function cost and what each caller paid for each callee, not whole paths. Paths are
estimated as speedscope and KCachegrind do: a function's cost is split over its callers by what they paid for it. Sums
per function stay exact: what is not put on a path of its own is put under one frame that says so.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from traces.builder import TraceBuilder
from traces.model import NONE, Values
from traces.stacks import StackTable

MAX_PATHS = 20_000
"""Call paths that are told apart, heaviest first: more would be guesses about guesses."""
MAX_STEPS = 2_000_000
"""Calls that are looked at while paths grow; real graphs need a tenth."""
SMALLEST_PATH = 3e-6
"""Of the whole; a path below it is not followed further."""
SMALLEST_ROOT = 1e-3
"""Of a function's total: what its callers paid may differ by rounding without a caller being unknown."""
RARE = "(rare call paths)"


@dataclass(slots=True)
class CallGraph:
    """Functions are numbered as they are first named. `width` costs belong to each function and call."""

    width: int
    frames: list[int] = field(default_factory=list)
    own: list[list[float]] = field(default_factory=list)
    calls: list[dict[int, list[float]]] = field(default_factory=list)
    """Caller by callee: what it cost, then how often it was called."""
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def function(self, key: Hashable) -> int | None:
        """The number of a function that is known by `key`."""
        return self._numbers.get(key)

    def add_function(self, key: Hashable, frame: int) -> int:
        """Its number from now on; `frame` is the builder's."""
        number = self._numbers[key] = len(self.frames)
        self.frames.append(frame)
        self.own.append([0.0] * self.width)
        self.calls.append({})
        return number

    def add_own(self, function: int, costs: Sequence[float]) -> None:
        """What the function itself cost; fewer costs than there are events leave the rest at zero."""
        own = self.own[function]
        for k, cost in enumerate(costs):
            own[k] += cost

    def add_call(self, caller: int, callee: int, costs: Sequence[float], times: float) -> None:
        """What the caller paid for the callee with all below it, in so many calls."""
        paid = self.calls[caller].setdefault(callee, [0.0] * (self.width + 1))
        for k, cost in enumerate(costs):
            paid[k] += cost
        paid[self.width] += times


@dataclass(slots=True)
class _Node:
    """`part` of all that the function cost, for each event."""

    function: int
    parent: int
    part: list[float]
    times: float
    children: list[int] = field(default_factory=list)


def paths_of_graph(graph: CallGraph, builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    """Stacks, the leaf of each sample and the weight columns of `TraceBuilder.add_sampled`: each event's cost, and last
    how often functions were called. Callees come before what their caller did itself."""
    width = graph.width
    total = [list(own) for own in graph.own]
    paid = [[0.0] * width for _ in graph.own]
    for caller, callees in enumerate(graph.calls):
        for callee, costs in callees.items():
            if callee != caller:
                for k in range(width):
                    total[caller][k] += costs[k]
                    paid[callee][k] += costs[k]
    callees_of = _without_cycles(graph, total)
    shares, roots = _shares(callees_of, total, paid, width)
    builder.warn(
        "estimated_paths",
        "the profiler recorded who called whom: sums per function are exact, call paths are estimates",
    )
    nodes = _expand(graph, callees_of, shares, roots, total)
    return _emit(graph, nodes, builder)


def _without_cycles(graph: CallGraph, total: list[list[float]]) -> list[dict[int, list[float]]]:
    """The calls but those back to a function that is still running when one follows calls from the outside."""
    called = {callee for caller, callees in enumerate(graph.calls) for callee in callees if callee != caller}
    starts = sorted(range(len(total)), key=lambda f: (f in called, [-cost for cost in total[f]]))
    state = bytearray(len(total))  # 1: running, 2: done
    kept: list[dict[int, list[float]]] = [{} for _ in total]
    for start in starts:
        if state[start]:
            continue
        state[start] = 1
        running = [(start, iter(graph.calls[start].items()))]
        while running:
            caller, callees = running[-1]
            for callee, costs in callees:
                if state[callee] == 1:
                    continue
                kept[caller][callee] = costs
                if state[callee] == 0:
                    state[callee] = 1
                    running.append((callee, iter(graph.calls[callee].items())))
                    break
            else:
                state[caller] = 2
                running.pop()
    return kept


def _shares(
    callees_of: list[dict[int, list[float]]], total: list[list[float]], paid: list[list[float]], width: int
) -> tuple[list[dict[int, list[float]]], dict[int, list[float]]]:
    """Which part of a callee belongs to each caller, and of some functions to no caller; they add up to 1."""
    known = [[0.0] * width for _ in total]
    callers = [0] * len(total)
    for callees in callees_of:
        for callee, costs in callees.items():
            callers[callee] += 1
            for k in range(width):
                known[callee][k] += costs[k]
    roots: dict[int, list[float]] = {}
    unpaid = [[0.0] * width for _ in total]
    for function, costs in enumerate(total):
        if not callers[function]:
            roots[function] = [1.0] * width
            continue
        missing = [max(0.0, costs[k] - paid[function][k]) for k in range(width)]
        if any(missing[k] > SMALLEST_ROOT * costs[k] for k in range(width)):
            unpaid[function] = missing
            whole = [known[function][k] + missing[k] for k in range(width)]
            roots[function] = [missing[k] / whole[k] if whole[k] else 0.0 for k in range(width)]
    shares: list[dict[int, list[float]]] = []
    for callees in callees_of:
        shares.append({})
        for callee, costs in callees.items():
            whole = [known[callee][k] + unpaid[callee][k] for k in range(width)]
            even = 1 / callers[callee]
            shares[-1][callee] = [costs[k] / whole[k] if whole[k] else even for k in range(width)]
    return shares, roots


def _expand(
    graph: CallGraph,
    callees_of: list[dict[int, list[float]]],
    shares: list[dict[int, list[float]]],
    roots: dict[int, list[float]],
    total: list[list[float]],
) -> list[_Node]:
    """The heaviest paths, parents first."""
    width = graph.width
    scale = [1 / max(sum(own[k] for own in graph.own), 1e-300) for k in range(width)]
    heap: list[tuple[float, int, int, int, list[float], float]] = []
    order = 0

    def offer(function: int, parent: int, part: list[float], times: float) -> None:
        nonlocal order
        costs = total[function]
        weight = max((part[k] * costs[k] * scale[k] for k in range(width)), default=0.0)
        if weight >= SMALLEST_PATH:
            heappush(heap, (-weight, order, function, parent, part, times))
            order += 1

    for function, part in roots.items():
        offer(function, NONE, part, 0.0)
    nodes: list[_Node] = []
    ordered: list[int] = []
    steps = 0
    while heap and len(nodes) < MAX_PATHS and steps < MAX_STEPS:
        _, rank, function, parent, part, times = heappop(heap)
        here = len(nodes)
        nodes.append(_Node(function, parent, part, times))
        ordered.append(rank)
        if parent >= 0:
            nodes[parent].children.append(here)
        steps += len(shares[function])
        for callee, share in shares[function].items():
            calls = callees_of[function][callee][width] * (part[0] if part else 1.0)
            offer(callee, here, [part[k] * share[k] for k in range(width)], calls)
    for node in nodes:
        node.children.sort(key=lambda child: ordered[child])
    return nodes


def _emit(graph: CallGraph, nodes: list[_Node], builder: TraceBuilder) -> tuple[StackTable, list[int], list[Values]]:
    width = graph.width
    stacks = StackTable()
    leaves: list[int] = []
    rows: list[list[float]] = []
    left = [[1.0] * width for _ in graph.own]
    tree = [NONE] * len(nodes)
    # A negative number is a node whose callees are done.
    pending = [index for index, node in enumerate(nodes) if node.parent < 0]
    pending.reverse()
    while pending:
        index = pending.pop()
        node = nodes[index if index >= 0 else -index - 1]
        if index >= 0:
            above = tree[node.parent] if node.parent >= 0 else NONE
            tree[index] = stacks.child(above, graph.frames[node.function])
            pending.append(-index - 1)
            pending.extend(reversed(node.children))
            continue
        own, rest = graph.own[node.function], left[node.function]
        for k in range(width):
            rest[k] -= node.part[k]
        leaves.append(tree[-index - 1])
        rows.append([*(own[k] * node.part[k] for k in range(width)), node.times])
    rare = NONE
    for function, rest in enumerate(left):
        own = graph.own[function]
        row = [own[k] * rest[k] if rest[k] > 1e-9 else 0.0 for k in range(width)]
        if any(row):
            rare = stacks.child(NONE, builder.frame(RARE)) if rare < 0 else rare
            leaves.append(stacks.child(rare, graph.frames[function]))
            rows.append([*row, 0.0])
    table = np.array(rows, np.float64).reshape(-1, width + 1)
    return stacks, leaves, [table[:, k] for k in range(width + 1)]
