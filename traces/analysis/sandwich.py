"""Who calls a function and what it calls."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import FrameFilter
from traces.analysis.functions import FunctionRow, frame_values, function_row
from traces.analysis.selection import select
from traces.analysis.window import Window
from traces.handles import ProfileChoice, frame_index
from traces.kernels.trees import sum_by_node
from traces.model import NONE, CallTree, Int64, Trace, Values
from traces.values import Counts, ProfileKind, Unit


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One caller or callee: `value` is what flows between it and the frame; `share` is of the frame's total; `calls` is
    how often the one called the other directly, None where no single calls were recorded (the paths of a call graph are
    estimates).

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
    innermost. `counted` is what `frame.count` is a number of, None without counts.
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
    trace: Trace, flow: Values, calls: Int64 | None, total: float, limit: int
) -> tuple[tuple[NeighbourRow, ...], int]:
    present = np.flatnonzero(flow > 0)
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
                share=value / total if total else 0.0,
                calls=None if calls is None else calls[index].item(),
            )
        )
    return tuple(rows), len(order) - len(rows)
