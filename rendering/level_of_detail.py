"""Cells to label runs: neighbouring cells of a row that read as one function."""

from dataclasses import dataclass

from rendering.bounds import RUN_MAX_GAP, RUN_MIN_TENTHS, SEPARATE_WIDTH
from rendering.kernels.cells import ONE, Cells, RunRules, find_runs
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
    pixel = dpr * ONE
    rules = RunRules(int(RUN_MAX_GAP * pixel), SEPARATE_WIDTH * pixel, int(min_width * pixel), RUN_MIN_TENTHS)
    first, last = find_runs(cells, rules)
    return Runs(cells.left[first], cells.right[last], cells.kind[first])
