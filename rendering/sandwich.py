"""The sandwich of a function: its callers above, merged from it outwards, and its callees below, merged from it
inwards."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rendering.bounds import ROW_HEIGHT
from rendering.box_titles import frame_titles
from rendering.chart import BoxTitle, draw_rows, paint_frames
from rendering.description import heaviest_in_row, name_and_handle
from rendering.errors import InvalidOption
from rendering.labels import missing_note
from rendering.left_heavy import heaviest_first
from rendering.legend import colour_legend, legend_texts
from rendering.options import SandwichOptions
from rendering.picture import Picture, write
from rendering.profiles import chosen_profile, profile_title, trace_title
from rendering.rows import BoxRows
from rendering.scene import Scene
from rendering.sheet import Sheet, detail_notes
from traces.analysis.merged import above, below
from traces.analysis.units import format_share, format_value
from traces.analysis.window import node_values, root_total
from traces.model import Profile, Trace

_GAP = 5
"""Pixels above and below the function's own row, which set it apart."""


@dataclass(frozen=True, slots=True)
class Filling:
    """The function in the middle: its weights in the profile, `share` of all that is not idle, and the rows around it:
    `callers` from the next outwards, `callees` from itself inwards."""

    frame: int
    profile: Profile
    total: float
    own: float
    share: float
    callers: BoxRows
    callees: BoxRows


def render_sandwich(trace: Trace, frame: int, options: SandwichOptions) -> Picture:
    """The picture. Raises InvalidOption for a profile or frame that is not there."""
    filling = filling_of(trace, frame, chosen_profile(trace, options.profile))
    scene, notes = sandwich_scene(trace, filling, options)
    return write(scene, notes, options.format)


def filling_of(trace: Trace, frame: int, profile: Profile) -> Filling:
    """The function's weights and neighbours; its total counts recursive calls once. Raises InvalidOption."""
    if not 0 <= frame < len(trace.frames):
        raise InvalidOption("frame", f"there is no f{frame}; this trace has f0 to f{len(trace.frames) - 1}")
    tree, values = profile.tree, node_values(profile)
    nodes = np.flatnonzero(tree.frame == frame)
    if not len(nodes):
        raise InvalidOption("frame", f"f{frame} is never called in profile {profile.handle}; choose another profile")
    starts = nodes[tree.outermost[nodes] == 1]
    total = float(values.total_value[starts].sum())
    all_of_it = root_total(tree, values.total_value)
    callers = heaviest_first(trace, above(tree, starts, values.total_value[starts], values.count[starts]))
    return Filling(
        frame,
        profile,
        total,
        float(values.self_value[nodes].sum()),
        total / all_of_it if all_of_it else 0.0,
        _without_first_row(callers),
        heaviest_first(trace, below(tree, values, starts)),
    )


