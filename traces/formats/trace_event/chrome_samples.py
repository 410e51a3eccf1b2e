"""V8's sampling profiles inside a Chrome performance trace.

A profile arrives in pieces: a `Profile` event on the profiled thread, then `ProfileChunk` events of the same process
and id (ids are unique per process only); old Chrome wrote one `CpuProfile` event.
"""

from dataclasses import dataclass, field

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.trace_event.event_list import Events, ThreadKey, Threads
from traces.formats.v8.v8_nodes import NODE, V8Profile, add_v8_profile, ranges
from traces.kernels.library import NotReadable
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.records import scan_slices
from traces.kernels.scaled import MISSING
from traces.model import Int64

CHUNK = (
    Field("", "data", Kind.OBJECT),
    Field("data_start", "startTime", Kind.SCALED, scale=3, level=1),
    Field("data_deltas", "timeDeltas", Kind.INTEGERS, scale=3, level=1),
    Field("", "cpuProfile", Kind.OBJECT, level=1),
    Field("start", "startTime", Kind.SCALED, scale=3, level=2),
    Field("deltas", "timeDeltas", Kind.INTEGERS, scale=3, level=2),
    Field("samples", "samples", Kind.INTEGERS, level=2),
    Field("nodes", "nodes", Kind.SLICE, level=2),
)
"""What is read of the arguments of a `ProfileChunk` event."""


@dataclass(slots=True)
class Recording:
    """One V8 profile while its pieces, rows of the table of pieces, are collected."""

    thread: ThreadKey
    start: int
    pieces: list[int] = field(default_factory=list)


def read_profiles(events: Events, threads: Threads, builder: TraceBuilder) -> int:
    """Feed V8's profiles. Returns how many there were."""
    try:
        recordings = _collect(events, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    added = 0
    for key, profile in recordings:
        if not len(profile.samples):
            continue
        add_v8_profile(builder, profile, threads.short_name(key), pid=key[0], tid=key[1])
        added += 1
    return added


def _collect(events: Events, builder: TraceBuilder) -> list[tuple[ThreadKey, V8Profile]]:
    """The profiles, from their pieces in order of time."""
    chosen = events.rows("name", "Profile", "ProfileChunk", "CpuProfile") & ~events.rows("phase", "M")
    rows = np.flatnonzero(chosen & (events.table.slices("args")[1] > 0))
    time = np.where(events.time[rows] == MISSING, 0, events.time[rows])
    order = np.argsort(time, kind="stable")
    rows, time = rows[order], time[order]
    places, sizes = events.table.slices("args")
    pieces, _ = scan_slices(events.content, (places[rows], sizes[rows]), CHUNK, arrays=False)
    offsets, lengths = pieces.slices("nodes")
    filled = lengths > 0
    table, ends = scan_slices(events.content, (offsets[filled], lengths[filled]), NODE, arrays=True)
    node_counts = np.zeros(len(rows), np.int64)
    node_counts[filled] = np.diff(ends, prepend=0)
    first_nodes = np.cumsum(node_counts) - node_counts
    samples, outer, inner = (pieces.columns[column] for column in ("samples", "data_deltas", "deltas"))
    deltas = np.concatenate((outer.items, inner.items))
    first_deltas = np.where(outer.ids > 0, outer.values, len(outer.items) + inner.values)
    delta_counts = np.where(outer.ids > 0, outer.ids, inner.ids)
    profiles = []
    for recording in _recordings(events, rows, _starts(pieces, time), builder):
        mine = np.array(recording.pieces)
        profile = V8Profile(
            recording.start,
            table,
            nodes=ranges(first_nodes[mine], node_counts[mine]),
            samples=samples.items[ranges(samples.values[mine], samples.ids[mine])],
            deltas=deltas[ranges(first_deltas[mine], delta_counts[mine])],
        )
        profiles.append((recording.thread, profile))
    return profiles


def _recordings(events: Events, rows: Int64, starts: Int64, builder: TraceBuilder) -> list[Recording]:
    thread, keys = events.thread
    idents = events.table.texts("ident")
    columns = thread[rows], events.table.ids_at("ident", rows), events.rows("name", "ProfileChunk")[rows], starts
    recordings: dict[tuple[str, str], Recording] = {}
    orphans = 0
    for piece, (lane, ident, goes_on, start) in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        pid, tid = keys[lane]
        key = (pid, (idents[ident] if ident >= 0 else "") or f"thread {tid}")
        if not goes_on:
            recordings[key] = Recording((pid, tid), start)
        if key in recordings:
            recordings[key].pieces.append(piece)
        else:
            orphans += 1
    builder.warn("orphan_chunk", "pieces of profiles whose beginning is not in the file were dropped", orphans)
    return list(recordings.values())


def _starts(pieces: Table, time: Int64) -> Int64:
    """When the profile of each piece begins, as it says, or else with its event."""
    inner, outer = pieces.numbers("start"), pieces.numbers("data_start")
    return np.where(outer != MISSING, outer, np.where(inner != MISSING, inner, time))
