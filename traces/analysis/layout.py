"""Where the boxes of a flame chart go: time order, left heavy, sandwich."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from traces.analysis.boxes import Boxes
from traces.analysis.filters import FrameFilter
from traces.analysis.levels import depth_levels
from traces.analysis.merged import MergedTree, above, below, whole_tree
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window, clip, edges, sample_extent, spans_near
from traces.handles import ProfileChoice, profile_at
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
    total = tree.total_value.astype(np.float64)
    rank = name_ranks(chosen.trace)
    start = np.zeros(len(tree), np.float64)
    rows: list[Int64] = []
    for level in depth_levels(tree.depth):
        nodes = level[total[level] > 0]
        if len(nodes) == 0:
            break
        parent = tree.parent[nodes]
        base = np.where(parent >= 0, start[parent], 0.0)
        order = np.lexsort((rank[tree.frame[nodes]], -total[nodes], parent, base))
        nodes, parent, base = nodes[order], parent[order], base[order]
        before = np.cumsum(total[nodes]) - total[nodes]
        first = np.concatenate(([True], parent[1:] != parent[:-1]))
        start[nodes] = base + before - before[np.maximum.accumulate(np.where(first, np.arange(len(nodes)), 0))]
        rows.append(nodes)
    nodes = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return Boxes(
        start=start[nodes],
        end=start[nodes] + total[nodes],
        frame=tree.frame[nodes],
        ref=chosen.refs(tree.ref[nodes]),
        row_offsets=np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int64),
        ref_kind="node",
        unit=chosen.unit,
        axis_start=0.0,
        axis_end=float(total[tree.parent < 0].sum()),
    )


def name_ranks(trace: Trace) -> Int64:
    """Each frame's place when frames are sorted by name, then index."""
    order = sorted(range(len(trace.frames)), key=trace.frame_names.__getitem__)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _whole_axis(profile: Profile) -> Window:
    start, end = float(profile.axis_start), float(profile.axis_end)
    return Window(start, end if end > start else start + 1)


def _span_boxes(profile: Profile, window: Window) -> Boxes:
    spans = profile.spans
    assert spans is not None
    near = spans_near(spans, window)
    start, end, depth = near.of(spans.start), near.of(spans.end), near.of(spans.depth)
    order = _by_depth(depth)
    lasting = end > start
    if not lasting.all():
        order = order[lasting[order]]
    begins, ends = start[order].astype(np.float64), end[order].astype(np.float64)
    low, high = edges(start, window)
    np.maximum(begins, low, out=begins)
    np.minimum(ends, high, out=ends)
    row = near.row(order)
    frame = profile.tree.frame[spans.node[row]]
    return _boxes(profile, window, (begins, ends), depth[order], frame, row + profile.span_base, "span")


def _sample_boxes(profile: Profile, samples: Samples, window: Window) -> Boxes:
    tree = profile.tree
    begins, ends = sample_extent(profile, samples)
    shown = np.flatnonzero((ends > window.start) & (begins < window.end) & (ends > begins))
    begins, ends = clip(begins[shown], ends[shown], window)
    leaf = samples.leaf[shown]
    slack = 0.0 if profile.axis.is_time else 1e-9 * (window.end - window.start)
    if len(leaf):
        # Samples in a row with one leaf are one run; a gap in time ends a run.
        same = (leaf[1:] == leaf[:-1]) & (begins[1:] <= ends[:-1] + slack)
        first = np.concatenate(([0], np.flatnonzero(~same) + 1))
        last = np.append(first[1:] - 1, len(leaf) - 1)
        leaf, begins, ends = leaf[first], begins[first], ends[last]
    columns: list[tuple[Values, Values, Int32, Int32]] = []
    busy = np.flatnonzero(leaf >= 0)
    leaf, begins, ends = leaf[busy].copy(), begins[busy], ends[busy]
    while len(leaf):
        # One row of the chart at a time, deepest first; each run's node climbs to its parent when its row is done.
        depth = int(tree.depth[leaf].max())
        at = np.flatnonzero(tree.depth[leaf] == depth)
        node = leaf[at]
        joined = (node[1:] == node[:-1]) & (at[1:] == at[:-1] + 1) & (begins[at[1:]] <= ends[at[:-1]] + slack)
        first = np.concatenate(([0], np.flatnonzero(~joined) + 1))
        last = np.append(first[1:] - 1, len(node) - 1)
        columns.append((begins[at[first]], ends[at[last]], np.full(len(first), depth, np.int32), node[first]))
        if depth == 0:
            break
        leaf[at] = tree.parent[node]
    if not columns:
        empty = np.zeros(0, np.int32)
        columns.append((np.zeros(0), np.zeros(0), empty, empty))
    start, end, depths, nodes = (np.concatenate(c) for c in zip(*columns, strict=True))
    order = np.lexsort((start, depths))
    nodes = nodes[order]
    return _boxes(
        profile,
        window,
        (start[order], end[order]),
        depths[order],
        tree.frame[nodes],
        nodes + profile.node_base,
        "node",
    )


def _by_depth(depth: Int32) -> Int64:
    """The order of their rows, of what is in order of time: numpy sorts 16 bits by radix, and no stack is deeper."""
    return np.argsort(depth.astype(np.uint16), kind="stable")


def _boxes(
    profile: Profile,
    window: Window,
    extent: tuple[Values, Values],
    depth: Int32,
    frame: Int32,
    ref: Int64,
    kind: Literal["span", "node"],
) -> Boxes:
    """Boxes that are in order of row and time."""
    depths = np.arange(int(depth[-1]) + 2 if len(depth) else 1)
    return Boxes(
        start=extent[0].astype(np.float64, copy=False),
        end=extent[1].astype(np.float64, copy=False),
        frame=frame,
        ref=ref,
        row_offsets=np.searchsorted(depth, depths).astype(np.int64),
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
