"""A scene to pixels, with exact area coverage.

Along a row, the integral of colour from the left side to x is piecewise linear in x; a pixel's value is its difference
across the pixel. That is a box filter without approximation, in time proportional to cells plus pixels. Blending is
done on sRGB values, as in browsers, so that text and boxes look as they do on the page.
"""

import numpy as np
import numpy.typing as npt

from rendering.palette import Rgb
from rendering.scene import Cells, Label, Scene, Strip
from rendering.text import typeface

Pixels = npt.NDArray[np.uint8]
"""Height x width x 3."""


def rasterise(scene: Scene) -> Pixels:
    """The scene's pixels."""
    pixels = np.empty((scene.height, scene.width, 3), np.uint8)
    pixels[:] = scene.background
    for fill in scene.fills:
        pixels[fill.top : fill.top + fill.height, fill.left : fill.left + fill.width] = fill.colour
    for strip in scene.strips:
        _draw_strip(pixels, strip, scene)
    _draw_labels(pixels, scene.labels)
    return pixels


def row_colour(cells: Cells, width: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """For each pixel of a row, colour times coverage (width x 3) and coverage from 0 to 1 (width)."""
    borders = np.arange(width + 1, dtype=np.float64)
    reached = np.searchsorted(cells.left, borders, "right")
    last = np.maximum(reached - 1, 0)
    beyond = np.where(reached > 0, np.maximum(cells.right[last] - borders, 0.0), 0.0) * cells.coverage[last]
    weight = (cells.right - cells.left) * cells.coverage

    def per_pixel(density: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        integral = np.concatenate(([0.0], np.cumsum(weight * density)))
        return np.asarray(np.diff(integral[reached] - beyond * density[last]))

    colour = np.stack([per_pixel(cells.colour[:, channel].astype(np.float64)) for channel in range(3)], axis=-1)
    return colour, per_pixel(np.ones(len(cells)))


def _draw_strip(pixels: Pixels, strip: Strip, scene: Scene) -> None:
    if not len(strip.cells):
        return
    colour, coverage = row_colour(strip.cells, strip.width)
    edge = np.array(scene.edge, np.float64)
    strength = coverage[strip.edges, np.newaxis] * scene.edge_strength
    colour[strip.edges] = colour[strip.edges] * (1 - scene.edge_strength) + edge * strength
    target = pixels[strip.top : strip.top + strip.height, strip.left : strip.left + strip.width]
    blended = colour + target * (1 - coverage[:, np.newaxis])
    target[:] = np.rint(blended).clip(0, 255).astype(np.uint8)


def _draw_labels(pixels: Pixels, labels: tuple[Label, ...]) -> None:
    by_colour: dict[Rgb, list[Label]] = {}
    for label in labels:
        by_colour.setdefault(label.colour, []).append(label)
    for colour, group in by_colour.items():
        across: list[npt.NDArray[np.int32]] = []
        down: list[npt.NDArray[np.int32]] = []
        alpha: list[npt.NDArray[np.uint8]] = []
        for label in group:
            face = typeface(label.style)
            pen = label.x
            for character in label.text:
                glyph = face.glyph(character)
                if len(glyph.alpha):
                    across.append(glyph.across + pen)
                    down.append(glyph.down + label.baseline)
                    alpha.append(glyph.alpha)
                pen += glyph.advance
        if alpha:
            _blend(pixels, np.concatenate(down), np.concatenate(across), np.concatenate(alpha), colour)


def _blend(
    pixels: Pixels,
    down: npt.NDArray[np.int32],
    across: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.uint8],
    colour: Rgb,
) -> None:
    """Lay `colour` over single pixels; where two letters touch one pixel the stronger counts, and what lies outside is
    cut."""
    height, width, _ = pixels.shape
    within = (down >= 0) & (down < height) & (across >= 0) & (across < width)
    order = np.argsort(alpha[within], kind="stable")
    down, across = down[within][order], across[within][order]
    opacity = (alpha[within][order] / 255.0)[:, np.newaxis]
    blended = pixels[down, across] * (1 - opacity) + np.array(colour, np.float64) * opacity
    pixels[down, across] = np.rint(blended).astype(np.uint8)
