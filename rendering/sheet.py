"""What surrounds the charts of a picture: title, axes, legend, and the notes that say what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from rendering.axis import ticks
from rendering.bounds import MINIMAP_HEIGHT, ROW_HEIGHT
from rendering.chart import Area
from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.palette import PALETTES, Palette, Rgb
from rendering.scene import Fill, Label, Scene, Strip
from rendering.text import Typeface, elide_end, elide_name, printable, typeface
from traces.lazy_regex import lazy_regex
from traces.values import Unit

MARGIN = 10
MAX_FOOTER_LINES = 3
MAX_LEGEND_LINES = 6
"""Room for an entry of each hue on a picture of usual width."""
_TITLES = 36
_AXIS = 18
_AIR = 5
_MINIMAP_GAP = 8
_LEGEND = 20
_LEGEND_SWATCH = 10
_LEGEND_ENTRY = 260
"""Pixels of the longest text of a legend."""
_MORE = lazy_regex(r" and [\d,]+ more$")
"""How many share a hue with the one that an entry names."""
FOOTER_LINE = 15
FOOTER_PAD = 5
_FOOTER_GAP = 3
_TITLE_BASELINE = 17
_SUBTITLE_BASELINE = 33
_DEPTH_STEP = 5
"""Every fifth row is numbered."""


@dataclass(frozen=True, slots=True)
class Swatch:
    """One entry of a legend."""

    colour: Rgb
    text: str


class Sheet:
    """The places on a picture of these options: where the chart begins, and how many rows fit."""

    def __init__(
        self,
        options: SheetOptions,
        *,
        deepest: int,
        minimap: bool = False,
        spare: int = 0,
        legend: Sequence[str] = (),
    ) -> None:
        """`spare` pixels stay free of rows; a legend of these texts gets as many lines as it needs and the height has
        room for. Raises InvalidOption where the height has no room for one row."""
        self.options = options
        self.palette: Palette = PALETTES[options.theme]
        self.minimap_top = _TITLES + 2
        self.top = _TITLES + (MINIMAP_HEIGHT + _MINIMAP_GAP) * minimap + (_AXIS if options.value_axis else _AIR)
        self.left = max(30, typeface("small").width(str(deepest)) + 2 * 6) if options.depth_axis else MARGIN
        self.width = options.width - self.left - MARGIN
        self.below = _LEGEND * options.legend
        self._spare = spare
        least = self.top + self.below + spare + ROW_HEIGHT + self.footer_height(0)
        if options.height < least:
            raise InvalidOption(
                "height", f"{options.height} px leave no room for a row; with these parts at least {least}"
            )
        if options.legend:
            lines = 1 + max((line for line, _, _ in self._entries(legend)), default=0)
            free = (options.height - least) // _LEGEND
            more = _LEGEND * max(0, min(lines - 1, MAX_LEGEND_LINES - 1, free))
            self.below, least = self.below + more, least + more
        self.most_lines = max(0, min(MAX_FOOTER_LINES, (options.height - least - _FOOTER_GAP) // FOOTER_LINE))

    def area(self, start: float, end: float) -> Area:
        """The chart's place for this part of an axis; an empty part is one wide."""
        end = end if end > start else start + 1
        return Area(self.left, self.width, start, end, self.options.dpr, self.options.min_width)

    def rows(self, lines: int) -> int:
        """How many rows fit above so many lines of notes."""
        return (self.options.height - self.top - self.below - self._spare - self.footer_height(lines)) // ROW_HEIGHT

    def footer_height(self, lines: int) -> int:
        return lines * FOOTER_LINE + FOOTER_PAD + (_FOOTER_GAP if lines else 0)

    def wrapped(self, notes: Sequence[str]) -> tuple[str, ...]:
        """The notes as lines of the footer; the last ends in an ellipsis where there is more."""
        face, room = typeface("small", self.options.dpr), self.options.width - 2 * MARGIN
        lines: list[str] = []
        words = [word for note in notes for word in (*note.split(" "), "·")][:-1]
        for word in words:
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and face.width(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        kept = lines[: self.most_lines]
        if len(lines) > self.most_lines and kept:
            kept[-1] += " …"
        return tuple(elide_end(face, line, room) for line in kept)

    def header(self, title: str, subtitle: str) -> list[Label]:
        """The two lines at the top, cut at the picture's side."""
        room, dpr = self.options.width - 2 * MARGIN, self.options.dpr
        shown = elide_end(typeface("title", dpr), printable(title), room)
        under = elide_end(typeface("small", dpr), printable(subtitle), room)
        return [
            Label(MARGIN, _TITLE_BASELINE, shown, "title", self.palette.ink),
            Label(MARGIN, _SUBTITLE_BASELINE, under, "small", self.palette.muted),
        ]

    def value_axis(self, area: Area, bottom: int, *, zero: float, unit: Unit) -> tuple[list[Fill], list[Label]]:
        """Ticks above the chart, with grid lines that show through where there are no boxes."""
        if not self.options.value_axis:
            return [], []
        face, palette = typeface("small", self.options.dpr), self.palette
        fills, labels = [Fill(area.left, self.top - 2, area.width, 1, palette.grid)], []
        for tick in ticks(area.start, area.end, zero=zero, unit=unit, pixels=area.width):
            x = area.left + round((tick.value - area.start) / (area.end - area.start) * area.width)
            tick_top = self.top - 15
            fills.append(Fill(min(x, area.left + area.width - 1), tick_top, 1, bottom - tick_top, palette.grid))
            if x + 4 + face.width(tick.text) <= area.left + area.width:
                labels.append(Label(x + 4, self.top - 5, tick.text, "small", palette.muted))
        return fills, labels

    def depth_axis(self, numbers: Sequence[int], top: int) -> list[Label]:
        """A number at every fifth row, and at the first; `numbers` from the top row down."""
        if not self.options.depth_axis:
            return []
        face = typeface("small", self.options.dpr)
        return [
            Label(self.left - 6 - face.width(str(n)), top + row * ROW_HEIGHT + 13, str(n), "small", self.palette.muted)
            for row, n in enumerate(numbers)
            if n % _DEPTH_STEP == 0 or (row == 0 and numbers[min(1, len(numbers) - 1)] % _DEPTH_STEP != 0)
        ]

    def legend(self, swatches: Sequence[Swatch], top: int) -> tuple[list[Fill], list[Label]]:
        """The entries that fit on the legend's lines below the chart's end at `top`."""
        fills: list[Fill] = []
        labels: list[Label] = []
        texts = [swatch.text for swatch in swatches] if self.options.legend else []
        for swatch, (line, x, text) in zip(swatches, self._entries(texts), strict=False):
            y = top + line * _LEGEND
            if (line + 1) * _LEGEND > self.below:
                break
            fills.append(Fill(x, y + 6, _LEGEND_SWATCH, _LEGEND_SWATCH, swatch.colour))
            labels.append(Label(x + _LEGEND_SWATCH + 5, y + 15, text, "small", self.palette.muted))
        return fills, labels

    def _entries(self, texts: Sequence[str]) -> list[tuple[int, int, str]]:
        """Of each entry of a legend its line, where it begins, and its text."""
        face, right = typeface("small", self.options.dpr), self.options.width - MARGIN
        line, x = 0, MARGIN
        found = []
        for text in texts:
            shown = _entry(face, printable(text), min(_LEGEND_ENTRY, right - MARGIN - _LEGEND_SWATCH - 5))
            wide = _LEGEND_SWATCH + 5 + face.width(shown)
            if x > MARGIN and x + wide > right:
                line, x = line + 1, MARGIN
            found.append((line, x, shown))
            x += wide + 14
        return found

    def footer(self, lines: Sequence[str], top: int) -> list[Label]:
        """The footer's lines below what ends at `top`."""
        return [
            Label(MARGIN, top + FOOTER_PAD + 11 + row * FOOTER_LINE, line, "small", self.palette.muted)
            for row, line in enumerate(lines)
        ]

    def scene(
        self,
        bottom: int,
        lines: Sequence[str],
        *,
        title: str,
        description: str,
        fills: Sequence[Fill],
        strips: Sequence[Strip],
        labels: Sequence[Label],
        marks: Sequence[Fill] = (),
        hatches: Sequence[Fill] = (),
        swatches: Sequence[Swatch] = (),
    ) -> Scene:
        """Everything on one picture; the chart ends at `bottom`."""
        legend_fills, legend_labels = self.legend(swatches, bottom)
        return Scene(
            width=self.options.width,
            height=bottom + self.below + self.footer_height(len(lines)),
            dpr=self.options.dpr,
            background=self.palette.background,
            edge=self.palette.edge,
            edge_strength=self.palette.edge_strength,
            fills=(*fills, *legend_fills),
            strips=tuple(strips),
            marks=tuple(marks),
            hatches=tuple(hatches),
            labels=(*labels, *legend_labels, *self.footer(lines, bottom + self.below)),
            title=printable(title),
            description=description,
        )


def _entry(face: Typeface, text: str, room: int) -> str:
    """A legend's text: where it is too long the name in it gets shorter as in boxes, not how many others there are."""
    more = _MORE.search(text)
    others = more[0] if more else ""
    name = elide_name(face, text.removesuffix(others), room - face.width(others))
    return name + others if name else elide_end(face, text, room)


def detail_notes(merged: int, hidden: int, min_width: float) -> tuple[str, ...]:
    """What a picture says about the boxes that cannot be seen on their own; nothing where there are none."""
    notes = []
    if merged:
        notes.append(f"{merged:,} {_boxes(merged)} narrower than a pixel merged")
    if hidden:
        notes.append(f"{hidden:,} {_boxes(hidden)} narrower than {min_width:g} px left out")
    return tuple(notes)


def _boxes(count: int) -> str:
    return "box" if count == 1 else "boxes"


def depth_note(depths: range, deepest: int) -> tuple[str, ...]:
    """What a picture says about the rows that it does not show."""
    return () if len(depths) == deepest else (f"showing depth {depths.start} to {depths.stop - 1} of {deepest}",)
