"""The flame chart of a profile: in time order, or left heavy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rendering.bounds import MAX_BOXES, ROW_HEIGHT
from rendering.chart import Area, draw_chart, matching_frames, paint, used_frames
from rendering.description import describe
from rendering.errors import InvalidOption
from rendering.options import FlamegraphOptions, Mode
from rendering.palette import PALETTES
from rendering.picture import Picture
from rendering.png import encode_png
from rendering.raster import rasterise
from rendering.scene import Label, Scene
from rendering.sheet import (
    HEADER,
    MARGIN,
    depth_axis,
    footer,
    footer_height,
    gutter,
    header,
    merged_notes,
    most_lines,
    value_axis,
    wrapped,
)
from traces.analysis.boxes import Boxes
from traces.analysis.layout import Layout, left_heavy, time_order
from traces.analysis.units import format_value
from traces.analysis.window import Window
from traces.model import Profile, Trace

MODE_TITLES: dict[Mode, str] = {"time_order": "Time order", "left_heavy": "Left heavy"}


@dataclass(frozen=True, slots=True)
class View:
    """Boxes with what is asked of them: the part of their axis that is shown, and where that axis is zero."""

    layout: Layout
    profile: Profile
    start: float
    end: float
    zero: float
    window: Window | None
    notes: tuple[str, ...]

    @property
    def boxes(self) -> Boxes:
        return self.layout.boxes


def render_flamegraph(trace: Trace, options: FlamegraphOptions) -> Picture:
    """The picture. Raises InvalidOption for a profile, window or depth that the trace does not have."""
    view = lay_out(trace, options)
    scene, notes = flamegraph_scene(trace, view, options)
    return Picture(
        encode_png(rasterise(scene)), scene.width, scene.height, notes, _description(trace, view, options, notes)
    )


def lay_out(trace: Trace, options: FlamegraphOptions) -> View:
    """The boxes that the options ask for. Raises InvalidOption."""
    profile = chosen_profile(trace, options.profile)
    window, notes = _window_inside(profile, options.window)
    if options.mode == "time_order":
        layout = time_order(trace, profile=profile.index, window=window, max_boxes=MAX_BOXES)
        start, end = (window.start, window.end) if window else (profile.axis_start, profile.axis_end)
        zero = float(profile.axis_start)
    else:
        layout = left_heavy(trace, profile=profile.index, window=window, max_boxes=MAX_BOXES)
        start, end = layout.boxes.axis_start, layout.boxes.axis_end
        zero = start
    depth = layout.boxes.depth_count
    if options.start_depth and options.start_depth >= depth:
        raise InvalidOption(
            "start_depth", f"{options.start_depth} is past the stack, whose deepest call is at {depth - 1}"
        )
    return View(layout, profile, float(start), float(end), zero, window, notes)


def chosen_profile(trace: Trace, index: int | None) -> Profile:
    """The profile asked for, or the trace's default one. Raises InvalidOption."""
    if index is None:
        return trace.profiles[trace.default_profile]
    if not 0 <= index < len(trace.profiles):
        last = len(trace.profiles) - 1
        raise InvalidOption(
            "profile", f"there is no p{index}; this trace has {f'p0 to p{last}' if last else 'only p0'}"
        )
    return trace.profiles[index]


