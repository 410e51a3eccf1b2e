"""What cProfile saves (`python -m cProfile -o`, `Profile.dump_stats`): how often functions were called, and by whom.

Format: a marshalled dictionary from (file, line, name) to (primitive calls, calls, own seconds, seconds with callees,
callers), as Lib/pstats.py of CPython reads it; a caller's row is (calls, primitive calls, own seconds, seconds), or
calls alone as the module `profile` writes it.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.call_graph.call_graph import CallGraph
from traces.formats.call_graph.call_paths import paths_of_graph, times_of_paths
from traces.formats.call_graph.graph_edges import Numbers, edges_as_recorded, functions_as_recorded
from traces.formats.call_graph.marshal_subset import BrokenMarshal, Value, read_marshal
from traces.formats.format import CUT, break_off
from traces.formats.time_units import nanoseconds
from traces.values import Unit, ValueType

BUILT_IN = "~"
VALUES = (ValueType("time", Unit.NANOSECONDS), ValueType("calls", Unit.COUNT))
MAX_NUMBER = 1e15


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile: own time and calls. Raises DamagedTrace."""
    try:
        stats, kept = read_marshal(bytes(content))
    except BrokenMarshal as error:
        raise builder.damaged(f"{error}.") from error
    if not isinstance(stats, dict):
        raise builder.damaged("it is no dictionary of functions.")
    if kept < len(content):
        break_off(builder, kept)
        builder.warn("cut", CUT)
    graph = CallGraph(1)
    functions: dict[int, tuple[float, ...]] = {}
    edges: list[tuple[int, int, tuple[float, ...]]] = []
    knows_costs = True
    for key, row in stats.items():
        function = _function(key, graph, builder)
        *numbers, callers = _row(row, 5, builder)
        primitive, times, own, total = [_number(number, builder) for number in numbers]
        graph.add_own(function, [own])
        functions[function] = (times, primitive, own, total)
        if not isinstance(callers, dict):
            raise builder.damaged("a function's callers are no dictionary.")
        from_others = sum(
            _number(paid, builder) for caller, paid in callers.items() if isinstance(paid, int) and caller != key
        )
        for caller, paid in callers.items():
            known = _function(caller, graph, builder)
            if isinstance(paid, int):  # the module `profile` counts calls alone: each cost as much as the others
                calls, knows_costs = _number(paid, builder), False
                graph.add_call(
                    known, function, [total * calls / from_others if calls and caller != key else 0.0], calls
                )
                continue
            calls, primitive, spent_itself, spent = [_number(number, builder) for number in _row(paid, 4, builder)]
            edges.append((known, function, (calls, primitive, spent_itself, spent)))
            graph.add_call(known, function, [spent], calls)
    for function, (times, *_) in functions.items():
        graph.times[function] = times
    stacks, leaves, (seconds, called) = paths_of_graph(graph.columns(), builder)
    try:
        time = times_of_paths(stacks, leaves, seconds, 1_000_000_000)
        profile = builder.add_sampled(builder.name, stacks, leaves, [time, called], values=VALUES)
        frame = np.array(graph.frames, np.int32)
        ends = np.array([(caller, callee) for caller, callee, _ in edges], np.int32).reshape(-1, 2)
        recorded = (
            functions_as_recorded(profile, frame[list(functions)], _in_nanoseconds(list(functions.values()))),
            edges_as_recorded(profile, frame[ends], _in_nanoseconds([numbers for *_, numbers in edges])),
        )
        builder.side_tables.edges.extend(recorded if knows_costs else ())
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _in_nanoseconds(rows: Sequence[tuple[float, ...]]) -> Numbers:
    """Rows of calls, primitive calls, own and all seconds."""
    table = np.array(rows, np.float64).reshape(-1, 4)
    for column in (2, 3):
        table[:, column] = nanoseconds(table[:, column], 1_000_000_000)
    return table


def _row(row: Value, size: int, builder: TraceBuilder) -> tuple[Value, ...]:
    if not isinstance(row, tuple) or len(row) != size:
        raise builder.damaged("a row of numbers is not what cProfile writes.")
    return row


def _number(value: Value, builder: TraceBuilder) -> float:
    if not isinstance(value, int | float) or not isfinite(value) or abs(value) > MAX_NUMBER:
        raise builder.damaged("a time or a count is no finite number.")
    return max(0.0, float(value))  # a clock that was set back gives a little less than nothing


def _function(key: Value, graph: CallGraph, builder: TraceBuilder) -> int:
    match key:
        case (str(file), int(line), str(name)):
            number = graph.function(key)
            if number is not None:
                return number
            is_built_in = file == BUILT_IN
            frame = builder.frame(name, None if is_built_in else file, None if is_built_in or line < 1 else line)
            return graph.add_function(key, frame)
        case _:
            raise builder.damaged("a function's key is not a file, a line and a name.")
