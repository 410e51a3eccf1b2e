"""What a picture shows, as plain values in pixels: no trace, no file format. `raster` turns a scene into pixels.

Drawn in this order: `fills`, `strips`, `labels`. Positions are from the top left corner.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.palette import Colours, Rgb
from rendering.text import Style
from traces.model import Int32, Int64


@dataclass(frozen=True, slots=True)
class Cells:
    """One row of boxes after level of detail: disjoint, in order, `left` and `right` in pixels from the row's left
    side.

    A cell is one box, or the boxes narrower than a pixel that lie in the same pixel: then `coverage` is the part of its
    extent that they fill, `colour` their average by width, `frame` the frame of the widest of them and `share` that
    frame's part of their weight. `count` is how many boxes the cell stands for.
    """

    left: npt.NDArray[np.float64]
    right: npt.NDArray[np.float64]
    coverage: npt.NDArray[np.float64]
    colour: Colours
    frame: Int32
    share: npt.NDArray[np.float64]
    count: Int64

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of cells, `height` pixels high; at each pixel of `edges` a run of one function begins."""

    left: int
    top: int
    width: int
    height: int
    cells: Cells
    edges: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fill:
    """A rectangle of one colour: grid lines, axes, bands."""

    left: int
    top: int
    width: int
    height: int
    colour: Rgb


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
    """`edge` is blended over the pixels at strips' edges with `edge_strength` from 0 to 1."""

    width: int
    height: int
    background: Rgb
    edge: Rgb
    edge_strength: float
    fills: tuple[Fill, ...]
    strips: tuple[Strip, ...]
    labels: tuple[Label, ...]
