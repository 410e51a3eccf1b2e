"""Finding functions by name."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.functions import FunctionRow, frame_values, function_row, matches
from traces.analysis.window import node_values, whole
from traces.handles import profile_at
from traces.model import Trace
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class FrameMatches:
    """Some of `total_matches` frames, largest total first. Frames that only other profiles have show zeros."""

    rows: tuple[FunctionRow, ...]
    total_matches: int
    whole: float
    unit: Unit
    profile: str


def find_frames(
    trace: Trace, pattern: str, *, regex: bool = False, limit: int = 20, profile: int | None = None
) -> FrameMatches:
    """Frames of the whole trace whose name or file holds the pattern, any case; values are of one profile.

    Raises UnknownHandle, InvalidQuestion.
    """
    chosen = profile_at(trace, profile)
    values = node_values(chosen)
    by_frame = frame_values(chosen.tree, values.self_value, values.total_value, values.count, len(trace.frames))
    everything = whole(chosen.tree, values.total_value)
    found = np.array(matches(trace, pattern, regex=regex), np.int64)
    order = found[np.argsort(-by_frame.total_value[found], kind="stable")]
    rows = tuple(function_row(trace, int(frame), by_frame, everything) for frame in order[: max(limit, 0)])
    return FrameMatches(rows, len(found), everything, chosen.unit, chosen.handle)
