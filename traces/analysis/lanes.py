"""What lies in time besides calls: levels, marks, async spans and requests, few enough of each to be drawn."""

from dataclasses import dataclass

import numpy as np

from traces.model import NONE, Int32, Int64, Trace

MOST_NAMES = 12
"""Levels, and kinds of marks, those with most rows first."""
BINS = 200
"""Parts of the time of a level's readings or a name's marks of which one row each is kept: more than a lane has
pixels to tell apart."""
MOST_BOXES, MOST_ROWS = 400, 8
"""Async spans and requests of a lane, the longest, and the rows that they are laid on."""
UNNAMED = "(unnamed)"


@dataclass(frozen=True, slots=True)
class LevelLane:
    """`points` are (time, value) in order of time: of each part of the time the highest and the latest reading."""

    name: str
    readings: int
    lowest: float
    highest: float
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class MarkLane:
    """`times` are at most BINS of `count`, in order."""

    name: str
    count: int
    times: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoxLane:
    """The longest of `count` intervals: (start, end, row, name), where none of a row overlap."""

    name: str
    count: int
    rows: int
    boxes: tuple[tuple[int, int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    """Nanoseconds of the trace's clock."""

    levels: tuple[LevelLane, ...]
    marks: tuple[MarkLane, ...]
    boxes: tuple[BoxLane, ...]


def lanes(trace: Trace) -> Lanes:
    """Everything but calls; nothing of what the trace has none of, or shows as threads of their own."""
    async_spans, requests = trace.async_spans, trace.requests
    shown = {profile.name.rstrip("0123456789 ") for profile in trace.profiles}
    boxes = (
        _boxes(trace, "Async spans", async_spans.start, async_spans.end, async_spans.name),
        _boxes(trace, "Requests", requests.start, requests.end, requests.url),
    )
    kept = tuple(lane for lane in boxes if lane is not None and lane.name not in shown)
    return Lanes(_levels(trace), _marks(trace), kept)


def _levels(trace: Trace) -> tuple[LevelLane, ...]:
    counters = trace.counters
    found = []
    for name in _frequent(counters.name):
        rows = np.flatnonzero(counters.name == name)
        rows = rows[np.argsort(counters.time[rows], kind="stable")]
        time, value = counters.time[rows], counters.value[rows]
        finite = np.isfinite(value)
        if not finite.any():
            continue
        time, value = time[finite], value[finite]
        part = _parts(time)
        latest = np.flatnonzero(np.append(np.diff(part) != 0, np.True_))
        highest = np.lexsort((value, part))[latest]  # the last of each part in that order
        kept = np.unique(np.concatenate(([0], latest, highest)))
        points = tuple(zip(time[kept].tolist(), value[kept].tolist(), strict=True))
        found.append(LevelLane(trace.strings[name], len(time), float(value.min()), float(value.max()), points))
    return tuple(found)


def _marks(trace: Trace) -> tuple[MarkLane, ...]:
    instants = trace.instants
    found = []
    for name in _frequent(instants.name):
        time = np.sort(instants.time[instants.name == name])
        first = np.flatnonzero(np.insert(np.diff(_parts(time)) != 0, 0, np.True_))
        found.append(MarkLane(trace.strings[name], len(time), tuple(time[first].tolist())))
    return tuple(found)


def _boxes(trace: Trace, title: str, start: Int64, end: Int64, name: Int32) -> BoxLane | None:
    if not len(start):
        return None
    longest = np.lexsort((start, start - end))[:MOST_BOXES]
    intervals = list(zip(start[longest].tolist(), end[longest].tolist(), name[longest].tolist(), strict=True))
    placed = []
    free: list[int] = []
    for begin, until, text in sorted(intervals):
        row = next((at for at, ended in enumerate(free) if ended <= begin), len(free))
        if row == MOST_ROWS:
            continue
        free[row : row + 1] = [max(until, begin + 1)]
        placed.append((begin, until, row, UNNAMED if text == NONE else trace.strings[text]))
    return BoxLane(title, len(start), len(free), tuple(placed))


def _frequent(names: Int32) -> list[int]:
    """The names with most rows, in order of their first row."""
    found, first, count = np.unique(names, return_index=True, return_counts=True)
    most = np.lexsort((first, -count))[:MOST_NAMES]
    ordered: list[int] = found[most[np.argsort(first[most])]].tolist()
    return ordered


def _parts(time: Int64) -> Int64:
    """In which of BINS equal parts of their time moments lie, which are in order."""
    length = max(1, int(time[-1] - time[0]))
    part: Int64 = np.minimum((time - time[0]) * BINS // length, BINS - 1)
    return part
