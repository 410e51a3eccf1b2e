"""The minimap: all of a profile on a low strip, with the window of the chart below it framed."""

import numpy as np

from rendering.bounds import MINIMAP_HEIGHT
from rendering.chart import Area
from rendering.focus import part_of
from rendering.in_time import rows_in_time
from rendering.left_heavy import heaviest_first
from rendering.options import SheetOptions
from rendering.palette import PALETTES
from rendering.picture import Picture, write
from rendering.profiles import chosen_profile, profile_title, trace_title
from rendering.rows import thinned
from rendering.scene import Fill, Scene, Strip
from traces.analysis.time_axis import is_in_order
from traces.analysis.units import format_value
from traces.analysis.window import Window
from traces.model import Profile, Trace

_TALLEST_ROW = 4
_FRAME = 2
"""Pixels of the frame's upright sides: thin, but not to be taken for a box."""


def render_minimap(trace: Trace, options: SheetOptions, window: Window | None = None) -> Picture:
    """The strip alone, as wide as asked; height, title, axes, legend and handles have no meaning here. Raises
    InvalidOption."""
    return write(minimap_scene(trace, options, window), (), options.format)


def minimap_scene(trace: Trace, options: SheetOptions, window: Window | None) -> Scene:
    """The strip as a scene. Raises InvalidOption."""
    profile = chosen_profile(trace, options.profile)
    palette = PALETTES[options.theme]
    strips, marks = overview(trace, profile, options, window, left=0, top=1, width=options.width)
    length = format_value(profile.axis_end - profile.axis_start, profile.axis)
    return Scene(
        width=options.width,
        height=MINIMAP_HEIGHT + 2,
        dpr=options.dpr,
        background=palette.background,
        edge=palette.edge,
        edge_strength=0,
        fills=(),
        strips=tuple(strips),
        marks=tuple(marks),
        labels=(),
        title=trace_title(trace),
        description=f"Minimap of {trace_title(trace)}, profile {profile_title(trace, profile)}: {length}.",
    )


def overview(
    trace: Trace, profile: Profile, options: SheetOptions, window: Window | None, *, left: int, top: int, width: int
) -> tuple[list[Strip], list[Fill]]:
    """Low rows of all of the profile in time order, left heavy without times, every second or third where they are
    many, and the frame of the window."""
    palette = PALETTES[options.theme]
    part = part_of(profile, None, None, flatten=False)
    if is_in_order(profile):
        rows = rows_in_time(trace, part, None)
        start, end = float(profile.axis_start), float(profile.axis_end)
    else:
        rows = heaviest_first(trace, part.tree)
        start, end = 0.0, float(part.tree.total_value[part.tree.parent < 0].sum())
    area = Area(left, width, start, end if end > start else start + 1, options.dpr)
    rows = thinned(rows, max(1, -(-rows.depth_count // MINIMAP_HEIGHT)))
    shown = range(rows.depth_count)
    height = min(_TALLEST_ROW, MINIMAP_HEIGHT // max(1, len(shown)))
    colours = palette.frame_colours(trace, rows.kinds(shown, len(trace.frames)), options.palette, profile.role)
    none = np.zeros(0, np.int64)
    cells, _ = rows.cells(shown, area.scale, colours) if shown else ([], 0)
    strips = [Strip(left, top + depth * height, width, height, row, none) for depth, row in enumerate(cells)]
    return strips, [] if window is None else _frame(area, window, top, palette.ink)


def _frame(area: Area, window: Window, top: int, colour: tuple[int, int, int]) -> list[Fill]:
    scale = area.width / (area.end - area.start)
    first = round((window.start - area.start) * scale)
    last = max(first + 2 * _FRAME, round((window.end - area.start) * scale))
    last = min(area.width, last)
    first = min(first, last - 2 * _FRAME)
    x, width = area.left + first, last - first
    return [
        Fill(x, top - 1, _FRAME, MINIMAP_HEIGHT + 2, colour),
        Fill(x + width - _FRAME, top - 1, _FRAME, MINIMAP_HEIGHT + 2, colour),
        Fill(x, top - 1, width, 1, colour),
        Fill(x, top + MINIMAP_HEIGHT, width, 1, colour),
    ]
