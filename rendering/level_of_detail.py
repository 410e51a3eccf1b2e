"""A row of boxes to cells and label runs: millions of boxes become at most about two cells a pixel, and no weight is
lost.

Boxes narrower than a pixel that lie in one pixel add to that pixel's colour in proportion to their width whatever their
order, so merging them changes no pixel: it is the exact box filter, done early.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.bounds import RUN_MAX_GAP, RUN_MIN_SHARE, SEPARATE_WIDTH
from rendering.palette import Colours
from rendering.scene import Cells
from traces.model import Int32

Float64 = npt.NDArray[np.float64]


def merge_row(left: Float64, right: Float64, frame: Int32, colours: Colours) -> Cells:
    """Cells of boxes that are disjoint, in order and clipped to the row; `colours` has a row a frame."""
    width = right - left
    pixel = np.floor(left).astype(np.int64)
    inside = (width < 1) & (right <= pixel + 1)
    joins = np.zeros(len(left), bool)
    joins[1:] = inside[1:] & inside[:-1] & (pixel[1:] == pixel[:-1])
    first = np.flatnonzero(~joins)
    if len(first) == len(left):
        ones = np.ones(len(left))
        return Cells(left, right, ones, colours[frame], frame, ones, np.ones(len(left), np.int64))
    count = np.diff(first, append=len(left))
    group = np.repeat(np.arange(len(first)), count)
    weight = np.add.reduceat(width, first)
    widest = np.flatnonzero(width == np.maximum.reduceat(width, first)[group])[::-1]
    chief = np.empty(len(first), np.int32)
    chief[group[widest]] = frame[widest]
    own = np.add.reduceat(np.where(frame == chief[group], width, 0.0), first)
    divisor = np.where(weight > 0, weight, 1.0)
    colour = np.stack([np.add.reduceat(colours[frame, c] * width, first) / divisor for c in range(3)], axis=-1)
    right_end = right[first + count - 1]
    extent = right_end - left[first]
    coverage = np.divide(weight, extent, out=np.zeros(len(first)), where=extent > 0)
    return Cells(
        left[first], right_end, np.minimum(coverage, 1.0), colour.astype(np.float32), chief, own / divisor, count
    )


@dataclass(frozen=True, slots=True)
class Runs:
    """Stretches of a row that read as one function: what gets an edge and a label. In order, disjoint."""

    left: Float64
    right: Float64
    frame: Int32

    def __len__(self) -> int:
        return len(self.left)


def find_runs(cells: Cells, min_width: float) -> Runs:
    """Runs at least `min_width` pixels wide: cells of one frame with at most a pixel between them, where that frame
    holds most of the weight. What lies in such a gap is itself under a pixel: garbage collection that cuts a function
    into slivers does not hide its name."""
    order = np.lexsort((cells.left, cells.frame))
    left, right, frame = cells.left[order], cells.right[order], cells.frame[order]
    wide = right - left >= SEPARATE_WIDTH
    apart = np.ones(len(order), bool)
    apart[1:] = (frame[1:] != frame[:-1]) | (left[1:] - right[:-1] > RUN_MAX_GAP) | (wide[1:] & wide[:-1])
    first = np.flatnonzero(apart)
    last = np.append(first[1:], len(order)) - 1
    run_left, run_right, run_frame = left[first], right[last], frame[first]
    drawn = (cells.right - cells.left) * cells.coverage
    own = np.add.reduceat((drawn * cells.share)[order], first)
    sums = np.concatenate(([0.0], np.cumsum(drawn)))
    among = sums[np.searchsorted(cells.right, run_right, "right")] - sums[np.searchsorted(cells.left, run_left, "left")]
    kept = np.flatnonzero((run_right - run_left >= min_width) & (own >= RUN_MIN_SHARE * among))
    kept = kept[np.argsort(run_left[kept], kind="stable")]
    kept = kept[_disjoint(run_left[kept], run_right[kept])]
    return Runs(run_left[kept], run_right[kept], run_frame[kept])


def _disjoint(left: Float64, right: Float64) -> npt.NDArray[np.bool_]:
    """Which runs to keep so that none overlaps another: at a clash the wider one stays. Runs come in order of
    `left`."""
    keep = np.ones(len(left), bool)
    if not (left[1:] < right[:-1]).any():
        return keep
    held = 0
    for index in range(1, len(left)):
        if left[index] >= right[held]:
            held = index
        elif right[index] - left[index] > right[held] - left[held]:
            keep[held] = False
            held = index
        else:
            keep[index] = False
    return keep
