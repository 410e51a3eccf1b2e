"""What can be asked of a picture. Options that can never be honoured are refused when they are made; what depends on
the trace (its profiles, its stack, its axis) is refused when it is drawn. Always `InvalidOption`, naming the field."""

from dataclasses import dataclass
from typing import Literal, get_args

from rendering.bounds import MAX_PATTERN_LENGTH, MAX_PIXELS, MAX_SIDE, MAX_TITLE_CHARACTERS, MIN_SIDE
from rendering.errors import InvalidOption
from rendering.palette import Theme
from traces.analysis.window import Window

Mode = Literal["time_order", "left_heavy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlamegraphOptions:
    """A flame chart. `profile` None is the trace's default one. `height` is a ceiling: a picture ends where its boxes
    end.

    `window` is on the profile's axis. `depth` is how many rows from `start_depth` on; None is what fits. Boxes whose
    function's name or file contains `highlight`, in any case, stand out; a handle (`f12`) highlights that function.
    `handles` prints them in the boxes.
    """

    mode: Mode = "time_order"
    profile: int | None = None
    width: int = 1200
    height: int = 800
    window: Window | None = None
    start_depth: int = 0
    depth: int | None = None
    highlight: str | None = None
    theme: Theme = "light"
    title: str | None = None
    handles: bool = False

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise InvalidOption("mode", f"{self.mode!r} is not one of {', '.join(get_args(Mode))}")
        _check_sheet(self.width, self.height, self.theme, self.title)
        if self.start_depth < 0:
            raise InvalidOption("start_depth", f"{self.start_depth} is negative; the outermost calls are at depth 0")
        if self.depth is not None and self.depth < 1:
            raise InvalidOption("depth", f"{self.depth} rows would show nothing; ask for at least 1")
        if self.window is not None and not self.window.start < self.window.end:
            raise InvalidOption("window", "its start must lie before its end")
        if self.highlight is not None and not 0 < len(self.highlight) <= MAX_PATTERN_LENGTH:
            raise InvalidOption("highlight", f"must have 1 to {MAX_PATTERN_LENGTH} characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class SandwichOptions:
    """Callers above and callees below one function; fields as in `FlamegraphOptions`."""

    profile: int | None = None
    width: int = 1200
    height: int = 800
    theme: Theme = "light"
    title: str | None = None
    handles: bool = False

    def __post_init__(self) -> None:
        _check_sheet(self.width, self.height, self.theme, self.title)


def _check_sheet(width: int, height: int, theme: str, title: str | None) -> None:
    for field, side in (("width", width), ("height", height)):
        if not MIN_SIDE <= side <= MAX_SIDE:
            raise InvalidOption(field, f"{side} px is outside {MIN_SIDE} to {MAX_SIDE}")
    if width * height > MAX_PIXELS:
        raise InvalidOption("height", f"{width} x {height} is more than {MAX_PIXELS // 1_000_000} megapixels")
    if theme not in get_args(Theme):
        raise InvalidOption("theme", f"{theme!r} is not one of {', '.join(get_args(Theme))}")
    if title is not None and not 0 < len(title) <= MAX_TITLE_CHARACTERS:
        raise InvalidOption("title", f"must have 1 to {MAX_TITLE_CHARACTERS} characters")
