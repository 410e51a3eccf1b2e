"""Cells to label runs: stretches of a row that read as one function."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.bounds import RUN_MAX_GAP, RUN_MIN_TENTHS, SEPARATE_WIDTH
from rendering.kernels.cells import ONE, Cells, find_runs
from traces.model import Int32, Int64


@dataclass(frozen=True, slots=True)
class Runs:
    """What gets an edge and a label: in order, disjoint, in multiples of 2**-32 device pixels."""

    left: Int64
    right: Int64
    kind: Int32

    def __len__(self) -> int:
        return len(self.left)


def label_runs(cells: Cells, min_width: float, dpr: int = 1) -> Runs:
    """Runs at least `min_width` logical pixels wide: cells of one kind with at most a pixel between them, where that
    kind holds most of the weight. What lies in such a gap is itself under a pixel: garbage collection that cuts a
    function into slivers does not hide its name."""
    first, last, own = find_runs(cells, int(RUN_MAX_GAP * dpr * ONE), SEPARATE_WIDTH * dpr * ONE)
    left, right = cells.left[first], cells.right[last]
    sums = np.concatenate(([0], np.cumsum(cells.weight)))
    among = sums[last + 1] - sums[first]
    kept = np.flatnonzero((right - left >= int(min_width * dpr * ONE)) & (10 * own >= RUN_MIN_TENTHS * among))
    left, right, kind = left[kept], right[kept], cells.kind[first[kept]]
    apart = _disjoint(left, right)
    return Runs(left[apart], right[apart], kind[apart])


def _disjoint(left: Int64, right: Int64) -> npt.NDArray[np.bool_]:
    """Which runs to keep so that none overlaps another: at a clash the wider one stays. Runs come in order of
    `left`."""
    keep = np.ones(len(left), bool)
    if not (left[1:] < right[:-1]).any():
        return keep
    starts, ends = left.tolist(), right.tolist()
    held = 0
    for index in range(1, len(starts)):
        if starts[index] >= ends[held]:
            held = index
        elif ends[index] - starts[index] > ends[held] - starts[held]:
            keep[held] = False
            held = index
        else:
            keep[index] = False
    return keep