def flamegraph_scene(trace: Trace, view: View, options: FlamegraphOptions) -> tuple[Scene, tuple[str, ...]]:
    """The scene and the notes that it says at its foot."""
    palette = PALETTES[options.theme]
    boxes = view.boxes
    matching, said = None, list(view.notes)
    if options.highlight:
        matching = matching_frames(trace, options.highlight, used_frames(trace, (boxes, range(boxes.depth_count))))
        said.append(_highlight_note(int(np.count_nonzero(matching)), options.highlight))
    left = gutter(boxes.depth_count)
    end = view.end if view.end > view.start else view.start + 1
    area = Area(left, HEADER, options.width - left - MARGIN, view.start, end)
    most = most_lines(options.height)
    for kept in range(most + 1):
        depths = _shown_depths(view, options, kept)
        cut = _cut_notes(depths, boxes.depth_count)
        if kept < most and len(wrapped((*cut, *said), options.width, most)) > kept:
            continue
        look = paint(trace, palette, used_frames(trace, (boxes, depths)), matching)
        chart = draw_chart(trace, boxes, depths, area, look, handles=options.handles)
        notes = (*cut, *merged_notes(sum(chart.merged) + view.layout.merged), *said)
        lines = wrapped(notes, options.width, most)
        if len(lines) <= kept:
            break
    bottom = HEADER + max(1, len(depths)) * ROW_HEIGHT
    fills, axis_labels = value_axis(palette, area, bottom, zero=view.zero, unit=boxes.unit)
    labels = [
        *header(palette, options.width, options.title or trace.name, _subtitle(trace, view, options)),
        *axis_labels,
        *depth_axis(palette, depths, left, HEADER),
        *chart.labels,
        *footer(palette, lines, bottom),
    ]
    if not chart.strips:
        labels.append(Label(left + 4, HEADER + 13, "Nothing was recorded here.", "small", palette.muted))
    scene = Scene(
        options.width,
        bottom + footer_height(len(lines)),
        palette.background,
        palette.edge,
        palette.edge_strength,
        tuple(fills),
        chart.strips,
        tuple(labels),
    )
    return scene, notes


def _shown_depths(view: View, options: FlamegraphOptions, lines: int) -> range:
    """The rows that fit above so many lines of notes."""
    rows = (options.height - HEADER - footer_height(lines)) // ROW_HEIGHT
    wanted = rows if options.depth is None else min(rows, options.depth)
    return range(options.start_depth, min(view.boxes.depth_count, options.start_depth + wanted))


def _cut_notes(depths: range, deepest: int) -> tuple[str, ...]:
    if len(depths) == deepest:
        return ()
    return (f"showing depth {depths.start} to {depths.stop - 1} of {deepest}",)


def _highlight_note(count: int, pattern: str) -> str:
    if not count:
        return f"no function matches “{pattern}”: nothing is highlighted"
    return f"{count:,} {'function matches' if count == 1 else 'functions match'} “{pattern}”"


def _window_inside(profile: Profile, window: Window | None) -> tuple[Window | None, tuple[str, ...]]:
    """The window cut at the profile's ends, and a note if it was. Raises InvalidOption when nothing of it is left."""
    if window is None:
        return None, ()
    first, last = float(profile.axis_start), float(profile.axis_end)
    if window.end <= first or window.start >= last:
        length = format_value(last - first, profile.axis)
        raise InvalidOption("window", f"it lies outside the profile {profile.handle}, which is {length} long")
    inside = Window(max(window.start, first), min(window.end, last))
    return inside, () if inside == window else ("the window reaches past the profile and was cut at its end",)


def _subtitle(trace: Trace, view: View, options: FlamegraphOptions) -> str:
    return " · ".join([MODE_TITLES[options.mode], profile_title(trace, view.profile), _extent(view)])


def profile_title(trace: Trace, profile: Profile) -> str:
    """`p0 main`, or the handle alone for a profile that is named like its trace."""
    return profile.handle if profile.name == trace.name else f"{profile.handle} {profile.name}".strip()


def _extent(view: View) -> str:
    profile = view.profile
    whole = format_value(view.end - view.start, view.boxes.unit)
    if view.window is None:
        return whole
    start = format_value(view.window.start - profile.axis_start, profile.axis)
    end = format_value(view.window.end - profile.axis_start, profile.axis)
    length = format_value(profile.axis_end - profile.axis_start, profile.axis)
    return f"{whole} from {start} to {end} of {length}"


def _description(trace: Trace, view: View, options: FlamegraphOptions, notes: Sequence[str]) -> str:
    what = f"{MODE_TITLES[options.mode]} flamegraph of {trace.name}, profile {profile_title(trace, view.profile)}"
    opening = f"{what}: {_extent(view)}."
    return " ".join(
        [opening, *describe(trace, view.boxes, view.start, view.end), *(f"{n.capitalize()}." for n in notes)]
    )