def sandwich_scene(trace: Trace, filling: Filling, options: SandwichOptions) -> tuple[Scene, tuple[str, ...]]:
    """The scene and the notes that it says at its foot."""
    callers, callees = filling.callers, filling.callees
    weight = np.zeros(len(trace.frames))
    for rows in (callers, callees):
        weight += np.bincount(rows.kind, rows.end - rows.start, len(weight))
    weight[filling.frame] = 0
    texts = legend_texts(trace, options.palette, weight, filling.profile.role) if options.legend else ()
    sheet = Sheet(options, deepest=max(callers.depth_count, callees.depth_count), spare=2 * _GAP, legend=texts)
    area = sheet.area(0.0, filling.total)
    most_above, most_below = _rows(callers, callees, sheet.rows(0))
    used = callers.kinds(range(most_above), len(trace.frames)) | callees.kinds(range(most_below), len(trace.frames))
    look = paint_frames(
        trace, sheet.palette, options.palette, used, None, handles=options.handles, role=filling.profile.role
    )
    look.colours[filling.frame] = sheet.palette.highlight
    upper = draw_rows(callers, range(most_above), area, look)
    lower = draw_rows(callees, range(most_below), area, look)
    title = options.title or name_and_handle(trace, filling.frame)
    missing = missing_note((title, *upper.texts, *lower.texts), options)
    for kept in range(sheet.most_lines + 1):
        above_, below_ = _rows(callers, callees, sheet.rows(kept))
        merged = upper.merged(above_) + lower.merged(below_)
        detail = detail_notes(merged, upper.hidden + lower.hidden, options.min_width)
        notes = (*options.remarks, *_cut_notes(filling, above_, below_), *detail, *missing)
        lines = sheet.wrapped(notes)
        if len(lines) <= kept:
            break
    middle = sheet.top + above_ * ROW_HEIGHT + (_GAP if above_ else 0)
    inner = middle + ROW_HEIGHT + (_GAP if below_ > 1 else 0)
    title_of: BoxTitle | None = (
        frame_titles(trace, filling.profile.unit, filling.total) if options.format == "svg" else None
    )
    strips, labels = upper.placed(sheet.top, above_, upwards=True, title_of=title_of)
    for part, top in ((lower.part(0, min(1, below_)), middle), (lower.part(1, below_), inner)):
        more_strips, more_labels = part.placed(top, len(part.rows), title_of=title_of)
        strips += more_strips
        labels += more_labels
    bottom = inner + max(0, below_ - 1) * ROW_HEIGHT
    fills, axis_labels = sheet.value_axis(area, bottom, zero=0.0, unit=filling.profile.unit)
    labels += [
        *sheet.header(title, _subtitle(trace, filling)),
        *axis_labels,
        *sheet.depth_axis(range(above_, 0, -1), sheet.top),
        *sheet.depth_axis(range(1, below_), inner),
    ]
    scene = sheet.scene(
        bottom,
        lines,
        title=title,
        description=_description(trace, filling, notes),
        fills=fills,
        strips=strips,
        labels=labels,
        swatches=colour_legend(trace, options.palette, np.where(used, weight, 0), look.colours, filling.profile.role)
        if options.legend
        else (),
    )
    return scene, notes


def _without_first_row(rows: BoxRows) -> BoxRows:
    cut = int(rows.row_offsets[1]) if rows.depth_count else 0
    offsets = rows.row_offsets[1:] - cut if rows.depth_count else rows.row_offsets
    return BoxRows(rows.start[cut:], rows.end[cut:], rows.kind[cut:], offsets)


def _rows(callers: BoxRows, callees: BoxRows, room: int) -> tuple[int, int]:
    """Rows above and below, the function's own among the latter: what both need, or half for each."""
    below_ = min(callees.depth_count, max(room - callers.depth_count, (room + 1) // 2, 1))
    return min(callers.depth_count, max(0, room - below_)), below_


def _cut_notes(filling: Filling, above_: int, below_: int) -> tuple[str, ...]:
    notes = []
    for shown, there, what in (
        (above_, filling.callers.depth_count, "callers"),
        (below_ - 1, filling.callees.depth_count - 1, "callees"),
    ):
        if there <= 0:
            notes.append("nothing calls it" if what == "callers" else "it calls nothing")
        elif shown < there:
            notes.append(f"showing {shown} of {there} levels of {what}")
    return tuple(notes)


def _subtitle(trace: Trace, filling: Filling) -> str:
    return " · ".join(
        ["Callers above, callees below", trace_title(trace), profile_title(trace, filling.profile), _weights(filling)]
    )


def _weights(filling: Filling) -> str:
    unit = filling.profile.unit
    total, own = format_value(filling.total, unit), format_value(filling.own, unit)
    return f"{total} in all ({format_share(filling.share)} of the profile), {own} in itself"


def _description(trace: Trace, filling: Filling, notes: Sequence[str]) -> str:
    what = f"Sandwich of {name_and_handle(trace, filling.frame)} in {trace_title(trace)}"
    return " ".join(
        [
            f"{what}, profile {profile_title(trace, filling.profile)}: {_weights(filling)}.",
            f"Called by: {heaviest_in_row(trace, filling.callers, 0, filling.total) or 'nothing'}.",
            f"Calls: {heaviest_in_row(trace, filling.callees, 1, filling.total) or 'nothing'}.",
            *(f"{note[:1].upper()}{note[1:]}." for note in notes),
        ]
    )
