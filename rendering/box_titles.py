"""Titles of boxes, which an SVG viewer shows for the box under the pointer."""

from rendering.chart import BoxTitle
from rendering.text import printable
from traces.analysis.units import format_share, format_value
from traces.model import Trace
from traces.values import Unit

NAME_CHARACTERS = 300
"""A title is read on one or two lines; names of 10,000 characters exist."""


def frame_titles(trace: Trace, unit: Unit, extent: float) -> BoxTitle:
    """`parse (app.py:12) [f3] 12.3 ms, 4.5%` where kinds are frames; shares are of the axis' extent."""
    places: dict[int, str] = {}

    def title(kind: int, value: float, count: int) -> str:
        place = places.get(kind)
        if place is None:
            place = places[kind] = place_of(trace, kind)
        share = value / extent if extent > 0 else 0.0
        many = f"{count:,} boxes, most of them " if count > 1 else ""
        return f"{many}{place} {format_value(value, unit)}, {format_share(share)}"

    return title


def place_of(trace: Trace, frame: int) -> str:
    """`parse (app.py:12) [f3]`."""
    name = shortened(trace.frame_name(frame))
    file, line = trace.frame_file(frame), trace.frame_line(frame)
    where = "" if file is None else f" ({shortened(file)}{'' if line is None else f':{line}'})"
    return f"{name}{where} [f{frame}]"


def shortened(text: str) -> str:
    text = printable(text)
    return text if len(text) <= NAME_CHARACTERS else text[: NAME_CHARACTERS - 1] + "…"
