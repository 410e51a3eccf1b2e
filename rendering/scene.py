"""What a picture shows, as plain values: no trace, no file format. `raster` turns a scene into pixels, `svg` into text.

Drawn in this order: `fills`, `strips`, `hatches`, `marks`, `labels`. Positions are in logical pixels from the top left
corner; a picture has `dpr` times as many device pixels each way.
"""

from dataclasses import dataclass

from rendering.kernels.cells import Cells
from rendering.palette import Rgb
from rendering.text import Style
from traces.model import Int64

HATCH_STEP, HATCH_STRIPE = 8, 3
"""Pixels from one diagonal stripe of a hatch to the next, and of a stripe: seen, and names stay legible."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of cells, `height` pixels high. Cells, and `edges` where a run of one function begins, are in device pixels
    from `left`. `titles` has each cell's tooltip; it is empty in formats that show none."""

    left: int
    top: int
    width: int
    height: int
    cells: Cells
    edges: Int64
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fill:
    """A rectangle of one colour: grid lines, axes, bands, marks. `title` is its tooltip."""

    left: int
    top: int
    width: int
    height: int
    colour: Rgb
    title: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """Text on one line: the pen starts at `x` on `baseline`."""

    x: int
    baseline: int
    text: str
    style: Style
    colour: Rgb


@dataclass(frozen=True, slots=True)
class Scene:
    """`edge` is blended over the pixels at strips' edges with `edge_strength` from 0 to 256; `hatches` are rectangles
    of diagonal stripes. `title` and `description` describe the picture to people who cannot see it."""

    width: int
    height: int
    dpr: int
    background: Rgb
    edge: Rgb
    edge_strength: int
    fills: tuple[Fill, ...]
    strips: tuple[Strip, ...]
    marks: tuple[Fill, ...]
    labels: tuple[Label, ...]
    title: str
    description: str
    hatches: tuple[Fill, ...] = ()
