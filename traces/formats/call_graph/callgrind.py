"""Callgrind, cachegrind and xdebug profiles.

Format: https://valgrind.org/docs/manual/cl-format.html. What a function cost itself is the sum of all its cost lines,
those of inlined code (`fi`, `fe`) too.
"""

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_PROFILES, TOO_MANY_PROFILES
from traces.builder import TraceBuilder
from traces.errors import TraceTooLarge
from traces.formats.call_graph.call_graph import CallColumns
from traces.formats.call_graph.call_paths import paths_of_graph, times_of_paths
from traces.formats.call_graph.graph_edges import add_edges
from traces.formats.time_units import in_unit, unit_named
from traces.kernels.cost_lines import CostPart, scan_costs
from traces.kernels.cost_lines_reference import TOO_MANY_THREADS, NotCosts
from traces.model import Int32
from traces.values import Counts, ValueType, Waits

HEADER_BYTES = 4096
EVENT_WITH_UNIT = re.compile(r"(.+?)_?\(((?:[1-9]\d{0,17})?) ?([A-Za-z]+)\)")
NO_FILE = "???"
XDEBUG = re.compile(rb"(?m)^events: Time\S* Memory")
"""xdebug writes how much more memory there was after a call: less than 0 where it gave some back."""


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread, every event a value of it and last the number of calls. Raises DamagedTrace,
    TraceTooLarge."""
    gives_back = XDEBUG.search(content[:HEADER_BYTES]) is not None
    try:
        costs = scan_costs(content, MAX_PROFILES, builder.progress.counter, gives_back=gives_back)
    except NotCosts as error:
        if error.reason == TOO_MANY_THREADS:
            raise TraceTooLarge(
                f"{builder.name}: this {builder.format} file {TOO_MANY_PROFILES.format(most=MAX_PROFILES)}"
            ) from error
        raise builder.damaged(f"{error.reason}.") from error
    builder.warn("unread_lines", "lines that are cut or malformed were skipped", costs.unread)
    builder.warn("negative_cost", "negative costs (memory that was given back) were read as 0", costs.given_back)
    texts = [text.decode("utf-8", "replace") for text in costs.texts]
    knows_callers = any(len(part.caller) for part in costs.parts)
    for part in costs.parts:
        named = [_event(name.decode("utf-8", "replace")) for name in part.events]
        graph = _graph(part, texts, builder)
        stacks, leaves, columns = paths_of_graph(graph, builder)
        try:
            weights = [
                times_of_paths(stacks, leaves, c, f) if value.unit.is_time else in_unit(c, value.unit, f)
                for c, (value, f) in zip(columns, named, strict=False)
            ]
        except ValueError as error:
            raise builder.damaged(f"{error}.") from error
        values = tuple(value for value, _ in named)
        thread = part.thread.decode("utf-8", "replace")
        name = f"{builder.name}, thread {thread}" if len(costs.parts) > 1 else builder.name
        calls = ValueType("calls", unit_named("count")[0])
        facts = replace(
            builder.facts,
            waits=Waits.BOTH if _by_a_clock(values[0]) else Waits.WORK,
            counts=Counts.CALLS if columns[-1].any() else Counts.NONE,  # cachegrind knows no callers
            count_value=len(values) if columns[-1].any() else None,
        )
        profile = builder.add_sampled(
            name, stacks, leaves, [*weights, columns[-1]], values=(*values, calls), tid=thread, facts=facts
        )
        try:
            if knows_callers:
                add_edges(graph, builder, profile, [(value.unit, factor) for value, factor in named])
        except ValueError as error:
            raise builder.damaged(f"{error}.") from error


def _callees_with_files(part: CostPart) -> Int32:
    """The callees of calls; one that is named without its file, as older xdebug does, is the function of that name that
    has costs, if there is one such function."""
    has_costs: npt.NDArray[np.bool_] = np.asarray(part.own.any(axis=1))
    has_costs[part.caller] = True
    if has_costs.all():
        return part.callee
    of_name: dict[int, list[int]] = {}
    for function in np.flatnonzero(has_costs).tolist():
        of_name.setdefault(int(part.name[function]), []).append(function)
    meant = np.arange(len(part.name), dtype=np.int32)
    for function in np.flatnonzero(~has_costs).tolist():
        known = of_name.get(int(part.name[function]), [])
        meant[function] = known[0] if len(known) == 1 else function
    return meant[part.callee]


def _graph(part: CostPart, texts: list[str], builder: TraceBuilder) -> CallColumns:
    """The graph with the builder's frames: a function without a file is placed in its object."""
    columns = zip(part.name.tolist(), part.file.tolist(), part.object.tolist(), strict=True)
    without = {"", NO_FILE}
    frame = builder.frames(
        [
            (texts[name], texts[file] if texts[file] not in without else texts[holder] or None)
            for name, file, holder in columns
        ]
    )
    callee, times = _callees_with_files(part), part.times.copy()
    moved = callee != part.callee
    np.add.at(times, callee[moved], part.paid[moved, -1])
    times[part.callee[moved]] = 0
    return CallColumns.of(frame, part.own, times, part.caller, callee, part.paid)


def _by_a_clock(value: ValueType) -> bool:
    """xdebug measures time (older versions without saying its unit); Valgrind counts what a processor does."""
    return value.unit.is_time or value.name.startswith("Time")


def _event(name: str) -> tuple[ValueType, int]:
    """`Time_(10ns)` counts tens of nanoseconds; plain names are counts."""
    match = EVENT_WITH_UNIT.fullmatch(name)
    if match is None:
        return ValueType(name, unit_named("count")[0]), 1
    unit, factor = unit_named(match[3])
    return ValueType(match[1], unit), factor * int(match[2][:6] or 1)
