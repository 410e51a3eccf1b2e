"""How long single calls took."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.selection import Selection
from traces.analysis.window import Window, spans_near
from traces.values import ProfileKind


@dataclass(frozen=True, slots=True)
class CallDurations:
    """Full durations of single calls with what they call, in the unit of the axis; each is one that occurred and ended.

    The 99th percentile is the least duration that 99 of 100 calls do not exceed (nearest rank).
    """

    calls: int
    least: float
    median: float
    p99: float
    longest: float


def call_durations(chosen: Selection, frames: list[int], window: Window | None = None) -> dict[int, CallDurations]:
    """The durations of each frame's calls that touch the window; nothing for sampled profiles, which know no calls."""
    if chosen.kind is not ProfileKind.EVENTED or not frames:
        return {}
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
    order = np.argsort(row.astype(np.uint16), kind="stable")  # few rows: numpy sorts 16 bits by radix
    cuts = np.searchsorted(row[order], np.arange(len(frames) + 1))
    return {
        frame: _of(duration[order[first:last]])
        for frame, first, last in zip(frames, cuts[:-1], cuts[1:], strict=True)
        if last > first
    }


def _of(durations: np.typing.NDArray[np.generic]) -> CallDurations:
    count = len(durations)
    middle, high = (count - 1) // 2, -(-99 * count // 100) - 1
    ranked = np.sort(durations)  # quicker than partitions at four places
    least, median, p99, longest = (ranked[k].item() for k in (0, middle, high, count - 1))
    return CallDurations(count, least, median, p99, longest)
