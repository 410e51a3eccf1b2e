"""Call paths from a call graph: estimates of who called whom from where, and exact sums per function.

A function's cost is split over its callers by what they paid for it, as speedscope and KCachegrind do, from the
functions that nobody called downwards, heaviest first. What is too light for a path of its own counts where the
function has paths.
"""

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.counting import integer_counts
from traces.formats.call_graph.call_graph import CallColumns, Costs
from traces.formats.time_units import nanoseconds
from traces.kernels.path_growth import Bounds, Calls, GrownPaths, grow_paths
from traces.kernels.trees import Paths, paths_of_spans
from traces.model import NONE, Int32, Int64, Values
from traces.values import ESTIMATED_PATHS

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


def paths_of_graph(graph: CallColumns, builder: TraceBuilder) -> tuple[Paths, Int32, list[Values]]:
    """Call paths, the leaf of each sample and the weight columns of `TraceBuilder.add_sampled`: each event's cost, and
    last how often functions were called. Callees come before what their caller did itself."""
    builder.warn(
        ESTIMATED_PATHS,
        "the profiler recorded who called whom: sums per function, and of each caller and callee, are exact, "
        "call paths are estimates",
    )
    totals, paid, callers = graph.totals, graph.paid_for(), graph.callers()
    roots, unpaid = _unpaid(graph, totals, paid, callers)
    missing, has_missing = np.zeros_like(graph.own), np.zeros(len(graph.frame), bool)
    missing[roots] = unpaid
    has_missing[roots] = True
    full_cost = paid + missing
    even = np.where(has_missing, 0.0, 1 / np.maximum(callers, 1))
    shares = _parts(graph.paid[:, :-1], full_cost[graph.callee], even[graph.callee][:, None])
    weight = totals / np.maximum(graph.own.sum(axis=0), 1e-300)
    calls = Calls(graph.first, graph.callee, shares, graph.paid[:, -1], weight)
    bounds = Bounds(MAX_PATHS, MAX_STEPS, SMALLEST_PATH, FEW_CALLEES)
    grown = grow_paths(calls, roots.astype(np.int32), _parts(missing[roots], full_cost[roots], np.ones(())), bounds)
    return _emit(graph, grown, builder)


def times_of_paths(paths: Paths, leaf: Int32, column: Values, nanoseconds_per_unit: int) -> Int64:
    """A column of `paths_of_graph` in nanoseconds, of which each function's sum is as exact as the file. Raises
    ValueError for what is no time."""
    nanoseconds(column, nanoseconds_per_unit)
    return integer_counts(paths.frame[leaf], column * nanoseconds_per_unit)


def _unpaid(graph: CallColumns, totals: Costs, paid: Costs, callers: Int64) -> tuple[Int64, Costs]:
    """The functions of which no known caller paid a part, by their groups, and that part."""
    group = graph.groups
    size = np.bincount(group)
    missing = np.maximum(0.0, totals - paid)
    is_root = (callers == 0) | (missing > SMALLEST_ROOT * totals).any(axis=1)
    alone = np.flatnonzero((size[group] == 1) & is_root)
    is_entered = np.zeros(len(size), bool)
    is_entered[group[graph.callee[group[graph.caller] != group[graph.callee]]]] = True
    members: dict[int, list[int]] = {}
    for function in np.flatnonzero((size[group] > 1) & ~is_entered[group]).tolist():
        members.setdefault(int(group[function]), []).append(function)
    first = np.array([max(some, key=lambda f: (totals[f].tolist(), -f)) for some in members.values()], np.int64)
    roots = np.concatenate((alone, first))
    order = np.argsort(group[roots], kind="stable")
    return roots[order], np.concatenate((missing[alone], totals[first]))[order]


def _parts(some: Costs, full_cost: Costs, otherwise: Costs) -> Costs:
    return np.where(full_cost > 0, some / np.where(full_cost > 0, full_cost, 1.0), otherwise)


def _emit(graph: CallColumns, grown: GrownPaths, builder: TraceBuilder) -> tuple[Paths, Int32, list[Values]]:
    width, function = graph.width, grown.function
    reached = np.zeros((len(graph.frame), width + 1))
    for k in range(width):
        np.add.at(reached[:, k], function, grown.part[:, k])
    np.add.at(reached[:, width], function, grown.times)
    sums, part = reached[function], grown.part
    own = _parts_of(graph.own[function] * part, sums[:, :width])
    by_part = _parts(part[:, :1], sums[:, :1], np.zeros(()))
    share = np.where(sums[:, width:] != 0, _parts_of(grown.times[:, None], sums[:, width:]), by_part)
    rows = np.column_stack([own, graph.times[function][:, None] * share])
    rare = np.where(reached != 0, 0.0, np.column_stack([graph.own, graph.times]))
    rare[reached[:, 0] != 0, width] = 0.0
    unplaced = np.flatnonzero(rare.any(axis=1))
    # Nodes as a walk enters them, then those on no path, under one of their own.
    place = np.empty(len(function), np.int32)
    place[grown.entered] = np.arange(len(function), dtype=np.int32)
    above = grown.parent[grown.entered]
    frames, parents = [graph.frame[function[grown.entered]]], [np.where(above >= 0, place[above], NONE)]
    if len(unplaced):
        frames += [np.array([builder.frame(RARE)], np.int32), graph.frame[unplaced]]
        parents += [np.array([NONE]), np.full(len(unplaced), len(function))]
    frame, parent = (np.concatenate(parts).astype(np.int32) for parts in (frames, parents))
    paths = paths_of_spans(frame, parent, MAX_STACK_DEPTH)
    leaves = np.concatenate([paths.leaf[place[grown.left]], paths.leaf[len(paths.leaf) - len(unplaced) :]])
    table = np.concatenate([rows[grown.left], rare[unplaced]])
    return paths, leaves, [np.ascontiguousarray(table[:, k]) for k in range(width + 1)]


def _parts_of(some: Costs, sums: Costs) -> Costs:
    return np.where(sums != 0, some / np.where(sums != 0, sums, 1.0), 0.0)
