"""The fonts of pictures: DejaVu Sans first, and where it lacks a letter the first of the others that has it.

Others are those of the packages that the extra `fonts` installs (Noto), then those that systems are known to have. A
letter that none has shows as the box of the first font.
"""

import contextlib
import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont, features

PACKAGES = ("manimgx_fonts", "manimgx_fonts_cjk")
"""Noto Emoji and Noto Sans for many scripts, and for Chinese, Japanese and Korean; OFL 1.1."""

KNOWN = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJK-VF.otf.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansCJKjp-Regular.otf",
    "NotoEmoji-Regular.ttf",
    "NotoEmoji[wght].ttf",
    "DroidSansFallbackFull.ttf",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "Symbola.ttf",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "AppleSDGothicNeo.ttc",
    "Arial Unicode.ttf",
    "msyh.ttc",
    "msgothic.ttc",
    "malgun.ttf",
    "seguisym.ttf",
    "seguiemj.ttf",
)
FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")
REGULAR = 400
NOWHERE = "\uffff"
"""A character that no font has: its picture is that of all that are missing."""


@cache
def shapes() -> bool:
    """Whether Pillow joins and orders Arabic and Hebrew, which libraqm does for it."""
    return bool(features.check("raqm"))


@cache
def other_files() -> tuple[Path, ...]:
    """Files of fonts after the first, in the order of asking."""
    found: list[Path] = []
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            folder = Path(spec.origin).parent
            files = (*folder.glob("*.ttf"), *folder.glob("*.ttc"), *folder.glob("*.otf"))
            found += sorted(file for file in files if "Italic" not in file.name)
    windows = Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts"
    places: dict[str, Path] = {}
    for start in (*map(Path, FOLDERS), windows):
        for inside, _, names in os.walk(start):
            for name in names:
                places.setdefault(name, Path(inside) / name)
    return (*found, *(places[name] for name in KNOWN if name in places))


class Fonts:
    """One font at one size, and others for what it lacks; each is loaded when it is needed."""

    def __init__(self, first: Path, size: int) -> None:
        self._size = size
        self.first = ImageFont.truetype(str(first), size, layout_engine=ImageFont.Layout.BASIC)
        self._loaded: list[ImageFont.FreeTypeFont] = [self.first]
        self._files: Iterator[Path] | None = None
        self._missing: dict[int, bytes] = {}
        self._shaping: dict[int, ImageFont.FreeTypeFont] = {}
        self._of: dict[str, ImageFont.FreeTypeFont | None] = {}
        self._having: dict[tuple[int, str], bool] = {}

    def of(self, character: str) -> ImageFont.FreeTypeFont | None:
        """The font that has a character; None where none has it."""
        if character not in self._of:
            self._of[character] = next((font for font in self._all() if self._has(font, character)), None)
        return self._of[character]

    def shaping(self, letters: str) -> ImageFont.FreeTypeFont:
        """The font that has all of these letters, with the engine that orders and joins them."""
        font = next((font for font in self._all() if all(self._has(font, one) for one in letters)), self.first)
        if id(font) not in self._shaping:
            self._shaping[id(font)] = self._load(Path(str(font.path)), ImageFont.Layout.RAQM)
        return self._shaping[id(font)]

    def _all(self) -> Iterator[ImageFont.FreeTypeFont]:
        at = 0
        while True:
            while at < len(self._loaded):
                yield self._loaded[at]
                at += 1
            self._files = iter(other_files()) if self._files is None else self._files
            file = next(self._files, None)
            if file is None:
                return
            with contextlib.suppress(OSError):  # a font of pictures has no such size
                self._loaded.append(self._load(file))

    def _load(self, file: Path, engine: ImageFont.Layout = ImageFont.Layout.BASIC) -> ImageFont.FreeTypeFont:
        font = ImageFont.truetype(str(file), self._size, layout_engine=engine)
        with contextlib.suppress(OSError):  # of one weight
            font.set_variation_by_axes([REGULAR])
        return font

    def _has(self, font: ImageFont.FreeTypeFont, character: str) -> bool:
        """Drawn once to see it: a name may have the same letter ten thousand times, and is measured a hundred times
        until as much of it as fits is found."""
        key = id(font)
        if (key, character) not in self._having:
            if key not in self._missing:
                self._missing[key] = bytes(font.getmask(NOWHERE))
            self._having[key, character] = bytes(font.getmask(character)) != self._missing[key]
        return self._having[key, character]
