"""Who calls a function and what it calls."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.functions import FunctionRow, frame_values, function_row
from traces.analysis.levels import depth_levels
from traces.analysis.window import node_values, whole
from traces.handles import frame_index, profile_at
from traces.model import NONE, CallTree, Int64, Trace, Values
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One caller or callee: `value` is what flows between it and the frame; `share` is of the frame's total.

    `frame` -1 (no handle) is no function: the stack begins with the frame.
    """

    handle: str | None
    frame: int
    name: str
    file: str | None
    line: int | None
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Sandwich:
    """Callers add up to the frame's total; callees and its self value do too. `more_*` say what the limit left out.

    A recursive frame is entered from the caller of its outermost call, and what it calls is counted under its
    innermost.
    """

    frame: FunctionRow
    callers: tuple[NeighbourRow, ...]
    callees: tuple[NeighbourRow, ...]
    more_callers: int
    more_callees: int
    recursive: bool
    whole: float
    unit: Unit
    profile: str


NO_CALLER = "(nothing: stacks begin here)"


def callers_callees(trace: Trace, frame: int, *, profile: int | None = None, limit: int = 15) -> Sandwich:
    """Direct neighbours of a frame, largest first. Raises UnknownHandle."""
    frame_index(trace, f"f{frame}")
    chosen = profile_at(trace, profile)
    tree, values = chosen.tree, node_values(chosen)
    count = len(trace.frames)
    by_frame = frame_values(tree, values.self_value, values.total_value, values.count, count)
    callers, callees = _flows(tree, values.self_value, frame, count)
    row = function_row(trace, frame, by_frame, whole(tree, values.total_value))
    shown_callers, more_callers = _rows(trace, callers, row.total_value, limit)
    shown_callees, more_callees = _rows(trace, callees, row.total_value, limit)
    return Sandwich(
        frame=row,
        callers=shown_callers,
        callees=shown_callees,
        more_callers=more_callers,
        more_callees=more_callees,
        recursive=bool(((tree.frame == frame) & (tree.outermost == 0)).any()),
        whole=whole(tree, values.total_value),
        unit=chosen.unit,
        profile=chosen.handle,
    )


def _flows(tree: CallTree, own: Values, frame: int, frames: int) -> tuple[Values, Values]:
    """What comes from each caller (the last row: from none) and goes into each callee, by frame."""
    outside, itself = -3, -2
    caller = np.full(len(tree), outside, np.int64)
    callee = np.full(len(tree), outside, np.int64)
    for depth, nodes in enumerate(depth_levels(tree.depth)):
        is_frame = tree.frame[nodes] == frame
        if depth == 0:
            caller[nodes[is_frame]] = NONE
            callee[nodes[is_frame]] = itself
            continue
        parent = tree.parent[nodes]
        inherited = caller[parent]
        caller[nodes] = np.where((inherited == outside) & is_frame, tree.frame[parent], inherited)
        above = callee[parent]
        callee[nodes] = np.where(is_frame, itself, np.where(above == itself, tree.frame[nodes], above))
    from_callers = np.zeros(frames + 1, own.dtype)
    into_callees = np.zeros(frames, own.dtype)
    inside: Int64 = np.flatnonzero(caller != outside)
    np.add.at(from_callers, caller[inside], own[inside])  # NONE is the last row
    below = inside[callee[inside] >= 0]
    np.add.at(into_callees, callee[below], own[below])
    return from_callers, into_callees


def _rows(trace: Trace, flow: Values, total: float, limit: int) -> tuple[tuple[NeighbourRow, ...], int]:
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
            )
        )
    return tuple(rows), len(order) - len(rows)
