"""Cells and letters to pixels, in integers. In C: pixels.c.

A pixel's colour is the integral of what lies in it, which is a box filter without approximation. Blending is done on
sRGB values, as in browsers, so that text and boxes look as they do on the page.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.kernels.cells import FIXED_BITS, ONE, Cells
from rendering.kernels.library import call, kernels
from traces.kernels.library import raise_for
from traces.model import Int32, Int64

Pixels = npt.NDArray[np.uint8]
"""Height x width x 3, one behind the other."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Pixels of a row where a run begins: `colour` is laid over them with `strength` in 256ths."""

    at: Int64
    colour: tuple[int, int, int]
    strength: int


@dataclass(frozen=True, slots=True)
class Letters:
    """Glyphs with their pens; `label` counts the texts, `colours` has a row for each. Row `g` of `size` is left, top,
    width, height of glyph `g` from the pen, and where its opacities begin in `atlas`."""

    glyph: Int32
    x: Int32
    y: Int32
    label: Int32
    size: Int32
    atlas: npt.NDArray[np.uint8]
    colours: npt.NDArray[np.uint8]


def draw_strip(pixels: Pixels, box: tuple[int, int, int, int], cells: Cells, edges: Edges) -> None:
    """Lay a row of cells over the pixels; `box` is left, top, width, height and must lie inside."""
    library = kernels()
    if library is None:
        draw_strip_reference(pixels, box, cells, edges)
        return
    left, top, width, height = box
    target = pixels[top : top + height, left : left + width]
    assert target.shape == (height, width, 3)
    columns = [np.ascontiguousarray(c) for c in (cells.left, cells.right, cells.weight, cells.colour)]
    first = pixels.reshape(-1)[(top * pixels.shape[1] + left) * 3 :]
    colour = np.array(edges.colour, np.uint8)
    at = np.ascontiguousarray(edges.at)
    outcome = call(
        library.draw_strip,
        first,
        pixels.shape[1] * 3,
        width,
        height,
        *columns,
        len(cells),
        at,
        len(at),
        colour,
        edges.strength,
    )
    raise_for(outcome, 0)


def draw_strip_reference(pixels: Pixels, box: tuple[int, int, int, int], cells: Cells, edges: Edges) -> None:
    """The same in numpy."""
    left, top, width, height = box
    sums = row_sums(cells, width)
    at = edges.at[(edges.at >= 0) & (edges.at < width)]
    ink = np.array(edges.colour, np.int64) * sums[at, 3:] * edges.strength
    sums[at, :3] = (sums[at, :3] * (256 - edges.strength) + ink) >> 8
    target = pixels[top : top + height, left : left + width]
    lines = target[:1] if (target == target[:1]).all() else target
    value = (sums[:, :3] + (ONE - sums[:, 3:]) * lines.astype(np.int64) + ONE // 2) >> FIXED_BITS
    painted = sums[:, 3] > 0
    target[:, painted] = value.clip(0, 255).astype(np.uint8)[:, painted]


def row_sums(cells: Cells, width: int) -> Int64:
    """For each pixel of a row, red, green and blue times coverage, and coverage: width x 4, in multiples of 2**-32."""
    sums = np.zeros((width + 1, 4), np.int64)
    solid = np.flatnonzero(cells.weight > 0)
    left, right, weight, colour = (c[solid] for c in (cells.left, cells.right, cells.weight, cells.colour))
    first, last = left >> FIXED_BITS, (right - 1) >> FIXED_BITS
    inside = first == last
    np.add.at(sums, first[inside], np.column_stack((colour[inside], weight[inside])))
    across = np.flatnonzero(~inside)
    first, last = first[across], last[across]
    rgb = np.column_stack((colour[across] // weight[across, np.newaxis], np.ones(len(across), np.int64)))
    np.add.at(sums, first, rgb * (((first + 1) << FIXED_BITS) - left[across])[:, np.newaxis])
    np.add.at(sums, last, rgb * (right[across] - (last << FIXED_BITS))[:, np.newaxis])
    steps = np.zeros((width + 1, 4), np.int64)
    np.add.at(steps, first + 1, rgb * ONE)
    np.subtract.at(steps, last, rgb * ONE)
    return np.asarray((sums + np.cumsum(steps, axis=0))[:width])


def draw_letters(pixels: Pixels, letters: Letters) -> None:
    """Lay letters over the picture. Those of one label that touch a pixel count once, the stronger; what lies outside
    is cut."""
    if not len(letters.glyph):
        return
    library = kernels()
    if library is None:
        draw_letters_reference(pixels, letters)
        return
    height, width, _ = pixels.shape
    columns = [np.ascontiguousarray(c, np.int32) for c in (letters.glyph, letters.x, letters.y, letters.label)]
    rest = [np.ascontiguousarray(c) for c in (letters.size, letters.atlas, letters.colours)]
    raise_for(call(library.draw_letters, pixels, width, height, *columns, len(letters.glyph), *rest), 0)


def draw_letters_reference(pixels: Pixels, letters: Letters) -> None:
    """The same in numpy: every pixel with ink, in the order of label and opacity, so that the strongest is kept."""
    height, width, _ = pixels.shape
    size = letters.size[letters.glyph]
    area = (size[:, 2] * size[:, 3]).astype(np.int64)
    of = np.repeat(np.arange(len(area)), area)
    within = np.arange(len(of)) - np.repeat(np.cumsum(area) - area, area)
    across, down = within % size[of, 2], within // size[of, 2]
    ink = letters.atlas[size[of, 4] + within].astype(np.int64)
    x, y = letters.x[of] + size[of, 0] + across, letters.y[of] + size[of, 1] + down
    seen = (ink > 0) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    ink, label, at = ink[seen], letters.label[of[seen]], (y * width + x)[seen]
    order = np.lexsort((ink, label, at))
    last = np.flatnonzero(np.append((at[order][1:] != at[order][:-1]) | (label[order][1:] != label[order][:-1]), True))
    kept = order[last][: len(order)]
    ink, label, at = ink[kept], label[kept], at[kept]
    flat = pixels.reshape(-1, 3)
    while len(at):  # one label after the other where several lie over a pixel
        top = np.concatenate(([True], at[1:] != at[:-1]))
        opacity = ink[top][:, np.newaxis]
        colour = letters.colours[label[top]].astype(np.int64)
        flat[at[top]] = (flat[at[top]] * (255 - opacity) + colour * opacity + 127) // 255
        ink, label, at = ink[~top], label[~top], at[~top]
