"""Who called whom as the file has it: exact sums of a caller and a callee, and of a function with all its callers.

Call graphs (cProfile, callgrind) have these and no call paths, which are estimates. Where a question is about part of a
recording (a window, some functions, a transformed tree) only the paths can answer it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from traces.analysis.selection import Selection
from traces.analysis.window import Window
from traces.edges import EVERYONE, UNKNOWN, Float64, Int32, Int64
from traces.model import Trace
from traces.values import ESTIMATED_PATHS

UNPAID = 1e-3
"""Of a function's total; what its callers paid may differ by rounding without a caller being unknown."""


class Basis(StrEnum):
    """Where the figures between a caller and a callee are from."""

    RECORDED = "recorded"  #: The file has them, exactly.
    ESTIMATED = "estimated"  #: From estimated call paths.
    ADDED_UP = "added up"  #: From recorded stacks or calls, exactly.


@dataclass(frozen=True, slots=True)
class RecordedEdges:
    """Of a selection: rows of `caller`, `callee` and what flows between them, and rows of `function` with all its
    callers. -1 is unknown."""

    caller: Int32
    callee: Int32
    calls: Int64
    value: Float64
    function: Int32
    primitive: Int64
    total: Float64

    def totals(self, frames: int) -> Float64:
        """The total of each frame; -1 where it is not known in each of the profiles."""
        sums = _summed(self.function, self.total, frames)
        sums[self.function[self.total < 0]] = UNKNOWN
        known = np.zeros(frames, bool)
        known[self.function] = True
        return np.where(known, sums, UNKNOWN)

    def calls_between(self, callers: Sequence[int], callees: Sequence[int]) -> int | None:
        """How often some frames called others directly; None where the file does not say."""
        calls = self.calls[np.isin(self.caller, callers) & np.isin(self.callee, callees)]
        return int(calls.sum()) if (calls >= 0).all() else None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What flows from each caller (the last row: from none) and into each callee, by frame, and in how many calls: -1
    is unknown. `calls_itself` is how many of its calls the function made itself; None where that is unknown."""

    from_callers: Float64
    calls_of_callers: Int64
    into_callees: Float64
    calls_of_callees: Int64
    calls_itself: int | None
    is_recursive: bool


def basis_of_paths(trace: Trace) -> Basis:
    """Of what is added up by call paths."""
    is_estimate = any(warning.code == ESTIMATED_PATHS for warning in trace.warnings)
    return Basis.ESTIMATED if is_estimate else Basis.ADDED_UP


def recorded_edges(chosen: Selection, window: Window | None = None) -> RecordedEdges | None:
    """The edges of a selection; None where the file has none of each profile, or part of a recording is asked for."""
    edges = chosen.trace.edges
    if window is not None or chosen.frame_filter or not len(edges):
        return None
    key = "edges", tuple(profile.index for profile in chosen.profiles), chosen.value
    known = chosen.trace.answers
    if key not in known:
        rows = [edges.rows_of(p.index, value) for p, value in zip(chosen.profiles, chosen.value, strict=True)]
        known[key] = _selected(chosen.trace, rows) if all(one.stop > one.start for one in rows) else None
    found: RecordedEdges | None = known[key]
    return found


def _selected(trace: Trace, rows: list[slice]) -> RecordedEdges:
    edges = trace.edges
    caller, callee, calls, primitive, value = (
        np.concatenate([column[one] for one in rows])
        for column in (edges.caller, edges.callee, edges.calls, edges.primitive, edges.total_value)
    )
    functions, pairs = np.flatnonzero(caller == EVERYONE), np.flatnonzero(caller != EVERYONE)
    between = (caller[pairs], callee[pairs], calls[pairs], value[pairs])
    return RecordedEdges(*between, callee[functions], primitive[functions], value[functions])


def neighbours(edges: RecordedEdges, frame: int, frames: int, count: int | None) -> Neighbours:
    """The callers and callees of a frame that was called `count` times (None: not known). What none of its callers paid
    for, or called, came from nobody."""
    into, outof = edges.callee == frame, edges.caller == frame
    itself, others, callees = into & outof, into & ~outof, outof & ~into
    from_callers, into_callees = (
        _summed(column[rows], edges.value[rows], frames + 1)
        for column, rows in ((edges.caller, others), (edges.callee, callees))
    )
    of_callers, of_callees = (
        _calls(column[rows], edges.calls[rows], frames + 1)
        for column, rows in ((edges.caller, others), (edges.callee, callees))
    )
    calls_itself, is_nested, total = None, False, edges.totals(frames)[frame]
    if count is not None and (edges.calls[into] >= 0).all():
        calls_itself = int(edges.calls[itself].sum())
        primitive = edges.primitive[edges.function == frame]
        is_nested = bool(len(primitive) and (primitive >= 0).all() and primitive.sum() < count - calls_itself)
        of_callers[frames] = max(0, count - int(edges.calls[into].sum()))
    # Of functions that call each other, a caller that it calls is inside one of its own calls.
    outside = from_callers[:frames][of_callees[:frames] == 0] if is_nested else from_callers
    unpaid = max(0.0, float(total - outside.sum()))
    if total >= 0 and (of_callers[frames] > 0 or (not is_nested and unpaid > UNPAID * total)):
        from_callers[frames] = unpaid
        of_callers[frames] = of_callers[frames] or UNKNOWN
    return Neighbours(
        from_callers=from_callers,
        calls_of_callers=of_callers,
        into_callees=into_callees[:frames],
        calls_of_callees=of_callees[:frames],
        calls_itself=calls_itself,
        is_recursive=bool(itself.any()) or is_nested,
    )


def _summed(frame: Int32, values: Float64, size: int) -> Float64:
    sums: Float64 = np.bincount(frame, values, minlength=size).astype(np.float64)
    return sums


def _calls(frame: Int32, calls: Int64, size: int) -> Int64:
    """The calls of each frame added up; -1 where some are not known."""
    sums = np.bincount(frame, calls, minlength=size).astype(np.int64)
    sums[frame[calls < 0]] = UNKNOWN
    return sums
