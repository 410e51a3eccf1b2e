"""Where the boxes of a flame chart go: time order, left heavy, sandwich."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from traces.analysis.boxes import Boxes
from traces.analysis.filters import FrameFilter
from traces.analysis.merged import MergedTree, above, below, whole_tree
from traces.analysis.selection import Selection, select
from traces.analysis.stretches import stretches
from traces.analysis.window import Window, edges, spans_near
from traces.handles import ProfileChoice, profile_at
from traces.kernels.levels import by_depth, levels_of
from traces.model import NONE, Int32, Int64, Profile, Samples, Trace, Values
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
    """Calls as they happened. Neighbouring samples with the same path share a box. Raises UnknownHandle."""
    chosen = profile_at(trace, profile)
    window = window or _whole_axis(chosen)
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
    return _at_most(heaviest_first(chosen, whole_tree(chosen.tree, chosen.values(window))), max_boxes)


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


def heaviest_first(chosen: Selection, tree: MergedTree) -> Boxes:
    """A merged tree as boxes side by side: siblings heaviest first, ties by name, nothing for nodes without weight."""
    nodes = np.flatnonzero(tree.total_value > 0)
    total, frame, depth = tree.total_value[nodes], tree.frame[nodes], tree.depth[nodes]
    place = np.full(len(tree) + 1, NONE, np.int64)  # the last one is where -1 leads
    place[nodes] = np.arange(len(nodes))
    parent = place[tree.parent[nodes]]
    siblings = _siblings(parent, total, chosen.trace.name_ranks[frame])
    before = np.concatenate((np.zeros(1, total.dtype), np.cumsum(total[siblings])))[:-1]  # with all earlier parents'
    first = np.flatnonzero(np.diff(parent[siblings], prepend=NONE - 1))
    left = np.empty(len(nodes), np.float64)  # of each box, in its parent
    left[siblings] = before - np.repeat(before[first], np.diff(first, append=len(nodes)))
    start = levels_of(depth, parent).sum_downwards(left)
    from_left = np.argsort(start)
    in_rows, rows = by_depth(depth[from_left])
    order = from_left[in_rows]
    return Boxes(
        start=start[order],
        end=start[order] + total[order],
        frame=frame[order],
        ref=chosen.refs(tree.ref[nodes[order]]),
        row_offsets=rows,
        ref_kind="node",
        unit=chosen.unit,
        axis_start=0.0,
        axis_end=float(total[parent < 0].sum()),
    )


def _siblings(parent: Int64, total: Values, rank: Int64) -> Int64:
    """Children of one parent after the other, the heaviest first, at a tie by rank."""
    if len(total) == 0:
        return np.zeros(0, np.int64)
    by_total = np.argsort(total)
    ranked = total[by_total]
    lighter = np.empty(len(total), np.int64)  # how many different totals are less
    lighter[by_total] = np.cumsum(np.concatenate(([False], ranked[1:] != ranked[:-1])))
    ranks = int(rank.max()) + 1
    weights = int(lighter.max()) + 1
    if (int(parent.max()) + 2) * weights * ranks < 1 << 62:
        # One number tells them apart: the parent first, then the weight, then the rank.
        return np.argsort(((parent + 1) * weights + (weights - 1 - lighter)) * ranks + rank)
    return np.lexsort((rank, -lighter, parent))


def _whole_axis(profile: Profile) -> Window:
    start, end = float(profile.axis_start), float(profile.axis_end)
    return Window(start, end if end > start else start + 1)


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
    extent = np.maximum(start, low).astype(np.float64)[order], np.minimum(end, high).astype(np.float64)[order]
    frame = profile.tree.frame[near.of(spans.node)][order]
    return _boxes(profile, window, extent, rows, frame, near.row(order) + profile.span_base, "span")


def _sample_boxes(profile: Profile, samples: Samples, window: Window) -> Boxes:
    found = stretches(profile, samples, window)
    frame, ref = profile.tree.frame[found.node], found.node.astype(np.int64) + profile.node_base
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
            row_offsets=np.searchsorted(row[first], np.arange(boxes.depth_count + 1)),
        )
        cells >>= 1
    return Layout(merged, total - len(merged), total)
