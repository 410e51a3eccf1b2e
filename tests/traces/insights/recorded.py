"""Small traces for the tests of findings, made with the builder. Times are in milliseconds, frames `name@file`."""

from collections.abc import Mapping, Sequence

import numpy as np

from traces.builder import TraceBuilder
from traces.counting import counting
from traces.formats.format import sums
from traces.model import Trace
from traces.nesting import nest_slices
from traces.side_tables import Request
from traces.stacks import StackTable
from traces.values import Facts, Unit, ValueType

MS = 1_000_000
SHOP = "https://shop.example/"
Call = tuple[str, float, float]
"""Name, start, end."""


def frame(builder: TraceBuilder, text: str, category: str | None = None) -> int:
    name, _, file = text.partition("@")
    return builder.frame(name, file or None, 1 if file else None, category=category)


def finished(builder: TraceBuilder) -> Trace:
    return builder.build(content_key="0" * 64, source_bytes=1)


def sampled(
    stacks: Sequence[tuple[str, float]] | Mapping[str, float],
    *,
    facts: Facts | None = None,
    unit: Unit = Unit.NANOSECONDS,
    value: str = "time",
    warnings: Mapping[str, int] | None = None,
) -> Trace:
    """Samples end to end: `main;work;parse@json.py` and its weight; an empty stack is idle."""
    builder = TraceBuilder("small", "example")
    rows = list(stacks.items()) if isinstance(stacks, Mapping) else list(stacks)
    table = StackTable()
    leaves = table.leaves([[frame(builder, f) for f in stack.split(";")] if stack else [] for stack, _ in rows])
    weights = np.array([weight for _, weight in rows]) * (MS if unit.is_time else 1)
    kinds = (ValueType(value, unit),)
    builder.add_sampled("thread", table, leaves, [weights], values=kinds, pid="1", tid="1", facts=facts)
    for code, count in (warnings or {}).items():
        builder.warn(code, "lost", count)
    return finished(builder)


def share(name: str, percent: float, *, rest: str = "main;other") -> Trace:
    """A CPU profile of 200 samples in which a function has that many percent by itself."""
    return sampled([(f"main;{name}", 5 * percent / 50)] * 50 + [(rest, 5 * (100 - percent) / 50)] * 50)


def timeline(
    *threads: Sequence[Call],
    name: str = "CrRendererMain",
    names: Sequence[str] = (),
    categories: Mapping[str, str] | None = None,
    instants: Sequence[tuple[str, float]] = (),
    intervals: Sequence[Call] = (),
    counters: Sequence[tuple[str, float, float]] = (),
    requests: Sequence[Request] = (),
    length: float | None = None,
) -> Trace:
    """Threads of calls; instants are (name, time), counters (name, time, value), intervals calls that need not nest."""
    builder = TraceBuilder("small", "trace-event")
    for index, calls in enumerate(threads):
        frames = np.array([frame(builder, n, (categories or {}).get(n)) for n, _, _ in calls], np.int32)
        starts, ends = (np.array([call[k] for call in calls], float) * MS for k in (1, 2))
        nested = nest_slices(starts.astype(np.int64), ends.astype(np.int64), frames)
        end = None if length is None else length * MS
        thread = names[index] if names else name
        builder.add_evented(thread, nested, pid="1", tid=str(index), axis_start=0, axis_end=end)
    for text, at in instants:
        builder.instant(0, int(at * MS), text)
    for text, at, value in counters:
        builder.counter(0, int(at * MS), text, value)
    builder.side_tables.requests.extend(requests)
    if intervals:
        texts = [text for text, _, _ in intervals]
        times = [(np.array([row[k] for row in intervals]) * MS).astype(np.int64) for k in (1, 2)]
        index_of = np.arange(len(texts), dtype=np.int32)
        profile = np.zeros(len(texts), np.int32)
        builder.side_tables.intervals.append((profile, times[0], times[1], index_of, texts, index_of, texts))
    return finished(builder)


def request(
    url: str,
    start: float,
    end: float,
    *,
    server: float | None = None,
    size: int = -1,
    kind: str = "Script",
    priority: str = "High",
    blocking: str | None = None,
    found_in: str = SHOP,
    document: str = "F1",
) -> Request:
    """Of the page's first thread, a script that the page names and needs, unless another is named."""
    waited = -1 if server is None else int(server * MS)
    words = (kind, priority, blocking, found_in, document)
    return Request(0, int(start * MS), int(end * MS), waited, size, url, *words)


def values(rows: Mapping[str, Sequence[float]], columns: Sequence[tuple[str, Unit]]) -> Trace:
    """One profile of sums with several values, as pprof has them."""
    builder = TraceBuilder("small", "example")
    table = StackTable()
    leaves = table.leaves([[frame(builder, f) for f in stack.split(";")] for stack in rows])
    weights = [np.array([row[k] for row in rows.values()], float) for k in range(len(columns))]
    kinds = tuple(ValueType(n, u) for n, u in columns)
    facts = counting(sums(), kinds, may_count_calls=False)
    builder.add_sampled("heap", table, leaves, weights, values=kinds, facts=facts)
    return finished(builder)


def one_after_another(name: str, count: int, each: float, *, gap: float = 0.0, start: float = 0.0) -> list[Call]:
    """So many calls in a row."""
    return [(name, start + k * (each + gap), start + k * (each + gap) + each) for k in range(count)]


def threads(*stacks: Sequence[str], each: float = 10) -> Trace:
    """Threads that were sampled at the same moments: of each its stacks in order, `main;work@app.py`, empty is idle."""
    builder = TraceBuilder("small", "example")
    for index, rows in enumerate(stacks):
        table = StackTable()
        leaves = table.leaves([[frame(builder, f) for f in row.split(";")] if row else [] for row in rows])
        weights = [np.full(len(rows), each * MS)]
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        builder.add_sampled(f"worker-{index}", table, leaves, weights, values=kinds, pid="1", tid=str(index))
    return finished(builder)
