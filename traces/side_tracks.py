"""Tracks of a recording that has no samples and no slices: its async spans and requests, or only its marks and levels.

Async spans need not nest, so they are laid on as many tracks as it takes for those of each to nest; requests likewise.
Where there are neither, one track without calls has the time that marks and levels lie in.
"""

import numpy as np

from traces.builder import TraceBuilder
from traces.model import Int64
from traces.nesting import nest_slices

MAX_TRACKS = 200
TRACKS_TRIED = 64
"""A span is laid on one of the latest so many tracks: else many that overlap would cost the square of their number."""
UNNAMED = "(unnamed)"
Interval = tuple[int, int, int]
"""Begin, end, frame."""


def add_tracks(builder: TraceBuilder) -> None:
    """Add them to a builder without profiles; nothing where the file has none of all this."""
    tables = builder.side_tables
    _add(builder, "Async spans", _async_spans(builder))
    requests = [(row.start, max(row.start, row.end), builder.frame(row.url or UNNAMED)) for row in tables.requests]
    _add(builder, "Requests", requests)
    times = [batch for batch in tables.times() if len(batch)]
    if builder.profile_count == 0 and times:
        begin, end = min(int(batch.min()) for batch in times), max(int(batch.max()) for batch in times)
        empty = np.zeros(0, np.int64)
        nested = nest_slices(empty, empty, empty.astype(np.int32))
        name = "Counters" if tables.readings else "Marks"
        builder.add_evented(name, nested, axis_start=begin, axis_end=end)
        builder.warn("no_calls", "the recording holds levels or marks only: there are no functions in it")


def _async_spans(builder: TraceBuilder) -> list[Interval]:
    found: list[Interval] = []
    for _, start, end, name, texts, _, _ in builder.side_tables.intervals:
        frames = [builder.frame(texts[number]) for number in name.tolist()]
        found += zip(start.tolist(), end.tolist(), frames, strict=True)
    return found


def _add(builder: TraceBuilder, name: str, intervals: list[Interval]) -> None:
    if not intervals:
        return
    tracks, beyond = nesting_tracks(intervals)
    for number, track in enumerate(tracks, 1):
        columns: Int64 = np.array(track, np.int64).T
        start, end, frame = columns
        nested = nest_slices(start.copy(), end.copy(), frame.astype(np.int32))
        builder.add_evented(name if len(tracks) == 1 else f"{name} {number}", nested)
    builder.warn("tracks", f"{name.lower()} beyond {MAX_TRACKS:,} tracks are in no picture", beyond)


def nesting_tracks(intervals: list[Interval]) -> tuple[list[list[Interval]], int]:
    """Intervals on tracks, on each of which any two lie within each other or apart; how many found no track."""
    tracks: list[list[Interval]] = []
    open_ends: list[list[int]] = []
    beyond = 0
    for interval in sorted(intervals, key=lambda row: (row[0], -row[1])):
        start, end, _ = interval
        for track, ends in zip(tracks[-TRACKS_TRIED:], open_ends[-TRACKS_TRIED:], strict=True):
            while ends and ends[-1] <= start:
                ends.pop()
            if not ends or ends[-1] >= end:
                track.append(interval)
                ends.append(end)
                break
        else:
            if len(tracks) == MAX_TRACKS:
                beyond += 1
                continue
            tracks.append([interval])
            open_ends.append([end])
    return tracks, beyond
