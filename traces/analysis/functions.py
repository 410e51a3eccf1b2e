"""Which functions a profile spends its time in."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from traces.analysis.durations import CallDurations, call_durations
from traces.analysis.filters import FrameFilter, frames_that
from traces.analysis.filters import pattern as expression
from traces.analysis.recorded_edges import recorded_edges
from traces.analysis.selection import Selection, select
from traces.analysis.window import NodeValues, Window
from traces.errors import InvalidQuestion
from traces.handles import ProfileChoice
from traces.kernels.columns import counts_up
from traces.kernels.trees import sum_by_node
from traces.model import CallTree, Int64, Trace, UInt8, Values
from traces.values import Counts, Unit

LOWERED, LOWERED_BY = 3, 16
"""How often the bound of what is heavy is lowered, and to which part."""


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One frame. `total_value` counts recursion once; shares leave idle out; `count` is a number of what the table
    says (of samples and events, those whose innermost frame it is), None without counts.

    `durations` is of single calls, where it was asked for and the profile knows them.
    """

    handle: str
    frame: int
    name: str
    file: str | None
    line: int | None
    self_value: float
    total_value: float
    self_share: float
    total_share: float
    count: int | None
    durations: CallDurations | None = None


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """Some of `total_rows` functions, in order. `scope_total` is everything in the window that is not idle, `hidden`
    the part of it in which a filter shows no function at all. `profile` is a handle, or `all`. `counted` is what
    `count` is a number of: calls, samples, or the events that the counted value names; None without counts."""

    rows: tuple[FunctionRow, ...]
    total_rows: int
    scope_total: float
    unit: Unit
    profile: str
    window: Window | None
    hidden: float = 0.0
    counted: str | None = None


@dataclass(frozen=True, slots=True)
class FrameValues:
    """One row a frame of the trace."""

    self_value: Values
    total_value: Values
    count: Int64


def frame_values(tree: CallTree, values: NodeValues, frames: int, outermost: UInt8) -> FrameValues:
    """Node values summed by frame; totals of outermost nodes only, so that recursion counts once."""
    totals = values.total_value if outermost.all() else values.total_value * outermost
    if len(tree.frame) == frames and counts_up(tree.frame):  # names that stand once
        return FrameValues(values.self_value, totals, values.count)
    return FrameValues(
        sum_by_node(tree.frame, values.self_value, frames),
        sum_by_node(tree.frame, totals, frames),
        sum_by_node(tree.frame, values.count, frames),
    )


def function_values(chosen: Selection, values: NodeValues, window: Window | None = None) -> FrameValues:
    """The values of a selection (`chosen.values(window)`) by frame; totals are those of the file where it has them."""
    frames = len(chosen.trace.frames)
    by_frame = frame_values(chosen.tree, values, frames, chosen.outermost)
    edges = recorded_edges(chosen, window)
    if edges is None:
        return by_frame
    total, own = edges.totals(frames), by_frame.self_value  # which lie within each other but for rounding
    total = np.where(total < 0, by_frame.total_value, np.maximum(np.minimum(total, chosen.total(values)), own))
    return replace(by_frame, total_value=total.astype(own.dtype))


def top_functions(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    sort_by: Literal["self", "total"] = "self",
    limit: int = 15,
    offset: int = 0,
    window: Window | None = None,
    pattern: str | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
    durations: bool = False,
) -> FunctionTable:
    """Functions by self or total value, largest first; `pattern` is text in the name or file, any case.

    `durations` adds the least, median and 99th percentile of what single calls took, in evented profiles.
    Raises UnknownHandle, InvalidQuestion.
    """
    if sort_by not in ("self", "total"):
        raise InvalidQuestion(f"functions are sorted by self or total, not by {sort_by}.")
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    values = chosen.values(window)
    by_frame = function_values(chosen, values, window)
    key = by_frame.self_value if sort_by == "self" else by_frame.total_value
    present = by_frame.total_value > 0
    if pattern:
        present &= frames_that(trace, expression(pattern))
    order = _largest(present, key, by_frame.total_value, max(offset, 0) + max(limit, 0))
    everything = chosen.total(values)
    shown = order[max(offset, 0) :].tolist()
    calls = call_durations(chosen, shown, window) if durations else {}
    rows = tuple(function_row(chosen, frame, by_frame, everything, calls.get(frame)) for frame in shown)
    total_rows = int(np.count_nonzero(present))
    return FunctionTable(
        *(rows, total_rows, everything, chosen.unit, chosen.handle, window), values.hidden, chosen.count_name
    )


def _largest(present: npt.NDArray[np.bool_], key: Values, then: Values, count: int) -> Int64:
    """The first frames by key, then the second key, then number; only those that can be among them are sorted. Few of
    many are heavy: they are looked for above a bound that is lowered some times."""
    frames: Int64 = np.zeros(0, np.int64)
    bound = key.max(initial=0).item()
    for _ in range(LOWERED + 1 if 0 < count < len(key) else 0):
        frames = np.flatnonzero((key >= bound) & present)
        if len(frames) >= count:
            break
        bound /= LOWERED_BY
    if len(frames) < count or count <= 0:
        frames = np.flatnonzero(present)
    if 0 < count < len(frames):
        least = -np.partition(-key[frames], count - 1)[count - 1]
        frames = frames[key[frames] >= least]
    return frames[np.lexsort((frames, -then[frames], -key[frames]))][:count]


def function_row(
    chosen: Selection, frame: int, values: FrameValues, everything: float, durations: CallDurations | None = None
) -> FunctionRow:
    """The row of one frame."""
    trace = chosen.trace
    own, total = values.self_value[frame].item(), values.total_value[frame].item()
    return FunctionRow(
        handle=f"f{frame}",
        frame=frame,
        name=trace.frame_name(frame),
        file=trace.frame_file(frame),
        line=trace.frame_line(frame),
        self_value=own,
        total_value=total,
        self_share=own / everything if everything else 0.0,
        total_share=total / everything if everything else 0.0,
        count=None if chosen.counts is Counts.NONE else int(values.count[frame]),
        durations=durations,
    )
