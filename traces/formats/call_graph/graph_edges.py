"""Who called whom, from a call graph: what the file says of each caller and callee, as the trace's edges."""

from collections.abc import Sequence

import numpy as np

from traces.builder import TraceBuilder
from traces.edges import EVERYONE, MAX_ROWS, UNKNOWN, Edges, Float64, Int32, Int64
from traces.equal_rows import groups_of
from traces.formats.call_graph.call_graph import CallColumns
from traces.formats.time_units import in_unit
from traces.values import Unit

Numbers = Float64
"""A row of four: calls, primitive calls, own and total cost; -1 where the file does not say."""
MOST_CALLS = 1 << 62
ROUNDING = 1e-3
"""Of a cost; a function's total may differ from the sums around it by so much without contradicting them: cProfile's
cumulative time of a long recording is some 1e-4 more than all own times."""


def add_edges(graph: CallColumns, builder: TraceBuilder, profile: int, units: Sequence[tuple[Unit, int]]) -> None:
    """The edges of a profile whose values are the graph's costs, each in a unit and how many of it one is.

    A function's total is its own cost and what it paid for others; of functions that call each other it is unknown, as
    a call inside a call is in both. Raises ValueError for costs that no column can hold.
    """
    graph = _by_frame(graph)
    group = graph.groups
    is_known = (np.bincount(group) == 1)[group]
    totals = np.where(is_known[:, None], graph.totals, 0.0)
    kept = len(units) if (len(graph.frame) + len(graph.caller)) * len(units) <= MAX_ROWS else 1
    is_named = graph.own.any(axis=1) | (graph.times > 0)
    is_named[graph.caller] = True
    named = np.flatnonzero(is_named)
    everyone = np.full(len(named), EVERYONE, np.int32)
    caller, callee = graph.frame[graph.caller], graph.frame[graph.callee]
    times, calls = graph.times, graph.paid[:, -1]
    for value, (unit, factor) in enumerate(units[:kept]):
        own, total, paid = (
            in_unit(column, unit, factor) for column in (graph.own[:, value], totals[:, value], graph.paid[:, value])
        )
        total = _likely(own, np.where(is_known, total, UNKNOWN))
        functions = (everyone, graph.frame[named], times[named], None, own[named], total[named])
        builder.side_tables.edges.append(_rows(profile, value, *functions))
        builder.side_tables.edges.append(_rows(profile, value, caller, callee, calls, None, None, paid))


def functions_as_recorded(profile: int, frame: Int32, numbers: Numbers) -> Edges:
    """What a file says of each function, with all its callers."""
    group, first = groups_of(frame.astype(np.int64))
    calls, primitive, own, total = _known(_summed(numbers, group, len(first))).T
    total = np.where(np.bincount(group) == 1, _likely(own, total), UNKNOWN)  # one may have called the other
    everyone = np.full(len(first), EVERYONE, np.int32)
    return _rows(profile, 0, everyone, frame[first], calls, primitive, own, total)


def edges_as_recorded(profile: int, ends: Int32, numbers: Numbers) -> Edges:
    """What a file says of each caller and callee, whose frames are a row of `ends`."""
    group, first = groups_of(ends[:, 0].astype(np.int64) << 32 | ends[:, 1])
    calls, primitive, own, total = _known(_summed(numbers, group, len(first))).T
    return _rows(profile, 0, ends[first, 0], ends[first, 1], calls, primitive, own, total)


def _known(sums: Numbers) -> Numbers:
    found: Numbers = np.maximum(sums, UNKNOWN)
    return found


def _likely(own: Float64, total: Float64) -> Float64:
    """Totals of functions, unknown where they contradict the rest: below its own cost, or above that of all."""
    is_likely = (total <= own.sum() * (1 + ROUNDING)) & (total >= own * (1 - ROUNDING))
    found: Float64 = np.where(is_likely, total, UNKNOWN)
    return found


def _rows(
    profile: int,
    value: int,
    caller: Int32,
    callee: Int32,
    calls: Int64 | Float64,
    primitive: Int64 | Float64 | None,
    own: Float64 | None,
    total: Float64,
) -> Edges:
    size = len(callee)
    profiles, values = (np.full(size, number, np.int32) for number in (profile, value))
    first, self_value = (np.full(size, UNKNOWN) if column is None else column for column in (primitive, own))
    counts: list[Int64] = [np.minimum(column, MOST_CALLS).astype(np.int64) for column in (calls, first)]
    costs: list[Float64] = [column.astype(np.float64, copy=False) for column in (self_value, total)]
    return Edges(profiles, values, caller, callee, counts[0], counts[1], costs[0], costs[1])


def _by_frame(graph: CallColumns) -> CallColumns:
    """With one function a frame and one row a pair of them: functions that differ by what no frame has are one."""
    function, first = groups_of(graph.frame.astype(np.int64))
    caller, callee = function[graph.caller], function[graph.callee]
    pair, first_pair = groups_of(caller.astype(np.int64) * len(first) + callee)
    if len(first) == len(graph.frame) and len(first_pair) == len(graph.caller):
        return graph
    own, times = (_summed(column, function, len(first)) for column in (graph.own, graph.times[:, None]))
    paid = _summed(graph.paid, pair, len(first_pair))
    return CallColumns.of(graph.frame[first], own, times[:, 0], caller[first_pair], callee[first_pair], paid)


def _summed(table: Float64, group: Int32, size: int) -> Float64:
    """The rows of each group added up."""
    sums = np.zeros((size, table.shape[1]))
    np.add.at(sums, group, table)
    return sums
