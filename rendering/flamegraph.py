"""The flame chart of a profile: in time order, or left heavy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rendering.bounds import ROW_HEIGHT
from rendering.box_titles import frame_titles
from rendering.chart import BoxTitle, draw_rows, matching_frames, paint_frames
from rendering.description import describe
from rendering.errors import InvalidOption
from rendering.focus import Part, part_of
from rendering.hatching import hatched
from rendering.in_time import rows_in_time
from rendering.labels import missing_note
from rendering.left_heavy import rows_heaviest_first
from rendering.legend import colour_legend, legend_texts
from rendering.minimap import overview
from rendering.options import FlamegraphOptions, Mode
from rendering.picture import Picture, write
from rendering.profiles import chosen_profile, profile_title, trace_title
from rendering.rows import Rows
from rendering.scene import Label, Scene
from rendering.sheet import Sheet, depth_note, detail_notes
from traces.analysis.time_axis import is_in_order, what_it_is
from traces.analysis.units import format_value
from traces.analysis.window import Window
from traces.kernels.trees import sum_by_node
from traces.model import Profile, Trace
from traces.values import Unit

MODE_TITLES: dict[Mode, str] = {"time_order": "Time order", "left_heavy": "Left heavy"}


@dataclass(frozen=True, slots=True)
class View:
    """Rows with what is asked of them: the part of their axis that is shown, and where that axis is zero."""

    rows: Rows
    part: Part
    profile: Profile
    unit: Unit
    start: float
    end: float
    zero: float
    window: Window | None
    notes: tuple[str, ...]


def render_flamegraph(trace: Trace, options: FlamegraphOptions) -> Picture:
    """The picture. Raises InvalidOption for a profile, window, depth or focus that the trace does not have."""
    options, notes_of_order = in_possible_order(trace, options)
    view = lay_out(trace, options)
    notes = (*notes_of_order, *options.remarks, *view.notes)
    scene, notes = flamegraph_scene(trace, replace(view, notes=notes), options)
    return write(scene, notes, options.format)


def in_possible_order(trace: Trace, options: FlamegraphOptions) -> tuple[FlamegraphOptions, tuple[str, ...]]:
    """The options with the order in which the profile can be drawn, and a note where that is not what was asked for:
    what has no times is drawn left heavy. Raises InvalidOption for a window in it."""
    profile = chosen_profile(trace, options.profile)
    if options.window is not None and not profile.has_times:
        raise InvalidOption("window", f"{profile.handle} is {what_it_is(profile)}; leave the window out")
    if options.mode != "time_order" or is_in_order(profile):
        return options, ()
    return replace(options, mode="left_heavy"), (f"{what_it_is(profile)}, so it is drawn left heavy",)


def lay_out(trace: Trace, options: FlamegraphOptions) -> View:
    """The rows that the options ask for. Raises InvalidOption."""
    profile = chosen_profile(trace, options.profile)
    window, notes = _window_inside(profile, options.window)
    part = part_of(profile, window, options.focus, flatten=options.flatten_recursion)
    if options.mode == "left_heavy":
        rows: Rows = rows_heaviest_first(trace, part.tree)
        total = float(part.tree.total_value[part.tree.parent < 0].sum())
        view = View(rows, part, profile, profile.unit, 0.0, total, 0.0, window, notes)
    else:
        first, last = float(profile.axis_start), float(profile.axis_end)
        start, end = (window.start, window.end) if window else (first, last)
        view = View(rows_in_time(trace, part, window), part, profile, profile.axis, start, end, first, window, notes)
    deepest = view.rows.depth_count
    if options.start_depth and options.start_depth >= deepest:
        text = f"{options.start_depth} is past the stack, whose deepest call is at {deepest - 1}"
        raise InvalidOption("start_depth", text)
    return view


def flamegraph_scene(trace: Trace, view: View, options: FlamegraphOptions) -> tuple[Scene, tuple[str, ...]]:
    """The scene and the notes that it says at its foot."""
    rows, deepest = view.rows, view.rows.depth_count
    tree = view.part.tree
    weight = np.zeros(len(trace.frames))
    if options.legend:
        weight = sum_by_node(tree.frame, tree.total_value, len(weight)).astype(np.float64)
    texts = legend_texts(trace, options.palette, weight, view.profile.role) if options.legend else ()
    sheet = Sheet(options, deepest=deepest, minimap=options.minimap, legend=texts)
    area = sheet.area(view.start, view.end)
    row_count = sheet.rows(0) if options.depth is None else min(sheet.rows(0), options.depth)
    depths = range(options.start_depth, min(deepest, options.start_depth + row_count))
    matching, said = None, list(view.notes)
    if options.highlight:
        matching = matching_frames(trace, options.highlight, rows.kinds(range(deepest), len(trace.frames)))
        said.append(_highlight_note(int(np.count_nonzero(matching)), options.highlight))
    used = rows.kinds(depths, len(trace.frames))
    look = paint_frames(
        trace, sheet.palette, options.palette, used, matching, handles=options.handles, role=view.profile.role
    )
    chart = draw_rows(rows, depths, area, look)
    title = options.title or trace_title(trace)
    said += missing_note((title, *chart.texts), options)
    for kept in range(sheet.most_lines + 1):
        shown = range(depths.start, min(depths.stop, depths.start + sheet.rows(kept)))
        detail = detail_notes(chart.merged(len(shown)), chart.hidden, options.min_width)
        notes = (*depth_note(shown, deepest), *detail, *said)
        lines = sheet.wrapped(notes)
        if len(lines) <= kept:
            break
    bottom = sheet.top + max(1, len(shown)) * ROW_HEIGHT
    title_of: BoxTitle | None = (
        frame_titles(trace, view.unit, view.end - view.start) if options.format == "svg" else None
    )
    strips, labels = chart.placed(sheet.top, len(shown), title_of=title_of)
    fills, axis_labels = sheet.value_axis(area, bottom, zero=view.zero, unit=view.unit)
    labels += [*sheet.header(title, _subtitle(trace, view, options)), *axis_labels, *sheet.depth_axis(shown, sheet.top)]
    if not strips:
        labels.append(Label(sheet.left + 4, sheet.top + 13, "Nothing was recorded here.", "small", sheet.palette.muted))
    hatches = hatched(view.part, area, shown, sheet) if options.mode == "time_order" else []
    low, frame = (
        overview(trace, view.profile, options, view.window, left=sheet.left, top=sheet.minimap_top, width=sheet.width)
        if options.minimap
        else ([], [])
    )
    scene = sheet.scene(
        bottom,
        lines,
        title=title,
        description=_description(trace, view, options, notes),
        fills=fills,
        strips=[*low, *strips],
        marks=frame,
        hatches=hatches,
        labels=labels,
        swatches=colour_legend(trace, options.palette, np.where(used, weight, 0), look.colours, view.profile.role)
        if options.legend
        else (),
    )
    return scene, notes


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
    inside = replace(window, start=max(window.start, first), end=min(window.end, last))
    return inside, () if inside == window else ("the window reaches past the profile and was cut at its end",)


def _subtitle(trace: Trace, view: View, options: FlamegraphOptions) -> str:
    shown = [MODE_TITLES[options.mode], profile_title(trace, view.profile), _extent(view)]
    return " · ".join([*shown, *_shaping(options)])


def _shaping(options: FlamegraphOptions) -> list[str]:
    shaping = [f"only {options.focus}"] if options.focus else []
    return [*shaping, "recursion flattened"] if options.flatten_recursion else shaping


def _extent(view: View) -> str:
    profile = view.profile
    extent = format_value(view.end - view.start, view.unit)
    if view.window is None:
        return extent
    start = format_value(view.window.start - profile.axis_start, profile.axis)
    end = format_value(view.window.end - profile.axis_start, profile.axis)
    length = format_value(profile.axis_end - profile.axis_start, profile.axis)
    return f"{extent} from {start} to {end} of {length}"


def _description(trace: Trace, view: View, options: FlamegraphOptions, notes: Sequence[str]) -> str:
    what = (
        f"{MODE_TITLES[options.mode]} flamegraph of {trace_title(trace)}, profile {profile_title(trace, view.profile)}"
    )
    shaping = "".join(f", {word}" for word in _shaping(options))
    sentences = describe(trace, view.part.tree, view.profile.unit)
    return " ".join([f"{what}: {_extent(view)}{shaping}.", *sentences, *(f"{n[:1].upper()}{n[1:]}." for n in notes)])
