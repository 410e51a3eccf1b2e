"""Letters: real metrics of DejaVu Sans, glyphs as sparse coverage, and names shortened to the part that distinguishes
them.

The first font is the file that matplotlib's wheel ships; matplotlib itself is never imported. Others stand in for what
it lacks (`rendering/fonts.py`). Glyphs are drawn by FreeType through Pillow, hinted, on full pixels, one character at a
time; words of Arabic, Hebrew and their kin as one piece, joined and from right to left, where Pillow has libraqm. What
is between such words, a dot or a slash, orders them as in any name: from left to right.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from PIL import ImageFont

from rendering.bounds import MAX_GLYPHS, MAX_LABEL_CHARACTERS
from rendering.errors import MissingFont
from rendering.fonts import Fonts, shapes
from traces.lazy_regex import lazy_regex

Style = Literal["label", "small", "title"]
STYLES: dict[Style, tuple[str, int]] = {
    "label": ("DejaVuSans.ttf", 11),
    "small": ("DejaVuSans.ttf", 11),
    "title": ("DejaVuSans-Bold.ttf", 13),
}
"""File and size in pixels: 11 px DejaVu Sans was read without effort by people and models at 1200x800."""

ELLIPSIS = "…"
NO_ARGUMENTS = "(…)"
KEPT_NAMES = 4_096
"""Names whose measures are kept: a picture shows at most some hundreds."""
LEAST_LETTERS = 2
"""Fewer letters before an ellipsis identify nothing."""


_FROM_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_PIECES = lazy_regex(f"[{_FROM_RIGHT}]+(?: +[{_FROM_RIGHT}]+)*|.", re.DOTALL)
"""Words from right to left with the spaces between them, and single characters."""


class _Advances(dict[str, int]):
    """Advance of each piece, measured when first asked for."""

    def __init__(self, fonts: Fonts) -> None:
        super().__init__()
        self._fonts = fonts

    def __missing__(self, piece: str) -> int:
        if len(self) >= MAX_GLYPHS:
            self.clear()
        advance = self[piece] = round(font_of(self._fonts, piece).getlength(piece))
        return advance


def font_of(fonts: Fonts, piece: str) -> ImageFont.FreeTypeFont:
    return fonts.shaping(piece.replace(" ", "")) if len(piece) > 1 else fonts.of(piece) or fonts.first


def pieces(text: str) -> Sequence[str]:
    """What is drawn in one: characters, and words from right to left where they can be shaped."""
    return text if text.isascii() or not shapes() else _PIECES.findall(text)


class Typeface:
    """One font at one size. Glyphs are drawn when first asked for and kept until `forget_many`.

    Widths are in logical pixels, rounded up; a device has `dpr` times as many.
    """

    def __init__(self, path: Path, size: int, dpr: int = 1) -> None:
        self._fonts = Fonts(path, size * dpr)
        self._advance = _Advances(self._fonts)
        self._numbers: dict[str, int] = {}
        self._boxes: list[tuple[int, int, int, int, int]] = []
        self._opacities: list[npt.NDArray[np.uint8]] = []
        self._drawn = 0
        self._atlas: tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]] | None = None
        self._pad = size * dpr
        self.dpr = dpr

    def run(self, text: str) -> tuple[list[int], list[int]]:
        """Numbers of the glyphs with ink, and their pens in device pixels from the text's beginning."""
        numbers, pens, pen = [], [], 0
        for piece in pieces(text):
            if piece != " ":
                number = self._numbers.get(piece)
                numbers.append(self._draw(piece) if number is None else number)
                pens.append(pen)
            pen += self._advance[piece]
        return numbers, pens

    def forget_many(self) -> None:
        """Drop the kept glyphs where they are more than MAX_GLYPHS: between two pictures, since numbers change."""
        if len(self._boxes) > MAX_GLYPHS:
            self._numbers, self._boxes, self._opacities = {}, [], []
            self._drawn, self._atlas = 0, None

    def missing(self, text: str) -> set[str]:
        """The characters that no font has, drawn as boxes."""
        return set() if text.isascii() else {one for one in set(text) if self._fonts.of(one) is None}

    def _draw(self, piece: str) -> int:
        pad = self._pad
        mask, (left, top) = font_of(self._fonts, piece).getmask2(piece, "L", anchor="ls")
        width, height = mask.size
        drawn = np.frombuffer(bytes(mask), np.uint8).reshape(height, width)
        # No letter reaches far out of its line, however high a font makes it.
        above, before = max(0, -2 * pad - top), max(0, -pad - left)
        drawn = drawn[above : max(above, pad - top), before : max(before, self._advance[piece] + pad - left)]
        number = self._numbers[piece] = len(self._boxes)
        self._boxes.append((left + before, top + above, drawn.shape[1], drawn.shape[0], self._drawn))
        self._opacities.append(drawn.reshape(-1))
        self._drawn += drawn.size
        self._atlas = None
        return number

    def atlas(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """Of each glyph: left, top, width, height from the pen, and where its opacities begin; all opacities."""
        if self._atlas is None:
            sizes = np.array(self._boxes, np.int32).reshape(-1, 5)
            self._atlas = sizes, np.concatenate([np.zeros(0, np.uint8), *self._opacities])
        return self._atlas

    def advance(self, piece: str) -> int:
        """Device pixels that the pen moves over a piece."""
        return self._advance[piece]

    def width(self, text: str) -> int:
        """Logical pixels that the pen moves over `text`."""
        return -(-sum(map(self._advance.__getitem__, pieces(text))) // self.dpr)

    def fitting(self, text: str, room: int) -> int:
        """How many of the first characters of `text` fit into `room` logical pixels."""
        drawn = pieces(text)
        pens = list(accumulate(map(self._advance.__getitem__, drawn)))
        count = bisect_right(pens, room * self.dpr)
        if drawn is text or count == len(pens):
            return sum(map(len, drawn[:count]))
        fits = sum(map(len, drawn[:count]))
        part = drawn[count]  # of a word that is drawn in one as much as fits
        kept = len(part) - 1
        while kept and self.width(text[: fits + kept]) > room:
            kept -= 1
        return fits + kept


@cache
def typeface(style: Style, dpr: int = 1) -> Typeface:
    """The typeface of a style, loaded once. Raises MissingFont."""
    file, size = STYLES[style]
    return Typeface(font_folder() / file, size, dpr)


def font_folder() -> Path:
    """Where matplotlib's wheel keeps DejaVu, found without importing matplotlib. Raises MissingFont."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise MissingFont("pictures need the fonts that the package matplotlib ships; install matplotlib")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    for file, _ in STYLES.values():
        if not (folder / file).is_file():
            raise MissingFont(f"this installation of matplotlib has no {file}; reinstall matplotlib")
    return folder


def printable(name: str) -> str:
    """`name` on one line, nothing invisible in it, no longer than any box can show, and never nothing."""
    if not name.strip():
        return "(unnamed)"
    if len(name) > MAX_LABEL_CHARACTERS:
        half = MAX_LABEL_CHARACTERS // 2
        name = name[:half] + ELLIPSIS + name[-half:]
    return name if name.isprintable() else "".join(c if c.isprintable() else " " for c in name)


def elide_end(face: Typeface, text: str, room: int) -> str:
    """`text`, or as much of its beginning as fits with an ellipsis; empty where not even that does."""
    if face.fitting(text, room) == len(text):
        return text
    kept = face.fitting(text, room - face.width(ELLIPSIS))
    return text[:kept].rstrip() + ELLIPSIS if kept >= LEAST_LETTERS else ""


def elide_name(face: Typeface, name: str, room: int) -> str:
    """A function's name in at most `room` pixels: arguments go first, then the middle of the qualification, last the
    end of the function's own name. Empty when nothing readable fits."""
    measured = _kept(face, name) if name.isascii() else _measured(face, name)
    return elided_anew(face, name, room) if measured is None else measured.elided(room * face.dpr)


def elided_anew(face: Typeface, name: str, room: int) -> str:
    """The same of any name: words from right to left are as wide as they are drawn, not as their letters."""
    if face.fitting(name, room) == len(name):
        return name
    bare = _without_arguments(name)
    if bare != name and face.fitting(bare + NO_ARGUMENTS, room) == len(bare) + len(NO_ARGUMENTS):
        return bare + NO_ARGUMENTS
    name = bare
    starts = _segment_starts(name)
    if not starts:
        return elide_end(face, name, room)
    dots = face.width(ELLIPSIS)
    tail = ""
    for start in reversed(starts):
        longer = name[start:].lstrip(_SEPARATORS)
        if dots + face.width(longer) > room:
            break
        tail = longer
    if not tail:
        return elide_end(face, name[starts[-1] :].lstrip(_SEPARATORS), room)
    head = name[: face.fitting(name, room - dots - face.width(tail))]
    return (head.rstrip(_SEPARATORS) if len(head) > LEAST_LETTERS else "") + ELLIPSIS + tail


@dataclass(frozen=True, slots=True)
class _Measured:
    """A name of letters that stand each for themselves, with what does not depend on the room: pictures have hundreds
    of labels of the same functions.

    `pens` are where the letters begin and the last ends, in device pixels; `bare` is the name
    without its arguments; `tails` are where the parts of its qualification begin, from the last on, with the pixels
    that dots and such a tail take, in full logical ones.
    """

    name: str
    pens: list[int]
    bare: str
    tails: list[tuple[int, int]]
    dots: int
    no_arguments: int

    def elided(self, room: int) -> str:
        pens, bare = self.pens, self.bare
        if pens[-1] <= room:
            return self.name
        if bare is not self.name and pens[len(bare)] + self.no_arguments <= room:
            return bare + NO_ARGUMENTS
        tail, left = len(bare), 0
        for start, taken in self.tails:
            if taken > room:
                break
            tail, left = start, room - taken
        if tail == len(bare):
            return self._beginning(self.tails[0][0] if self.tails else 0, room)
        head = bare[: bisect_right(pens, left, 1, len(bare) + 1) - 1]
        return (head.rstrip(_SEPARATORS) if len(head) > LEAST_LETTERS else "") + ELLIPSIS + bare[tail:]

    def _beginning(self, first: int, room: int) -> str:
        """The name from a letter on, or as much of it as fits with an ellipsis."""
        pens, end = self.pens, len(self.bare)
        if pens[end] - pens[first] <= room:
            return self.bare[first:]
        kept = bisect_right(pens, pens[first] + room - self.dots, first + 1, end + 1) - 1
        return self.bare[first:kept].rstrip() + ELLIPSIS if kept - first >= LEAST_LETTERS else ""


def _measured(face: Typeface, name: str) -> _Measured | None:
    """None of a name with words from right to left."""
    drawn = pieces(name)
    if len(drawn) < len(name):
        return None
    pens = [0, *accumulate(map(face.advance, drawn))]
    bare = _without_arguments(name)
    dots = face.width(ELLIPSIS)
    tails = []
    for start in reversed(_segment_starts(bare)):
        first = len(bare) - len(bare[start:].lstrip(_SEPARATORS))
        tails.append((first, (dots - (pens[first] - pens[len(bare)]) // face.dpr) * face.dpr))
    return _Measured(name, pens, bare, tails, dots * face.dpr, sum(map(face.advance, NO_ARGUMENTS)))


_kept = lru_cache(maxsize=KEPT_NAMES)(_measured)
"""Of names of ASCII alone, which are measured the same wherever words can be shaped."""
_SEPARATORS = ".:/#\\"


def _without_arguments(name: str) -> str:
    """`draw(int, Point const&)` becomes `draw`: overloads matter less than the name itself."""
    if not name.endswith(")"):
        return name
    depth = 0
    for index in range(len(name) - 1, 0, -1):
        depth += (name[index] == ")") - (name[index] == "(")
        if depth == 0:
            return name[:index].rstrip()
    return name


def _segment_starts(name: str) -> list[int]:
    """Where the parts of a qualified name begin, separators included, outside brackets: `a.b::c` at 1 and 3."""
    starts, depth = [], 0
    for index, character in enumerate(name):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth = max(0, depth - 1)
        elif depth == 0 and index > 0 and character in _SEPARATORS and name[index - 1] not in _SEPARATORS:
            starts.append(index)
    return [start for start in starts if name[start:].strip(_SEPARATORS)]
