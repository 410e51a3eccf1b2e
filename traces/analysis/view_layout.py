"""Where the boxes of a flame chart go: time order, left heavy, sandwich."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from traces.analysis.boxes import Boxes
from traces.analysis.filters import FrameFilter
from traces.analysis.merged import above, below, full_tree
from traces.analysis.selection import select
from traces.analysis.side_by_side import heaviest_first
from traces.analysis.time_axis import is_in_order, need_times
from traces.analysis.time_ranges import sample_runs
from traces.analysis.window import Window, edges, full_axis, spans_near
from traces.handles import ProfileChoice, profile_at
from traces.kernels.columns import pick
from traces.levels import by_depth
from traces.mapped_profile import node_refs, span_refs
from traces.model import Int32, Int64, Profile, Samples, Trace, Values
from traces.values import ProfileKind

MAX_BOXES = 1_000_000
"""As many boxes as the page and the rasteriser draw without effort."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`total` boxes were there before `merged` of them went into a neighbour, because `max_boxes` was passed."""

    boxes: Boxes
    merged: int
    total: int


@dataclass(frozen=True, slots=True)
class SandwichLayout:
    """Callers grow upwards (depth 0 next to the frame), callees downwards (depth 0 is the frame), on one axis."""

    callers: Boxes
    callees: Boxes


def time_order(
    trace: Trace, *, profile: int | None = None, window: Window | None = None, max_boxes: int = MAX_BOXES
) -> Layout:
    """Calls as they happened. Neighbouring samples with the same path share a box. Raises UnknownHandle, NoTimes for
    samples without times or a window in what has none."""
    chosen = profile_at(trace, profile)
    if window is not None or not is_in_order(chosen):
        need_times((chosen,), "what happened when")
    window = window or full_axis(chosen)
    if chosen.kind is ProfileKind.EVENTED:
        boxes = _span_boxes(chosen, window)
    else:
        assert chosen.samples is not None
        boxes = _sample_boxes(chosen, chosen.samples, window)
    return _at_most(boxes, max_boxes)


def left_heavy(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    window: Window | None = None,
    max_boxes: int = MAX_BOXES,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> Layout:
    """Calls merged by path, heaviest first (ties by name); the axis is the value, from 0. Raises UnknownHandle,
    InvalidQuestion."""
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    tree = chosen.tree
    return _at_most(heaviest_first(chosen, full_tree(tree, chosen.values(window)), tree.levels), max_boxes)


def sandwich_layout(
    trace: Trace,
    frame: int,
    *,
    profile: ProfileChoice = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> SandwichLayout:
    """Callers and callees of one frame, each heaviest first. Raises UnknownHandle, InvalidQuestion."""
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    tree, values = chosen.tree, chosen.values()
    starts = np.flatnonzero((tree.frame == frame) & (tree.outermost == 1))
    if len(starts) == 1:  # no two nodes below it have one path: they stay as they are
        inside = tree.levels.at_or_below(np.arange(len(tree)) == starts)
        part = replace(values, total_value=np.where(inside, values.total_value, 0))
        callees = heaviest_first(chosen, full_tree(tree, part), tree.levels)
    else:
        callees = heaviest_first(chosen, below(tree, values, starts))
    callers = heaviest_first(chosen, above(tree, starts, values.total_value[starts], values.count[starts]))
    cut = int(callers.row_offsets[1]) if callers.depth_count else 0
    upper = replace(
        callers,
        start=callers.start[cut:],
        end=callers.end[cut:],
        frame=callers.frame[cut:],
        ref=callers.ref[cut:],
        row_offsets=callers.row_offsets[1:] - cut if callers.depth_count else callers.row_offsets,
    )
    return SandwichLayout(callers=upper, callees=callees)


def _span_boxes(profile: Profile, window: Window) -> Boxes:
    spans = profile.spans
    assert spans is not None
    near = spans_near(spans, window)
    start, end, depth = near.of(spans.start), near.of(spans.end), near.of(spans.depth)
    order, rows = by_depth(depth)
    if len(empty := np.flatnonzero(end <= start)):
        order = order[(end > start)[order]]
        rows = rows - np.concatenate(([0], np.cumsum(np.bincount(depth[empty], minlength=len(rows) - 1))))
    low, high = edges(start, window)
    extent = np.maximum(start, low)[order], np.minimum(end, high)[order]
    frame = pick(profile.tree.frame, near.of(spans.node)[order])
    shown = near.row(order)
    boxes = _boxes(profile, window, extent, rows, frame, span_refs(profile, shown), "span")
    if not len(spans.unfinished):
        return boxes
    return replace(boxes, unfinished=np.isin(shown, spans.unfinished).astype(np.uint8))


def _sample_boxes(profile: Profile, samples: Samples, window: Window) -> Boxes:
    found = sample_runs(profile, samples, window)
    frame, ref = profile.tree.frame[found.node], node_refs(profile, found.node)
    return _boxes(profile, window, (found.start, found.end), found.row_offsets, frame, ref, "node")


def _boxes(
    profile: Profile,
    window: Window,
    extent: tuple[Values, Values],
    rows: Int64,
    frame: Int32,
    ref: Int64,
    kind: Literal["span", "node"],
) -> Boxes:
    """Boxes that are in order of row and time."""
    return Boxes(
        start=extent[0].astype(np.float64, copy=False),
        end=extent[1].astype(np.float64, copy=False),
        frame=frame,
        ref=ref,
        row_offsets=rows,
        ref_kind=kind,
        unit=profile.axis,
        axis_start=window.start,
        axis_end=window.end,
    )


def _at_most(boxes: Boxes, limit: int) -> Layout:
    """Merge boxes too narrow to see into neighbours until the limit holds; the widest gives frame and handle."""
    total = len(boxes)
    if total <= limit:
        return Layout(boxes, 0, total)
    width = max(boxes.axis_end - boxes.axis_start, 1e-300)
    row = np.repeat(np.arange(boxes.depth_count), np.diff(boxes.row_offsets))
    cells = 1 << 16
    merged = boxes
    while len(merged) > limit and cells >= 16:
        quantum = width / cells
        narrow = boxes.end - boxes.start < quantum
        cell = np.floor((boxes.start - boxes.axis_start) / quantum)
        with_previous = (row[1:] == row[:-1]) & (cell[1:] == cell[:-1]) & narrow[1:] & narrow[:-1]
        first = np.concatenate(([0], np.flatnonzero(~with_previous) + 1))
        group = np.cumsum(np.concatenate(([False], ~with_previous)))
        widest = np.lexsort((boxes.start - boxes.end, group))[first]
        merged = replace(
            boxes,
            start=boxes.start[first],
            end=boxes.end[np.append(first[1:] - 1, total - 1)],
            frame=boxes.frame[widest],
            ref=boxes.ref[widest],
            unfinished=None if boxes.unfinished is None else boxes.unfinished[widest],
            row_offsets=np.searchsorted(row[first], np.arange(boxes.depth_count + 1)),
        )
        cells >>= 1
    return Layout(merged, total - len(merged), total)
