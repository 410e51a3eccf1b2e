"""Trace events that are no slices: moments, levels, intervals that need not nest, arrows.

Format: as in `trace_event`. Read are instants (I, i, R and the moments n, O of intervals and objects), counters (C),
intervals (b and e, the older S and F), flows (s, t, f). Ends are joined by category, id and name; an id that an event
calls local belongs to its process.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np

from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.formats.trace_event import network_events as requests
from traces.formats.trace_event import page_marks
from traces.formats.trace_event.event_list import Events, ThreadKey
from traces.kernels.scaled import MISSING
from traces.missing_ends import HALF_INTERVALS, NAMED, Half
from traces.model import NONE, Int32, Int64
from traces.nesting import match_begin_end

INSTANT = ("I", "i", "R", "n", "O")
COUNTER = ("C",)
BEGIN, END = ("b", "S"), ("e", "F")
FLOW = ("s", "t", "f")
PHASES = (*INSTANT, *COUNTER, *BEGIN, *END, *FLOW, "N", "D", "T", "p", "c", "(", ")", "v", "V", "a")
"""All that is read or has nothing to show: creations and deletions of objects, steps, memory dumps, clock marks."""
ANNOTATION_OF_DEVICE = "gpu_user_annotation"
UNNAMED = "(unnamed)"
NO_ROWS = np.zeros(0, np.int64)


def read(events: Events, lanes: Mapping[ThreadKey, int], annotated: "Annotations", builder: TraceBuilder) -> None:
    """Feed the side tables; `lanes` is the profile of each thread that has one. Raises DamagedTrace."""
    thread, keys = events.thread
    lane = np.array([lanes.get(key, NONE) for key in keys], np.int32)
    timed = events.time != MISSING
    said = frozenset(events.table.texts("phase"))
    for phases, read_rows in ((INSTANT, _instants), (COUNTER, _counters), (BEGIN + END, _intervals), (FLOW, _flows)):
        if said.isdisjoint(phases):
            continue
        rows = np.flatnonzero(events.rows("phase", *phases) & timed)
        if len(rows):
            rows = rows[np.argsort(events.time[rows], kind="stable")]
            read_rows(events, rows, lane[thread[rows]], builder)
    if len(annotated.rows):
        _annotations(events, annotated, lane[thread], builder)
    requests.read(events, lane, builder)


class Annotations(NamedTuple):
    """Rows of events, and how long each lasts (ns)."""

    rows: Int64
    lasting: Int64


def annotations(events: Events) -> Annotations:
    """Complete events of PyTorch's profiler (Kineto, output_json.cpp) over what a thread or stream does, no work
    of it: annotations of the host, repeated for a device from its first kernel to its last with the gaps between, and
    the recording itself. To be asked before the slices are read, which take the durations."""
    found = events.rows("category", ANNOTATION_OF_DEVICE)
    found |= events.rows("category", "Trace") & events.rows("pid", "Spans")
    rows = np.flatnonzero(found & events.rows("phase", "X") & (events.time != MISSING)) if found.any() else NO_ROWS
    lasting = events.table.numbers("duration")[rows] if len(rows) else NO_ROWS
    return Annotations(rows, np.clip(lasting, 0, MAX_TIME_NS))


def _annotations(events: Events, found: Annotations, profiles: Int32, builder: TraceBuilder) -> None:
    rows, start = found.rows, events.time[found.rows]
    name = events.table.ids_at("name", rows)
    batch = (profiles[rows], start, start + found.lasting, name, _names(events), np.zeros(len(rows), np.int32), [""])
    builder.side_tables.intervals.append(batch)


def _names(events: Events) -> tuple[str, ...]:
    """The texts of names; the last one is for events without a name."""
    return (*(text or UNNAMED for text in events.table.texts("name")), UNNAMED)


def _instants(events: Events, rows: Int64, profiles: Int32, builder: TraceBuilder) -> None:
    name, names = page_marks.by_frame(events, rows, events.table.ids_at("name", rows), _names(events))
    builder.side_tables.instants.append((profiles, events.time[rows], name, names))


def _counters(events: Events, rows: Int64, profiles: Int32, builder: TraceBuilder) -> None:
    """A series for each number among the arguments: `memory` alone, or `memory.used` among others."""
    names, broken = _names(events), 0
    columns = (rows, profiles, events.time[rows], events.table.ids_at("name", rows))
    for row, profile, time, name in zip(*(column.tolist() for column in columns), strict=True):
        said = events.args(row)
        try:
            series = msgspec.json.decode(said, type=dict[str, object]) if said else {}
        except msgspec.ValidationError:
            series = {}
        levels = {key: float(value) for key, value in series.items() if isinstance(value, int | float)}
        broken += not levels
        for key, value in levels.items():
            builder.counter(profile, time, names[name] if len(series) == 1 else f"{names[name]}.{key}", value)
    builder.warn("counter_without_level", "counter events without a number were dropped", broken)


def _intervals(events: Events, rows: Int64, profiles: Int32, builder: TraceBuilder) -> None:
    group, order = _joined(events, rows)
    rows, profiles, time = rows[order], profiles[order], events.time[rows[order]]
    begins = events.rows("phase", *BEGIN)[rows]
    # A timeline of places, one group after another, on which each end closes the innermost begin of its group.
    nested = match_begin_end(np.arange(len(rows)), group, begins)
    start, end = nested.source, nested.end
    paired = ~begins[end]
    start, end = start[paired], end[paired]
    _, last = np.unique(end[::-1], return_index=True)  # what never ended was closed where another ended: it is above
    kept = np.sort(len(end) - 1 - last)
    start, end = start[kept], end[kept]
    alone = np.ones(len(rows), np.bool_)
    alone[start] = alone[end] = False
    lone = np.flatnonzero(alone)
    first = lone[np.argsort(time[lone], kind="stable")[:NAMED]]
    names = (events.text("name", row) or "" for row in rows[first].tolist())
    threads = (builder.name_of(profile) for profile in profiles[first].tolist())
    columns = (time[first].tolist(), begins[first].tolist())
    halves = [Half(*half) for half in zip(names, threads, *columns, strict=True)]
    builder.half_intervals("half_interval", HALF_INTERVALS, halves, len(lone))
    ident, texts = _idents(events, rows[start])
    name = events.table.ids_at("name", rows[start])
    batch = (profiles[start], time[start], time[end], name, _names(events), ident, texts)
    builder.side_tables.intervals.append(batch)


def _flows(events: Events, rows: Int64, profiles: Int32, builder: TraceBuilder) -> None:
    """An arrow from each step of a flow to its next."""
    group, order = _joined(events, rows)
    rows, profiles = rows[order], profiles[order]
    time, name = events.time[rows], events.table.ids_at("name", rows)
    starts, ends = events.rows("phase", "s")[rows], events.rows("phase", "f")[rows]
    arrow = np.flatnonzero((group[1:] == group[:-1]) & ~starts[1:] & ~ends[:-1])
    lost = len(rows) - int(starts.sum()) - len(arrow)
    builder.warn("half_flow", "ends of flows whose beginning is not in the file were dropped", lost)
    batch = (profiles[arrow], time[arrow], profiles[arrow + 1], time[arrow + 1], name[arrow], _names(events))
    builder.side_tables.arrows.append(batch)


def _joined(events: Events, rows: Int64) -> tuple[Int32, Int64]:
    """What joins ends, by category, name, id, and the process where the id is local to it: the group of each row, and
    the order that puts groups together, by time inside."""
    table = events.table
    local = table.ids_at("local_ident", rows)
    anywhere = table.ids_at("ident", rows)
    anywhere = np.where(anywhere != NONE, anywhere, -2 - table.ids_at("global_ident", rows))
    ident = np.where(local != NONE, local, anywhere)
    process = np.where(local != NONE, table.ids_at("pid", rows), -2)
    keys = (table.ids_at("category", rows), table.ids_at("name", rows), ident, process)
    order = np.lexsort(keys)
    changes = np.zeros(len(rows), bool)
    for key in keys:
        changes[1:] |= np.diff(key[order]) != 0
    return np.cumsum(changes).astype(np.int32), order


def _idents(events: Events, rows: Int64) -> tuple[Int32, tuple[str, ...]]:
    """The id of each row, wherever it stands, and the texts; the last is for rows without one."""
    texts: tuple[str, ...] = ()
    found = np.full(len(rows), NONE, np.int32)
    for column in ("ident", "global_ident", "local_ident"):
        said = events.table.ids_at(column, rows)
        found = np.where((found == NONE) & (said != NONE), said + len(texts), found).astype(np.int32)
        texts += events.table.texts(column)
    return found, (*texts, "")
