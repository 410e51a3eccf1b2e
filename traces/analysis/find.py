"""Finding functions by name."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import frames_that
from traces.analysis.filters import pattern as expression
from traces.analysis.functions import FunctionRow, frame_values, function_row
from traces.analysis.selection import select
from traces.handles import ProfileChoice
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
    trace: Trace,
    pattern: str,
    *,
    regex: bool = False,
    limit: int = 20,
    profile: ProfileChoice = None,
    value: str | None = None,
) -> FrameMatches:
    """Frames of the whole trace whose name or file holds the pattern, any case; values are of the selection.

    Raises UnknownHandle, InvalidQuestion.
    """
    chosen = select(trace, profile, value=value)
    values = chosen.values()
    by_frame = frame_values(chosen.tree, values, len(trace.frames))
    everything = chosen.whole(values)
    found = np.flatnonzero(frames_that(trace, expression(pattern, regex=regex)))
    order = found[np.argsort(-by_frame.total_value[found], kind="stable")]
    rows = tuple(function_row(trace, frame, by_frame, everything) for frame in order[: max(limit, 0)].tolist())
    return FrameMatches(rows, len(found), everything, chosen.unit, chosen.handle)
