"""Who calls a function and what it calls."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import FrameFilter
from traces.analysis.functions import FrameValues, FunctionRow, frame_values, function_row, function_values
from traces.analysis.recorded_edges import Basis, RecordedEdges, basis_of_paths, neighbours, recorded_edges
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window
from traces.handles import ProfileChoice, frame_index
from traces.kernels.trees import sum_by_node
from traces.model import NONE, CallTree, Int64, Trace, Values
from traces.values import Counts, ProfileKind, Unit


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One caller or callee: `value` is what flows between it and the frame; `share` is of the frame's total, at most 1
    where a file counts a call inside a call again; `calls` is how often the one called the other directly, None where
    that is not known (of estimated call paths it is not).

    `frame` -1 (no handle) is no function: the stack begins with the frame.
    """

    handle: str | None
    frame: int
    name: str
    file: str | None
    line: int | None
    value: float
    share: float
    calls: int | None = None


@dataclass(frozen=True, slots=True)
class Sandwich:
    """Callers add up to the frame's total; callees and its self value do too. `more_*` say what the limit left out.

    A recursive frame is entered from the caller of its outermost call, and what it calls is counted under its
    innermost. With edges that the file has (`basis`) each caller and callee has what the file says instead, which of
    functions that call each other need not add up; `calls_itself` is how many of its calls the frame made itself, None
    where that is not known. `counted` is what `frame.count` is a number of, None without counts.
    """

    frame: FunctionRow
    callers: tuple[NeighbourRow, ...]
    callees: tuple[NeighbourRow, ...]
    more_callers: int
    more_callees: int
    recursive: bool
    scope_total: float
    unit: Unit
    profile: str
    counted: str | None = None
    basis: Basis = Basis.ADDED_UP
    calls_itself: int | None = None


NO_CALLER = "(nothing: stacks begin here)"


def callers_callees(
    trace: Trace,
    frame: int,
    *,
    profile: ProfileChoice = None,
    limit: int = 15,
    window: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> Sandwich:
    """Direct neighbours of a frame, largest first. Raises UnknownHandle, InvalidQuestion."""
    frame_index(trace, f"f{frame}")
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    tree, values = chosen.tree, chosen.values(window)
    if edges := recorded_edges(chosen, window):
        return _as_recorded(chosen, edges, function_values(chosen, values), chosen.total(values), frame, limit)
    by_frame = frame_values(tree, values, len(trace.frames), tree.outermost)
    callers, callees = _flows(tree, values.total_value, frame, len(trace.frames))
    row = function_row(chosen, frame, by_frame, chosen.total(values))
    is_exact = chosen.counts is Counts.CALLS and chosen.kind is ProfileKind.EVENTED
    called = _called(tree, values.count, frame, len(trace.frames)) if is_exact else (None, None)
    shown_callers, more_callers = _rows(trace, callers, called[0], row.total_value, limit)
    shown_callees, more_callees = _rows(trace, callees, called[1], row.total_value, limit)
    return Sandwich(
        frame=row,
        callers=shown_callers,
        callees=shown_callees,
        more_callers=more_callers,
        more_callees=more_callees,
        recursive=bool(((tree.frame == frame) & (tree.outermost == 0)).any()),
        scope_total=chosen.total(values),
        unit=chosen.unit,
        profile=chosen.handle,
        counted=chosen.count_name,
        basis=basis_of_paths(trace),
    )


def _as_recorded(
    chosen: Selection, edges: RecordedEdges, by_frame: FrameValues, everything: float, frame: int, limit: int
) -> Sandwich:
    trace, row = chosen.trace, function_row(chosen, frame, by_frame, everything)
    count = row.count if chosen.counts is Counts.CALLS else None
    found = neighbours(edges, frame, len(trace.frames), count)
    dtype = by_frame.total_value.dtype
    callers, more_callers = _rows(
        trace, found.from_callers.astype(dtype), found.calls_of_callers, row.total_value, limit, with_calls_alone=True
    )
    callees, more_callees = _rows(
        trace, found.into_callees.astype(dtype), found.calls_of_callees, row.total_value, limit, with_calls_alone=True
    )
    return Sandwich(
        frame=row,
        callers=callers,
        callees=callees,
        more_callers=more_callers,
        more_callees=more_callees,
        recursive=found.is_recursive,
        scope_total=everything,
        unit=chosen.unit,
        profile=chosen.handle,
        counted=chosen.count_name,
        basis=Basis.RECORDED,
        calls_itself=found.calls_itself,
    )


def _flows(tree: CallTree, total: Values, frame: int, frames: int) -> tuple[Values, Values]:
    """What comes from each caller (the last row: from none) and goes into each callee, by frame."""
    is_frame = tree.frame == frame
    outer = np.flatnonzero(is_frame & (tree.outermost == 1))
    above = tree.parent[outer]
    caller = np.where(above >= 0, tree.frame[above], frames).astype(np.int32)
    from_callers = sum_by_node(caller, total[outer], frames + 1)
    below = np.flatnonzero(np.append(is_frame, np.False_)[tree.parent] & ~is_frame)
    into_callees = sum_by_node(tree.frame[below], total[below], frames)
    # What a callee spends in further calls of the frame belongs to what those call: climb to the callee it came by.
    inner = np.flatnonzero(is_frame & (tree.outermost == 0))
    inner = inner[~is_frame[tree.parent[inner]]]
    value, at = total[inner], tree.parent[inner]
    while len(at):
        arrived = is_frame[tree.parent[at]]
        np.subtract.at(into_callees, tree.frame[at[arrived]], value[arrived])
        value, at = value[~arrived], tree.parent[at[~arrived]]
    return from_callers, into_callees


def _called(tree: CallTree, count: Int64, frame: int, frames: int) -> tuple[Int64, Int64]:
    """How often each caller (the last row: none) called the frame, and the frame each callee, by frame."""
    is_frame = tree.frame == frame
    entered = np.flatnonzero(is_frame)
    above = tree.parent[entered]
    caller = np.where(above >= 0, tree.frame[above], frames).astype(np.int32)
    below = np.flatnonzero(np.append(is_frame, np.False_)[tree.parent])
    return sum_by_node(caller, count[entered], frames + 1), sum_by_node(tree.frame[below], count[below], frames)


def _rows(
    trace: Trace, flow: Values, calls: Int64 | None, total: float, limit: int, *, with_calls_alone: bool = False
) -> tuple[tuple[NeighbourRow, ...], int]:
    present = np.flatnonzero((flow > 0) | (calls > 0) if with_calls_alone and calls is not None else flow > 0)
    order = present[np.argsort(-flow[present], kind="stable")]
    rows = []
    for index in order[: max(limit, 0)].tolist():
        known = index < len(trace.frames)
        value = flow[index].item()
        rows.append(
            NeighbourRow(
                handle=f"f{index}" if known else None,
                frame=index if known else NONE,
                name=trace.frame_name(index) if known else NO_CALLER,
                file=trace.frame_file(index) if known else None,
                line=trace.frame_line(index) if known else None,
                value=value,
                share=min(value / total, 1.0) if total else 0.0,
                calls=None if calls is None or calls[index] < 0 else calls[index].item(),
            )
        )
    return tuple(rows), len(order) - len(rows)
