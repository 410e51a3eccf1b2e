"""How long single calls took."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.selection import Selection
from traces.analysis.window import Window, spans_near
from traces.model import Int64, Profile, Values
from traces.values import ProfileKind


@dataclass(frozen=True, slots=True)
class CallDurations:
    """Full durations of single calls with what they call, in the unit of the axis, of calls that ended.

    The median is the middle one, or the mean of the two in the middle, as SQL's `median` has it. The 99th percentile is
    the least duration that 99 of 100 calls do not exceed (nearest rank), the 95th likewise.
    """

    calls: int
    least: float
    median: float
    p95: float
    p99: float
    longest: float


@dataclass(frozen=True, slots=True)
class DurationColumns:
    """The same of many frames, one row each in the order in which they were asked for; where `calls` is 0, no call of
    the frame ended and the other columns mean nothing."""

    calls: Int64
    least: Values
    median: Values
    p95: Values
    p99: Values
    longest: Values


def call_durations(chosen: Selection, frames: list[int], window: Window | None = None) -> dict[int, CallDurations]:
    """The durations of each frame's calls that touch the window; nothing for sampled profiles, which know no calls."""
    columns = duration_columns(chosen, np.array(frames, np.int64), window)
    if columns is None:
        return {}
    return {
        frame: CallDurations(
            calls=columns.calls[row].item(),
            least=columns.least[row].item(),
            median=_shortest(columns.median[row].item(), columns.least.dtype),
            p95=columns.p95[row].item(),
            p99=columns.p99[row].item(),
            longest=columns.longest[row].item(),
        )
        for row, frame in enumerate(frames)
        if columns.calls[row]
    }


def duration_columns(chosen: Selection, frames: Int64, window: Window | None = None) -> DurationColumns | None:
    """The durations of each frame's calls that touch the window; None for sampled profiles, which know no calls."""
    if chosen.kind is not ProfileKind.EVENTED or not len(frames):
        return None
    place = np.full(len(chosen.trace.frames), -1, np.int32)
    place[frames] = np.arange(len(frames))
    rows, durations = [], []
    for profile in chosen.profiles:
        spans = profile.spans
        assert spans is not None
        near = spans_near(spans, window)
        place_of_node = place[profile.tree.frame]
        of_them = np.flatnonzero((place_of_node >= 0)[near.of(spans.node)])
        calls = spans.ended(near.row(of_them))
        rows.append(place_of_node[spans.node[calls]])
        durations.append(spans.end[calls] - spans.start[calls])
    row, duration = np.concatenate(rows), np.concatenate(durations)
    few = len(frames) <= 1 << 16
    order = np.argsort(row.astype(np.uint16) if few else row, kind="stable")  # numpy sorts 16 bits by radix
    return _ranked(duration[order], np.searchsorted(row[order], np.arange(len(frames) + 1)))


def call_lengths(profile: Profile, frame: int) -> Values:
    """How long each call of a frame in one evented profile lasted that ended, in order of their starts."""
    spans = profile.spans
    assert spans is not None
    calls = spans.ended(np.flatnonzero((profile.tree.frame == frame)[spans.node]))
    lengths: Values = spans.end[calls] - spans.start[calls]
    return lengths


def _ranked(durations: Values, cuts: Int64) -> DurationColumns:
    """Row `i` is of the durations from `cuts[i]` to `cuts[i + 1]`, which are put in order in place."""
    first, calls = cuts[:-1], np.diff(cuts)
    for row in np.flatnonzero(calls > 1).tolist():
        durations[cuts[row] : cuts[row + 1]].sort()  # quicker than one sort by two keys
    if not len(durations):
        none = np.zeros(len(calls), np.int64)
        return DurationColumns(none, none, none, none, none, none)

    def at(rank: Int64) -> Values:
        found: Values = durations[np.minimum(first + rank, len(durations) - 1)]
        return found

    below, above = at((calls - 1) // 2), at(calls // 2)
    median = np.where(below == above, below, (below + above) / 2)
    return DurationColumns(
        calls=calls,
        least=at(np.zeros(len(calls), np.int64)),
        median=median,
        p95=at(-(-95 * calls // 100) - 1),
        p99=at(-(-99 * calls // 100) - 1),
        longest=at(calls - 1),
    )


def _shortest(value: float, column: np.typing.DTypeLike) -> float:
    """An integer where the column has integers and the value is one."""
    return int(value) if np.dtype(column).kind == "i" and value == int(value) else value
