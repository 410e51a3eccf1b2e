"""What surrounds the charts of a picture: title, axes, and the notes that say what was left out."""

from collections.abc import Sequence

from rendering.axis import ticks
from rendering.bounds import ROW_HEIGHT
from rendering.chart import Area
from rendering.palette import Palette
from rendering.scene import Fill, Label
from rendering.text import elide_end, printable, typeface
from traces.values import Unit

MARGIN = 10
HEADER = 54
"""Title, a line on what is shown, and the axis; the first row of boxes begins below."""

FOOTER_LINE = 15
FOOTER_PAD = 5
MAX_FOOTER_LINES = 3
_FOOTER_GAP = 3

_TITLE_BASELINE = 17
_SUBTITLE_BASELINE = 33
_TICK_TOP = 39
_TICK_BASELINE = 49
_DEPTH_STEP = 5
"""Every fifth row is numbered."""


def gutter(deepest: int) -> int:
    """Pixels left of the charts, wide enough for the number of the deepest row."""
    return max(30, typeface("small").width(str(deepest)) + 2 * 6)


def header(palette: Palette, width: int, title: str, subtitle: str) -> list[Label]:
    """The two lines at the top, cut at the picture's side."""
    room = width - 2 * MARGIN
    return [
        Label(MARGIN, _TITLE_BASELINE, elide_end(typeface("title"), printable(title), room), "title", palette.ink),
        Label(MARGIN, _SUBTITLE_BASELINE, elide_end(typeface("small"), subtitle, room), "small", palette.muted),
    ]


def value_axis(palette: Palette, area: Area, bottom: int, *, zero: float, unit: Unit) -> tuple[list[Fill], list[Label]]:
    """Ticks above the chart, with grid lines that show through where there are no boxes."""
    face = typeface("small")
    fills, labels = [Fill(area.left, HEADER - 2, area.width, 1, palette.grid)], []
    for tick in ticks(area.start, area.end, zero=zero, unit=unit, pixels=area.width):
        x = area.left + round((tick.value - area.start) / (area.end - area.start) * area.width)
        fills.append(Fill(min(x, area.left + area.width - 1), _TICK_TOP, 1, bottom - _TICK_TOP, palette.grid))
        if x + 4 + face.width(tick.text) <= area.left + area.width:
            labels.append(Label(x + 4, _TICK_BASELINE, tick.text, "small", palette.muted))
    return fills, labels


def depth_axis(palette: Palette, numbers: Sequence[int], right: int, top: int) -> list[Label]:
    """A number at every fifth row, and at the first; `numbers` from the top row down, ending left of `right`."""
    face = typeface("small")
    return [
        Label(right - 6 - face.width(str(n)), top + row * ROW_HEIGHT + 13, str(n), "small", palette.muted)
        for row, n in enumerate(numbers)
        if n % _DEPTH_STEP == 0 or (row == 0 and numbers[min(1, len(numbers) - 1)] % _DEPTH_STEP != 0)
    ]


def wrapped(notes: Sequence[str], width: int, most: int) -> tuple[str, ...]:
    """The notes as lines of the footer, at most `most`; the last ends in an ellipsis where there is more."""
    face, room = typeface("small"), width - 2 * MARGIN
    lines: list[str] = []
    words = [word for note in notes for word in (*note.split(" "), "·")][:-1]
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and face.width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    kept = lines[:most]
    if len(lines) > most and kept:
        kept[-1] += " …"
    return tuple(elide_end(face, line, room) for line in kept)


def most_lines(height: int) -> int:
    """How many lines of notes a picture of this height has room for below one row of boxes."""
    return min(MAX_FOOTER_LINES, (height - HEADER - ROW_HEIGHT - footer_height(0) - _FOOTER_GAP) // FOOTER_LINE)


def merged_notes(merged: int) -> tuple[str, ...]:
    """What a picture says about the boxes that cannot be seen on their own; nothing where there are none."""
    if not merged:
        return ()
    return (f"{merged:,} {'box' if merged == 1 else 'boxes'} narrower than a pixel merged",)


def footer_height(lines: int) -> int:
    return lines * FOOTER_LINE + FOOTER_PAD + (_FOOTER_GAP if lines else 0)


def footer(palette: Palette, lines: Sequence[str], top: int) -> list[Label]:
    """The footer's lines below the charts' end at `top`."""
    return [
        Label(MARGIN, top + FOOTER_PAD + 11 + row * FOOTER_LINE, line, "small", palette.muted)
        for row, line in enumerate(lines)
    ]
