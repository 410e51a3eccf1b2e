"""Callgrind, cachegrind and xdebug profiles.

Format: https://valgrind.org/docs/manual/cl-format.html. What a function cost itself is the sum of all its cost lines,
those of inlined code (`fi`, `fe`) too.
"""

import re
from dataclasses import replace

import numpy as np

from traces.bounds import MAX_PROFILES, TOO_MANY_PROFILES
from traces.builder import TraceBuilder
from traces.errors import TraceTooLarge
from traces.formats.call_graph.call_graph import CallColumns
from traces.formats.call_graph.call_paths import paths_of_graph
from traces.formats.time_units import in_unit, unit_named
from traces.kernels.cost_lines import CostPart, scan_costs
from traces.kernels.cost_lines_reference import TOO_MANY_THREADS, NotCosts
from traces.values import Counts, ValueType, Waits

EVENT_WITH_UNIT = re.compile(r"(.+?)_?\(((?:[1-9]\d{0,17})?) ?([A-Za-z]+)\)")
NO_FILE = "???"


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread, every event a value of it and last the number of calls. Raises DamagedTrace,
    TraceTooLarge."""
    try:
        costs = scan_costs(content, MAX_PROFILES, builder.progress.counter)
    except NotCosts as error:
        if error.reason == TOO_MANY_THREADS:
            raise TraceTooLarge(
                f"{builder.name}: this {builder.format} file {TOO_MANY_PROFILES.format(most=MAX_PROFILES)}"
            ) from error
        raise builder.damaged(f"{error.reason}.") from error
    builder.warn("unread_lines", "lines that are cut or malformed were skipped", costs.unread)
    texts = [text.decode("utf-8", "replace") for text in costs.texts]
    for part in costs.parts:
        named = [_event(name.decode("utf-8", "replace")) for name in part.events]
        stacks, leaves, columns = paths_of_graph(_graph(part, texts, builder), builder)
        try:
            weights = [in_unit(c, value.unit, f) for c, (value, f) in zip(columns, named, strict=False)]
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
        builder.add_sampled(
            name, stacks, leaves, [*weights, columns[-1]], values=(*values, calls), tid=thread, facts=facts
        )


def _graph(part: CostPart, texts: list[str], builder: TraceBuilder) -> CallColumns:
    """The graph with the builder's frames: a function without a file is placed in its object."""
    columns = zip(part.name.tolist(), part.file.tolist(), part.object.tolist(), strict=True)
    frames = [
        builder.frame(texts[name], texts[file] if texts[file] not in {"", NO_FILE} else texts[holder] or None)
        for name, file, holder in columns
    ]
    frame = np.array(frames, np.int32)
    return CallColumns.of(frame, part.own, part.times, part.caller, part.callee, part.paid)


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
