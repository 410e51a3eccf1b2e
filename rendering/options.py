"""What can be asked of a picture. Options that can never be honoured are refused when they are made; what depends on
the trace (its profiles, its stack, its axis) is refused when it is drawn. Always `InvalidOption`, naming the field.
docs/rendering.md lists each with its default and limits."""

from dataclasses import dataclass
from typing import Literal, get_args

from rendering.bounds import (
    MAX_DPR,
    MAX_MIN_WIDTH,
    MAX_PATTERN_LENGTH,
    MAX_PIXELS,
    MAX_SIDE,
    MAX_TITLE_CHARACTERS,
    MAX_WEBP_SIDE,
    MIN_DPR,
    MIN_SIDE,
)
from rendering.errors import InvalidOption
from rendering.palette import PaletteName, Theme
from traces.analysis.window import Window

Mode = Literal["time_order", "left_heavy"]
Format = Literal["png", "svg", "webp"]
Compare = Literal["values", "shares"]

DEFAULT_WIDTH = 1200
DEFAULT_HEIGHT = 800
"""A picture that models look at without scaling it down, and that fits a pull request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOptions:
    """What every picture takes. `profile` None is the trace's default one. `width` and `height` are logical pixels;
    `height` is a ceiling: a picture ends where its boxes end. `dpr` device pixels make up a logical one, each way.

    `title` None is the trace's name, or the function's. `legend` explains the colours, `value_axis` and `depth_axis`
    draw the axes, `handles` prints handles in the boxes. Boxes narrower than `min_width` logical pixels are left out.
    `remarks` are said at the foot, before what the picture leaves out.
    """

    profile: int | None = None
    width: int = DEFAULT_WIDTH
    height: int = DEFAULT_HEIGHT
    dpr: int = 1
    format: Format = "png"
    theme: Theme = "light"
    palette: PaletteName = "file"
    title: str | None = None
    legend: bool = False
    value_axis: bool = True
    depth_axis: bool = True
    handles: bool = False
    min_width: float = 0.0
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field, side in (("width", self.width), ("height", self.height)):
            if not MIN_SIDE <= side <= MAX_SIDE:
                raise InvalidOption(field, f"{side} px is outside {MIN_SIDE} to {MAX_SIDE}")
        if not MIN_DPR <= self.dpr <= MAX_DPR:
            raise InvalidOption("dpr", f"{self.dpr} is outside {MIN_DPR} to {MAX_DPR}")
        if self.width * self.height * self.dpr**2 > MAX_PIXELS:
            times = f" at {self.dpr} x {self.dpr} device pixels" if self.dpr > 1 else ""
            text = f"{self.width} x {self.height}{times} is more than {MAX_PIXELS // 1_000_000} megapixels"
            raise InvalidOption("dpr" if self.width * self.height <= MAX_PIXELS else "height", text)
        choices: tuple[tuple[str, str, object], ...] = (
            ("format", self.format, Format),
            ("theme", self.theme, Theme),
            ("palette", self.palette, PaletteName),
        )
        for field, chosen, known in choices:
            _check_choice(field, chosen, known)
        if self.format == "webp" and max(self.width, self.height) * self.dpr > MAX_WEBP_SIDE:
            raise InvalidOption("format", f"WebP holds at most {MAX_WEBP_SIDE} pixels a side; ask for PNG or SVG")
        if self.title is not None and not 0 < len(self.title) <= MAX_TITLE_CHARACTERS:
            raise InvalidOption("title", f"must have 1 to {MAX_TITLE_CHARACTERS} characters")
        if not 0 <= self.min_width <= MAX_MIN_WIDTH:
            raise InvalidOption("min_width", f"{self.min_width:g} px is outside 0 to {MAX_MIN_WIDTH:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlamegraphOptions(SheetOptions):
    """A flame chart.

    `window` is on the profile's axis. `depth` is how many rows from `start_depth` on; None is what fits. `focus` shows
    one subtree alone: `n345` a node with what it calls, `f12` all calls of a function. Boxes whose function's name or
    file contains `highlight`, in any case, stand out; a handle (`f12`) highlights that function. `flatten_recursion`
    draws a function once in a stack. `minimap` shows all of the profile above the chart.
    """

    mode: Mode = "time_order"
    window: Window | None = None
    start_depth: int = 0
    depth: int | None = None
    focus: str | None = None
    highlight: str | None = None
    flatten_recursion: bool = False
    minimap: bool = False

    def __post_init__(self) -> None:
        super(FlamegraphOptions, self).__post_init__()
        _check_choice("mode", self.mode, Mode)
        _check_rows(self.start_depth, self.depth)
        if self.window is not None and not self.window.start < self.window.end:
            raise InvalidOption("window", "its start must lie before its end")
        if self.highlight is not None and not 0 < len(self.highlight) <= MAX_PATTERN_LENGTH:
            raise InvalidOption("highlight", f"must have 1 to {MAX_PATTERN_LENGTH} characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class SandwichOptions(SheetOptions):
    """Callers above and callees below one function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions(SheetOptions):
    """What changed from one trace to another. `profile` is of the second, `before_profile` of the first; `palette` has
    no meaning here. `compare` says whether values are compared as they are or as shares of their profile."""

    before_profile: int | None = None
    compare: Compare = "values"
    start_depth: int = 0
    depth: int | None = None

    def __post_init__(self) -> None:
        super(DiffOptions, self).__post_init__()
        _check_choice("compare", self.compare, Compare)
        _check_rows(self.start_depth, self.depth)


def _check_choice(field: str, chosen: str, known: object) -> None:
    if chosen not in get_args(known):
        raise InvalidOption(field, f"{chosen!r} is not one of {', '.join(get_args(known))}")


def _check_rows(start_depth: int, depth: int | None) -> None:
    if start_depth < 0:
        raise InvalidOption("start_depth", f"{start_depth} is negative; the outermost calls are at depth 0")
    if depth is not None and depth < 1:
        raise InvalidOption("depth", f"{depth} rows would show nothing; ask for at least 1")
