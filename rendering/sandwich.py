"""The sandwich of a function: its callers above, merged from it outwards, and its callees below, merged from it
inwards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rendering.bounds import ROW_HEIGHT
from rendering.chart import Area, Chart, draw_chart, paint, used_frames
from rendering.description import heaviest_in_row, name_and_handle
from rendering.errors import InvalidOption
from rendering.flamegraph import chosen_profile, profile_title
from rendering.options import SandwichOptions
from rendering.palette import PALETTES
from rendering.picture import Picture
from rendering.png import encode_png
from rendering.raster import rasterise
from rendering.scene import Scene
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
from traces.analysis.layout import SandwichLayout, sandwich_layout
from traces.analysis.units import format_share, format_value
from traces.analysis.window import node_values, whole
from traces.model import Profile, Trace

_GAP = 5
"""Pixels above and below the function's own row, which set it apart."""


@dataclass(frozen=True, slots=True)
class Filling:
    """The function in the middle: its weights in the profile, and `share` of all that is not idle."""

    frame: int
    profile: Profile
    total: float
    own: float
    share: float


def render_sandwich(trace: Trace, frame: int, options: SandwichOptions) -> Picture:
    """The picture. Raises InvalidOption for a profile or frame that is not there."""
    filling = filling_of(trace, frame, chosen_profile(trace, options.profile))
    layout = sandwich_layout(trace, frame, profile=filling.profile.index)
    scene, notes = sandwich_scene(trace, filling, layout, options)
    description = _description(trace, filling, layout, notes)
    return Picture(encode_png(rasterise(scene)), scene.width, scene.height, notes, description)


def filling_of(trace: Trace, frame: int, profile: Profile) -> Filling:
    """The function's weights; its total counts recursive calls once. Raises InvalidOption."""
    if not 0 <= frame < len(trace.frames):
        raise InvalidOption("frame", f"there is no f{frame}; this trace has f0 to f{len(trace.frames) - 1}")
    tree, values = profile.tree, node_values(profile)
    nodes = np.flatnonzero(tree.frame == frame)
    if not len(nodes):
        raise InvalidOption("frame", f"f{frame} is never called in profile {profile.handle}; choose another profile")
    total = float(values.total_value[nodes[tree.outermost[nodes] == 1]].sum())
    all_of_it = whole(tree, values.total_value)
    share = total / all_of_it if all_of_it else 0.0
    return Filling(frame, profile, total, float(values.self_value[nodes].sum()), share)


def sandwich_scene(
    trace: Trace, filling: Filling, layout: SandwichLayout, options: SandwichOptions
) -> tuple[Scene, tuple[str, ...]]:
    """The scene and the notes that it says at its foot."""
    palette = PALETTES[options.theme]
    callers, callees = layout.callers, layout.callees
    left = gutter(max(callers.depth_count, callees.depth_count))
    end = callees.axis_end if callees.axis_end > 0 else 1.0
    area = Area(left, HEADER, options.width - left - MARGIN, 0.0, end)

    def chart(boxes: Boxes, depths: range, top: int, *, upwards: bool = False) -> Chart:
        return draw_chart(trace, boxes, depths, replace(area, top=top), look, handles=options.handles, upwards=upwards)

    most = most_lines(options.height)
    for kept in range(most + 1):
        room = options.height - HEADER - 2 * _GAP - footer_height(kept)
        above, below = _rows(callers.depth_count, callees.depth_count, room // ROW_HEIGHT)
        cut = _cut_notes(layout, above, below)
        if kept < most and len(wrapped(cut, options.width, most)) > kept:
            continue
        look = paint(trace, palette, used_frames(trace, (callers, range(above)), (callees, range(below))), None)
        look.colours[filling.frame] = palette.highlight
        middle = HEADER + above * ROW_HEIGHT + (_GAP if above else 0)
        inner = middle + ROW_HEIGHT + _GAP
        charts = (
            chart(callers, range(above), HEADER, upwards=True),
            chart(callees, range(1), middle),
            chart(callees, range(1, below), inner),
        )
        notes = (*cut, *merged_notes(sum(sum(c.merged) for c in charts)))
        lines = wrapped(notes, options.width, most)
        if len(lines) <= kept:
            break
    bottom = inner + (below - 1) * ROW_HEIGHT
    fills, axis_labels = value_axis(palette, area, bottom, zero=0.0, unit=callees.unit)
    name = name_and_handle(trace, filling.frame)
    labels = [
        *header(palette, options.width, options.title or name, _subtitle(trace, filling)),
        *axis_labels,
        *depth_axis(palette, range(above, 0, -1), left, HEADER),
        *depth_axis(palette, range(1, below), left, inner),
        *(label for chart in charts for label in chart.labels),
        *footer(palette, lines, bottom),
    ]
    scene = Scene(
        options.width,
        bottom + footer_height(len(lines)),
        palette.background,
        palette.edge,
        palette.edge_strength,
        tuple(fills),
        tuple(strip for chart in charts for strip in chart.strips),
        tuple(labels),
    )
    return scene, notes


def _rows(callers: int, callees: int, room: int) -> tuple[int, int]:
    """Rows above and below, the function's own among the latter: what both need, or half for each."""
    below = min(callees, max(room - callers, (room + 1) // 2, 1))
    return min(callers, max(0, room - below)), below


def _cut_notes(layout: SandwichLayout, above: int, below: int) -> tuple[str, ...]:
    notes = []
    for shown, there, what in (
        (above, layout.callers.depth_count, "callers"),
        (below - 1, layout.callees.depth_count - 1, "callees"),
    ):
        if not there:
            notes.append("nothing calls it" if what == "callers" else "it calls nothing")
        elif shown < there:
            notes.append(f"showing {shown} of {there} levels of {what}")
    return tuple(notes)


def _subtitle(trace: Trace, filling: Filling) -> str:
    return " · ".join(
        ["Callers above, callees below", trace.name, profile_title(trace, filling.profile), _weights(filling)]
    )


def _weights(filling: Filling) -> str:
    unit = filling.profile.unit
    total, own = format_value(filling.total, unit), format_value(filling.own, unit)
    return f"{total} in all ({format_share(filling.share)} of the profile), {own} in itself"


def _description(trace: Trace, filling: Filling, layout: SandwichLayout, notes: Sequence[str]) -> str:
    what = f"Sandwich of {name_and_handle(trace, filling.frame)} in {trace.name}"
    return " ".join(
        [
            f"{what}, profile {profile_title(trace, filling.profile)}: {_weights(filling)}.",
            f"Called by: {heaviest_in_row(trace, layout.callers, 0) or 'nothing'}.",
            f"Calls: {heaviest_in_row(trace, layout.callees, 1) or 'nothing'}.",
            *(f"{note.capitalize()}." for note in notes),
        ]
    )
