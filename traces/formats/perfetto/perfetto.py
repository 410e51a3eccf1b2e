"""Perfetto traces: the track events of Chromium, of Android apps and of programs with Perfetto's library.

Format: https://github.com/google/perfetto, protos/perfetto/trace (track_event.proto, track_descriptor.proto). Slices of
a thread's track are its profile. Other tracks hold what need not nest with a thread's work: their slices are intervals,
unless a trace has no threads: then each track is a profile.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.format import CUT, break_off
from traces.formats.perfetto.perfetto_flows import FlowSteps, arrows, flow_steps
from traces.formats.perfetto.perfetto_ftrace import read_kernel_events
from traces.formats.perfetto.perfetto_losses import warn_of_losses
from traces.formats.perfetto.perfetto_packets import (
    DESCRIPTOR,
    EVENT,
    EVENT_TRACK,
    Packets,
    column,
    complete_size,
    parts,
    read_packets,
)
from traces.formats.perfetto.perfetto_stacks import read_profiles
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import FIXED64, Fields, scan_fields
from traces.model import NONE, Int32, Int64
from traces.nesting import Nested, match_begin_end

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CATEGORY_IID, LEGACY, TYPE, NAME_IID, CATEGORY, NAME, LEVEL, DOUBLE_LEVEL = 3, 6, 9, 10, 22, 23, 30, 44
UNNAMED = "(unnamed)"
MAX_TRACKS = 1_000
"""Profiles of a trace without threads; slices of tracks beyond are counted."""


@dataclass(frozen=True, slots=True)
class Track:
    """What a descriptor says of a track. `pid` and `tid` are -1 where it does not say."""

    name: str = ""
    parent: int = 0
    pid: int = NONE
    tid: int = NONE


@dataclass(frozen=True, slots=True)
class TrackEvents:
    """One a row, of those that have a time and the state they need. `name` indexes `names`."""

    time: Int64
    track: Int64
    kind: Int64
    name: Int64
    level: np.ndarray[tuple[int], np.dtype[np.float64]]
    names: list[tuple[str, str | None]]
    flows: FlowSteps


def _packets(data: bytes, builder: TraceBuilder) -> Packets:
    """All packets; of a file that breaks off those that are complete. Raises NotReadable."""
    try:
        return read_packets(data)
    except NotReadable:
        kept = complete_size(data)
        if kept == len(data):
            raise
    break_off(builder, kept)
    builder.warn("cut", CUT)
    return read_packets(data[:kept])


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; a page's main thread, else the busiest thread, is the default. Raises DamagedTrace."""
    try:
        packets = _packets(bytes(content), builder)
        tracks = _tracks(packets)
        events = _events(packets, builder)
        _feed(packets, tracks, events, builder)
        read_kernel_events(packets, builder)
        read_profiles(packets, builder)
        warn_of_losses(packets, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error


def _feed(packets: Packets, tracks: dict[int, Track], events: TrackEvents, builder: TraceBuilder) -> None:
    if packets.real_time is not None and len(events.time):
        builder.recorded(int(events.time.min()) + packets.real_time, utc_offset_minutes=packets.utc_offset_minutes)
    order = np.lexsort((np.arange(len(events.time)), events.time, events.track))
    order = order[np.isin(events.kind[order], (BEGIN, END))]
    groups = np.split(order, np.flatnonzero(np.diff(events.track[order])) + 1) if len(order) else []
    of_track = {int(events.track[rows[0]]): rows for rows in groups}
    frames = np.array([builder.frame(name, category=category) for name, category in events.names], np.int32)
    threads = {uuid: rows for uuid, rows in of_track.items() if tracks.get(uuid, Track()).tid != NONE}
    if not threads:
        shown = list(of_track)[:MAX_TRACKS]
        builder.warn("tracks", f"tracks beyond the first {MAX_TRACKS:,} were not read", len(of_track) - len(shown))
        threads = {uuid: of_track[uuid] for uuid in shown}
        of_track = threads
    profiles = _add_threads(threads, tracks, events, frames, builder)
    place = _profiles_of(np.unique(events.track).tolist(), tracks, profiles)
    _add_intervals([(place[uuid], of_track[uuid]) for uuid in of_track if uuid not in threads], events, builder)
    _add_instants(events, place, builder)
    _add_counters(events, tracks, builder)
    _add_flows(events, place, builder)


def _tracks(packets: Packets) -> dict[int, Track]:
    _, firsts, lasts = packets.parts(DESCRIPTOR)
    said = scan_fields(packets.data, firsts, lasts)
    count = len(firsts)
    uuids, parents = column(said, count, 1).tolist(), column(said, count, 5).tolist()
    names = _texts(packets.data, said, 2) | _texts(packets.data, said, 10)
    tracks = {
        uuid: Track(names.get(row, ""), parent) for row, (uuid, parent) in enumerate(zip(uuids, parents, strict=True))
    }
    for number in (3, 4):  # process, thread
        rows, begins, ends = parts(said, number)
        inner = scan_fields(packets.data, begins, ends)
        pids, tids = column(inner, len(rows), 1, NONE).tolist(), column(inner, len(rows), 2, NONE).tolist()
        own = _texts(packets.data, inner, 6 if number == 3 else 5)
        for at, row in enumerate(rows.tolist()):
            known = tracks[uuids[row]]
            tid = tids[at] if number == 4 else NONE
            tracks[uuids[row]] = replace(known, name=known.name or own.get(at, ""), pid=pids[at], tid=tid)
    return tracks


def _texts(data: bytes, fields: Fields, number: int) -> dict[int, str]:
    rows, firsts, lasts = parts(fields, number)
    bounds = zip(rows.tolist(), firsts.tolist(), lasts.tolist(), strict=True)
    return {row: data[first:last].decode("utf-8", "replace") for row, first, last in bounds}


def _events(packets: Packets, builder: TraceBuilder) -> TrackEvents:
    of, firsts, lasts = packets.parts(EVENT)
    lost, timeless = ~packets.usable[of], ~packets.timed[of]
    builder.warn("lost_state", "events were dropped whose names were lost with data before them", int(lost.sum()))
    builder.warn("no_time", "events without a time were dropped", int((timeless & ~lost).sum()))
    kept = ~lost & ~timeless
    of, firsts, lasts = of[kept], firsts[kept], lasts[kept]
    said = scan_fields(packets.data, firsts, lasts)
    count = len(of)
    state = packets.state[of]
    track = column(said, count, EVENT_TRACK)
    bare = np.flatnonzero(track == 0)
    track[bare] = [packets.default_tracks.get(s, 0) for s in state[bare].tolist()]
    kind = column(said, count, TYPE)
    legacy, _, _ = parts(said, LEGACY)
    builder.warn("legacy", "events of Chromium's older kind were not read", int((kind[legacy] == 0).sum()))
    level = column(said, count, LEVEL).astype(np.float64)
    doubles = np.flatnonzero((said.number == DOUBLE_LEVEL) & (said.wire == FIXED64))
    places = said.first[doubles][:, None] + np.arange(8)
    level[said.message[doubles]] = np.frombuffer(packets.data, np.uint8)[places].copy().view("<f8").reshape(-1)
    name, names = _names(packets, said, state)
    return TrackEvents(packets.times[of], track, kind, name, level, names, flow_steps(packets.data, said))


def _names(packets: Packets, said: Fields, state: Int64) -> tuple[Int64, list[tuple[str, str | None]]]:
    """Each event's name with its category, as an index: by number in the writer's state, or written out."""
    count = len(state)
    numbers, categories = column(said, count, NAME_IID), column(said, count, CATEGORY_IID)
    keys, first, name = np.unique(np.stack((state, numbers)), axis=1, return_index=True, return_inverse=True)
    name = name.reshape(-1).astype(np.int64)
    written_categories = _texts(packets.data, said, CATEGORY)
    names: list[tuple[str, str | None]] = []
    for (of_state, number), row in zip(keys.T.tolist(), first.tolist(), strict=True):
        category = packets.categories.get((of_state, int(categories[row]))) or written_categories.get(row)
        names.append((packets.names.get((of_state, number)) or UNNAMED, category))
    known: dict[str, int] = {}
    for row, text in _texts(packets.data, said, NAME).items():
        if text not in known:
            known[text] = len(names)
            category = packets.categories.get((int(state[row]), int(categories[row]))) or written_categories.get(row)
            names.append((text or UNNAMED, category))
        name[row] = known[text]
    return name, names


def _nested(rows: Int64, events: TrackEvents, names: Int32 | Int64) -> Nested:
    """Ends have no name: each ends what began last, as if all had the same one."""
    latest = events.time.max().item() if len(rows) else None
    nested = match_begin_end(events.time[rows], np.zeros(len(rows), np.int32), events.kind[rows] == BEGIN, latest)
    unmatched = nested.first_unmatched and (nested.first_unmatched[0], NONE)
    return replace(nested, frame=names[rows[nested.source]].astype(np.int32), first_unmatched=unmatched)


def _add_threads(
    threads: Mapping[int, Int64],
    tracks: dict[int, Track],
    events: TrackEvents,
    frames: Int32,
    builder: TraceBuilder,
) -> dict[int, int]:
    """The profile of each track."""
    known = {uuid: tracks.get(uuid, Track()) for uuid in threads}
    names = Counter(track.name for track in known.values())
    profiles: dict[int, int] = {}
    frame_of = frames[events.name]
    for uuid in sorted(
        threads, key=lambda uuid: (known[uuid].pid, known[uuid].pid != known[uuid].tid, known[uuid].tid)
    ):
        track = known[uuid]
        name = track.name or (f"tid {track.tid}" if track.tid != NONE else f"track {uuid & (1 << 64) - 1:x}")
        if names[track.name] > 1 and track.pid != NONE:
            name = f"{name} (pid {track.pid})"
        pid, tid = ("" if ident == NONE else str(ident) for ident in (track.pid, track.tid))
        nested = _nested(threads[uuid], events, frame_of)
        profiles[uuid] = builder.add_evented(name, nested, pid=pid, tid=tid)
    return profiles


def _profiles_of(requested: Iterable[int], tracks: dict[int, Track], profiles: dict[int, int]) -> dict[int, int]:
    """The profile of each track or of the nearest track above it; -1 for none."""
    found = dict(profiles)
    for uuid in requested:
        way = []
        at = uuid
        while at not in found:
            found[at] = NONE  # also what leads back to itself
            way.append(at)
            if at == 0 or at not in tracks:
                break
            at = tracks[at].parent
        for passed in way:
            found[passed] = found[at]
    return found


def _add_intervals(lanes: Sequence[tuple[int, Int64]], events: TrackEvents, builder: TraceBuilder) -> None:
    """What is on tracks that are no threads, each with the profile that it belongs to."""
    parts = [(profile, _nested(rows, events, events.name)) for profile, rows in lanes]
    if not parts:
        return
    start, end, name = (
        np.concatenate(column) for column in zip(*((n.start, n.end, n.frame) for _, n in parts), strict=True)
    )
    profile = np.repeat(np.array([p for p, _ in parts], np.int32), [len(nested.start) for _, nested in parts])
    texts = [name for name, _ in events.names]
    builder.side_tables.intervals.append((profile, start, end, name, texts, np.zeros(len(start), np.int32), [""]))


def _add_instants(events: TrackEvents, place: dict[int, int], builder: TraceBuilder) -> None:
    rows = np.flatnonzero(events.kind == INSTANT)
    of = np.array([place[uuid] for uuid in events.track[rows].tolist()], np.int32)
    texts = [name for name, _ in events.names]
    builder.side_tables.instants.append((of, events.time[rows], events.name[rows].astype(np.int32), texts))


def _add_counters(events: TrackEvents, tracks: dict[int, Track], builder: TraceBuilder) -> None:
    for row in np.flatnonzero(events.kind == COUNTER).tolist():
        name = tracks.get(int(events.track[row]), Track()).name or UNNAMED
        builder.counter(NONE, int(events.time[row]), name, float(events.level[row]))


def _add_flows(events: TrackEvents, place: dict[int, int], builder: TraceBuilder) -> None:
    """Each arrow is named like the event that it leaves."""
    source, target = arrows(events.flows, events.time)
    begins, ends = (
        np.array([place[uuid] for uuid in events.track[one].tolist()], np.int32) for one in (source, target)
    )
    texts = [name for name, _ in events.names]
    name = events.name[source].astype(np.int32)
    builder.side_tables.arrows.append((begins, events.time[source], ends, events.time[target], name, texts))
