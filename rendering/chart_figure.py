"""The figure that charts are drawn in: matplotlib's Agg renderer through its figure objects. No window, no global
state, imported only when a chart is drawn.
"""

import io
import warnings
from typing import TYPE_CHECKING

from rendering.box_titles import shortened
from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.palette import PALETTES, Palette, Rgb
from rendering.picture import Picture
from rendering.text import elide_name, typeface

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DPI = 100
_NAME_PIXELS = 260


def short_title(name: str) -> str:
    """A name as wide as a chart has room for."""
    return elide_name(typeface("small"), shortened(name), _NAME_PIXELS) or "…"


def hex_of(colour: Rgb) -> str:
    """A colour as matplotlib reads it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def new_figure(options: SheetOptions) -> "Figure":
    """An empty figure of the options' size. Raises InvalidOption for a format that charts do not have."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - 0.3 s that only charts need

    if options.format != "png":
        raise InvalidOption("format", "charts are drawn as PNG")
    palette = PALETTES[options.theme]
    size = (options.width / _DPI, options.height / _DPI)
    return Figure(figsize=size, dpi=_DPI * options.dpr, facecolor=hex_of(palette.background), layout="constrained")


def style(axes: "Axes", palette: Palette) -> None:
    """Axes in the palette's colours, without a frame."""
    axes.set_facecolor(hex_of(palette.background))
    axes.tick_params(colors=hex_of(palette.muted), labelsize=8)
    for name, spine in axes.spines.items():
        spine.set_visible(name in {"left", "bottom"})
        spine.set_color(hex_of(palette.grid))


def drawn_figure(
    figure: "Figure", options: SheetOptions, title: str, notes: tuple[str, ...], description: str
) -> Picture:
    """The figure below its title and notes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - as above

    palette = PALETTES[options.theme]
    figure.suptitle("\n".join((title, *notes)), fontsize=9, color=hex_of(palette.ink), parse_math=False)
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # it shows as a box, as in flamegraphs
        FigureCanvasAgg(figure).print_png(out, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return Picture(out.getvalue(), "png", options.width, options.height, notes, description)
