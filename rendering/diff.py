"""The diff of two traces: left heavy by the second, coloured by change from blue (gone) to red (new)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rendering.bounds import MAX_VANISHED_NAMES, ROW_HEIGHT
from rendering.box_titles import place_of
from rendering.chart import Area, BoxTitle, Paint, draw_rows
from rendering.description import shown_name
from rendering.errors import InvalidOption
from rendering.kernels.layout import Places, side_by_side
from rendering.labels import missing_note
from rendering.left_heavy import name_ranks
from rendering.legend import change_legend
from rendering.options import DiffOptions
from rendering.palette import PALETTES, Palette
from rendering.picture import Picture, write
from rendering.profiles import chosen_profile, profile_title, trace_title
from rendering.rows import BoxRows
from rendering.scene import Fill, Label, Scene
from rendering.sheet import Sheet, depth_note, detail_notes
from traces.analysis.diff import TreeDiff, diff_trees
from traces.analysis.units import format_share, format_value
from traces.errors import InvalidQuestion
from traces.model import NONE, Int64, Trace

MARK_WIDTH = 3
"""Pixels of the mark where a function vanished."""

_LARGEST_CHANGES = 6
_SAME = 0.005
"""A change below half a per cent is none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both traces' trees as one, and where its nodes lie. `extent` is the axis: the second's weight, or 1."""

    before: Trace
    after: Trace
    tree: TreeDiff
    places: Places
    rows: BoxRows
    extent: float
    as_shares: bool

    def frame(self, node: int) -> tuple[Trace, int]:
        """The function of a node, where it is there in the second trace by its frame there."""
        function = int(self.tree.function[node])
        frame = int(self.tree.after_frame[function])
        return (self.after, frame) if frame != NONE else (self.before, int(self.tree.before_frame[function]))

    def name(self, node: int) -> str:
        trace, frame = self.frame(node)
        return trace.frame_name(frame)

    def value(self, value: float) -> str:
        return format_share(value) if self.as_shares else format_value(value, self.tree.after_profile.unit)

    def change(self, before: float, after: float) -> str:
        """`+12%`, `-3.4 ms` where there was nothing, `new`; empty for no change."""
        if before <= 0:
            return "new"
        change = after / before - 1
        if abs(change) < _SAME:
            return ""
        return f"{'+' if change > 0 else '−'}{_per_cent(abs(change))}"


def render_diff(before: Trace, after: Trace, options: DiffOptions) -> Picture:
    """The picture. Raises InvalidOption for profiles that are not there or cannot be compared, or a depth past the
    stack."""
    comparison = compare(before, after, options)
    scene, notes = diff_scene(comparison, options)
    return write(scene, notes, options.format)


def compare(before: Trace, after: Trace, options: DiffOptions) -> Comparison:
    """The two call trees as one. Raises InvalidOption."""
    first = chosen_profile(before, options.before_profile, "before_profile")
    second = chosen_profile(after, options.profile)
    as_shares = options.compare == "shares"
    try:
        tree = diff_trees(before, after, before_profile=first.index, after_profile=second.index, as_shares=as_shares)
    except InvalidQuestion as error:
        raise InvalidOption("before_profile", str(error)) from error
    nodes = np.arange(len(tree), dtype=np.int32)
    names = {int(f): n for f, n in zip(tree.function[::-1], nodes[::-1], strict=True)}
    partial = Comparison(before, after, tree, _NOWHERE, _NO_ROWS, 0.0, as_shares)
    rank = name_ranks(lambda function: partial.name(int(names[function])), tree.function)
    places = side_by_side(tree.parent, tree.depth, tree.after, tree.function, rank)
    rows = BoxRows(places.start, places.end, places.node, places.row_offsets)
    extent = float(tree.after[tree.parent < 0].sum())
    if options.start_depth and options.start_depth >= rows.depth_count:
        text = f"{options.start_depth} is past the stack, whose deepest call is at {rows.depth_count - 1}"
        raise InvalidOption("start_depth", text)
    return Comparison(before, after, tree, places, rows, extent, as_shares)


_NO_ROWS = BoxRows(np.zeros(0), np.zeros(0), np.zeros(0, np.int32), np.zeros(1, np.int64))
_NOWHERE = Places(_NO_ROWS.kind, _NO_ROWS.start, _NO_ROWS.end, _NO_ROWS.kind, _NO_ROWS.row_offsets)


def diff_scene(comparison: Comparison, options: DiffOptions) -> tuple[Scene, tuple[str, ...]]:
    """The scene and the notes that it says at its foot."""
    rows, deepest = comparison.rows, comparison.rows.depth_count
    # The boxes' own labels show shares better than an axis would.
    without_axis = replace(options, value_axis=options.value_axis and not comparison.as_shares)
    key = change_legend(PALETTES[options.theme], as_shares=comparison.as_shares) if options.legend else ()
    sheet = Sheet(without_axis, deepest=deepest, legend=[swatch.text for swatch in key])
    area = sheet.area(0.0, comparison.extent)
    row_count = sheet.rows(0) if options.depth is None else min(sheet.rows(0), options.depth)
    depths = range(options.start_depth, min(deepest, options.start_depth + row_count))
    look = _paint(comparison, sheet.palette, handles=options.handles)
    chart = draw_rows(rows, depths, area, look)
    gone = vanished(comparison.tree)
    title = options.title or f"{trace_title(comparison.before)} → {trace_title(comparison.after)}"
    missing = missing_note((title, *chart.texts), options)
    for kept in range(sheet.most_lines + 1):
        shown = range(depths.start, min(depths.stop, depths.start + sheet.rows(kept)))
        detail = detail_notes(chart.merged(len(shown)), chart.hidden, options.min_width)
        notes = (*depth_note(shown, deepest), *_vanished_notes(comparison, gone), *detail, *missing)
        lines = sheet.wrapped(notes)
        if len(lines) <= kept:
            break
    bottom = sheet.top + max(1, len(shown)) * ROW_HEIGHT
    strips, labels = chart.placed(
        sheet.top, len(shown), title_of=_titles(comparison) if options.format == "svg" else None
    )
    axis_unit = comparison.tree.after_profile.unit
    fills, axis_labels = sheet.value_axis(area, bottom, zero=0.0, unit=axis_unit)
    labels += [*sheet.header(title, _subtitle(comparison)), *axis_labels, *sheet.depth_axis(shown, sheet.top)]
    if not strips:
        labels.append(Label(sheet.left + 4, sheet.top + 13, "Nothing was recorded here.", "small", sheet.palette.muted))
    scene = sheet.scene(
        bottom,
        lines,
        title=title,
        description=_description(comparison, notes),
        fills=fills,
        strips=strips,
        marks=_marks(comparison, gone, area, shown, sheet),
        labels=labels,
        swatches=key,
    )
    return scene, notes


def vanished(tree: TreeDiff) -> Int64:
    """Nodes that are gone while their caller is still there, heaviest first: what they called is gone with them."""
    gone = (tree.after <= 0) & (tree.before > 0)
    outermost = gone & ((tree.parent < 0) | (tree.after[tree.parent] > 0))
    nodes = np.flatnonzero(outermost)
    return nodes[np.argsort(-tree.before[nodes], kind="stable")]


def changes(tree: TreeDiff) -> npt.NDArray[np.float64]:
    """From -1 (gone) over 0 to 1 (new): the difference by the larger of both weights."""
    larger = np.maximum(tree.before, tree.after)
    return np.divide(tree.after - tree.before, larger, out=np.zeros(len(tree)), where=larger > 0)


def _paint(comparison: Comparison, palette: Palette, *, handles: bool) -> Paint:
    tree = comparison.tree

    def remark(node: int) -> str:
        change = comparison.change(float(tree.before[node]), float(tree.after[node]))
        handle = f"[f{comparison.frame(node)[1]}]" if handles else ""
        return f"{change} {handle}".strip()

    colours = palette.change_colours(changes(tree))
    return Paint(colours, None, palette.label, palette.dim_label, comparison.name, remark)


def _titles(comparison: Comparison) -> BoxTitle:
    tree = comparison.tree

    def title(node: int, value: float, count: int) -> str:
        trace, frame = comparison.frame(node)
        before, after = float(tree.before[node]), float(tree.after[node])
        many = f"{count:,} boxes, the heaviest " if count > 1 else ""
        change = comparison.change(before, after) or "no change"
        return f"{many}{place_of(trace, frame)} {comparison.value(before)} → {comparison.value(after)}, {change}"

    return title


def _marks(comparison: Comparison, gone: Int64, area: Area, depths: range, sheet: Sheet) -> list[Fill]:
    """Where something vanished: behind the callees that its caller still has."""
    tree, places = comparison.tree, comparison.places
    start = np.zeros(len(tree))
    start[places.node] = places.start
    left_over = np.bincount(tree.parent[tree.parent >= 0], tree.after[tree.parent >= 0], len(tree))
    per_pixel = (area.end - area.start) / area.width
    red, green, blue = sheet.palette.change_colours(np.array([-1.0]))[0].tolist()
    by_caller: dict[int, list[int]] = {}
    for node in gone.tolist():
        if tree.depth[node] in depths:
            by_caller.setdefault(int(tree.parent[node]), []).append(node)
    marks = []
    for caller, nodes in by_caller.items():
        low, high = (0.0, comparison.extent) if caller < 0 else (start[caller], start[caller] + tree.after[caller])
        at = comparison.extent if caller < 0 else low + left_over[caller]
        right = min(area.width, round(high / per_pixel))
        x = min(round(at / per_pixel), right - MARK_WIDTH)
        if x < round(low / per_pixel):
            continue
        vanished_names = ", ".join(f"{comparison.name(n)} {comparison.value(float(tree.before[n]))}" for n in nodes[:8])
        top = sheet.top + (int(tree.depth[nodes[0]]) - depths.start) * ROW_HEIGHT
        marks.append(
            Fill(area.left + x, top, MARK_WIDTH, ROW_HEIGHT - 1, (red, green, blue), f"gone: {vanished_names}")
        )
    return marks


def _vanished_notes(comparison: Comparison, gone: Int64) -> tuple[str, ...]:
    if not len(gone):
        return ()
    named = [
        f"{shown_name(comparison.name(node))} {comparison.value(float(comparison.tree.before[node]))}"
        for node in gone[:MAX_VANISHED_NAMES].tolist()
    ]
    more = len(gone) - len(named)
    return (f"gone (blue marks): {', '.join(named)}" + (f" and {more:,} more" if more else ""),)


def _subtitle(comparison: Comparison) -> str:
    tree = comparison.tree
    before = profile_title(comparison.before, tree.before_profile)
    after = profile_title(comparison.after, tree.after_profile)
    profiles = after if before == after else f"{before} → {after}"
    return " · ".join(["Diff, left heavy by the second", profiles, _totals(comparison)])


def _totals(comparison: Comparison) -> str:
    roots = comparison.tree.parent < 0
    if comparison.as_shares:
        return "shares of each profile"
    before, after = float(comparison.tree.before[roots].sum()), float(comparison.tree.after[roots].sum())
    change = comparison.change(before, after) or "no change"
    return f"{comparison.value(before)} → {comparison.value(after)} ({change})"


def _description(comparison: Comparison, notes: Sequence[str]) -> str:
    tree = comparison.tree
    own = tree.after - tree.before
    child = tree.parent >= 0
    mine = own - np.bincount(tree.parent[child], own[child], len(tree))
    by_function = np.bincount(tree.function, mine, len(tree.after_frame)).astype(np.float64)
    return " ".join(
        [
            f"Diff of {trace_title(comparison.before)} and {trace_title(comparison.after)}: {_totals(comparison)}.",
            f"Grew most in the function itself: {_largest(comparison, by_function, 1)}.",
            f"Shrank most: {_largest(comparison, by_function, -1)}.",
            *(f"{note[:1].upper()}{note[1:]}." for note in notes),
        ]
    )


def _largest(comparison: Comparison, by_function: npt.NDArray[np.float64], sign: int) -> str:
    parts = []
    for function in np.argsort(-sign * by_function, kind="stable")[:_LARGEST_CHANGES].tolist():
        if sign * by_function[function] <= 0:
            break
        frame = int(comparison.tree.after_frame[function])
        trace, frame = (
            (comparison.after, frame)
            if frame != NONE
            else (comparison.before, int(comparison.tree.before_frame[function]))
        )
        change = comparison.value(abs(float(by_function[function])))
        parts.append(f"{shown_name(trace.frame_name(frame))} by {change}")
    return ", ".join(parts) or "nothing"


def _per_cent(change: float) -> str:
    return f"{change * 100:,.0f}%" if change >= 0.1 else f"{change * 100:.1f}%"
