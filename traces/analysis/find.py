"""Finding functions by name."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import FrameFilter, frames_that, shown_frames
from traces.analysis.filters import pattern as expression
from traces.analysis.functions import FunctionRow, function_row, function_values
from traces.analysis.selection import select
from traces.analysis.window import Window
from traces.handles import ProfileChoice
from traces.kernels.trees import outermost
from traces.model import Trace
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class FrameMatches:
    """Some of `total_matches` frames, largest total first. Frames that only other profiles have show zeros.
    `counted` is as in `FunctionTable`; `self_value` and `total_value` are of all that match together, where one that
    another of them calls counts once."""

    rows: tuple[FunctionRow, ...]
    total_matches: int
    scope_total: float
    unit: Unit
    profile: str
    counted: str | None = None
    self_value: float = 0.0
    total_value: float = 0.0


def find_frames(
    trace: Trace,
    pattern: str,
    *,
    regex: bool = False,
    limit: int = 20,
    profile: ProfileChoice = None,
    window: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> FrameMatches:
    """Frames of the trace whose name or file holds the pattern, any case, as far as the filter shows them; values
    are of the selection, inside the window.

    Raises UnknownHandle, InvalidQuestion.
    """
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    values = chosen.values(window)
    by_frame = function_values(chosen, values, window)
    everything = chosen.total(values)
    matching = frames_that(trace, expression(pattern, regex=regex))
    matching = matching & shown_frames(trace, frame_filter) if frame_filter else matching
    found = np.flatnonzero(matching)
    in_tree = matching[chosen.tree.frame]
    as_one = np.where(in_tree, len(matching), chosen.tree.frame).astype(np.int32)
    outer = in_tree & (outermost(as_one, chosen.tree.parent) == 1)
    order = found[np.argsort(-by_frame.total_value[found], kind="stable")]
    rows = tuple(function_row(chosen, frame, by_frame, everything) for frame in order[: max(limit, 0)].tolist())
    return FrameMatches(
        rows,
        len(found),
        everything,
        chosen.unit,
        chosen.handle,
        chosen.count_name,
        self_value=values.self_value[in_tree].sum().item(),
        total_value=values.total_value[outer].sum().item(),
    )
