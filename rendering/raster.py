"""A scene to pixels: fills, strips of cells with exact area coverage, letters. Why it is made so:
docs/decisions/0008-raster.md."""

from collections.abc import Sequence

import numpy as np

from rendering.kernels.pixels import Edges, Letters, Pixels, draw_letters, draw_strip
from rendering.scene import HATCH_STEP, HATCH_STRIPE, Fill, Label, Scene
from rendering.text import STYLES, typeface


def rasterise(scene: Scene) -> Pixels:
    """The scene's pixels: `dpr` times height x `dpr` times width x 3."""
    dpr = scene.dpr
    pixels = np.empty((scene.height * dpr, scene.width * dpr, 3), np.uint8)
    pixels[0] = scene.background
    pixels[1:] = pixels[0]  # full lines copy faster than single pixels
    _draw_fills(pixels, scene.fills, dpr)
    for strip in scene.strips:
        if len(strip.cells):
            box = (strip.left * dpr, strip.top * dpr, strip.width * dpr, strip.height * dpr)
            draw_strip(pixels, box, strip.cells, Edges(strip.edges, scene.edge, scene.edge_strength))
    _draw_hatches(pixels, scene.hatches, dpr)
    _draw_fills(pixels, scene.marks, dpr)
    _draw_labels(pixels, scene.labels, dpr)
    return pixels


def _draw_fills(pixels: Pixels, fills: Sequence[Fill], dpr: int) -> None:
    for fill in fills:
        top, left = fill.top * dpr, fill.left * dpr
        pixels[top : top + fill.height * dpr, left : left + fill.width * dpr] = fill.colour


def _draw_hatches(pixels: Pixels, hatches: Sequence[Fill], dpr: int) -> None:
    for hatch in hatches:
        top, left = hatch.top * dpr, hatch.left * dpr
        part = pixels[top : top + hatch.height * dpr, left : left + hatch.width * dpr]
        across = np.arange(top, top + part.shape[0])[:, None] + np.arange(left, left + part.shape[1])
        part[across % (HATCH_STEP * dpr) < HATCH_STRIPE * dpr] = hatch.colour


def _draw_labels(pixels: Pixels, labels: Sequence[Label], dpr: int) -> None:
    for style in STYLES:
        face = typeface(style, dpr)
        face.forget_many()
        styled = [label for label in labels if label.style == style]
        glyph: list[int] = []
        x: list[int] = []
        lengths: list[int] = []
        for label in styled:
            numbers, pens = face.run(label.text)
            glyph += numbers
            origin = label.x * dpr
            x += [origin + pen for pen in pens]
            lengths.append(len(numbers))
        size, opacities = face.atlas()
        of = np.repeat(np.arange(len(styled), dtype=np.int32), lengths)
        baselines = np.array([label.baseline * dpr for label in styled], np.int32)
        colours = np.array([label.colour for label in styled], np.uint8).reshape(-1, 3)
        letters = Letters(np.array(glyph, np.int32), np.array(x, np.int32), baselines[of], of, size, opacities, colours)
        draw_letters(pixels, letters)
