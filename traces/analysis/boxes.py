"""The boxes of a flame chart, as columns: what pictures and the page's chart are drawn from."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from traces.model import Int32, Int64, UInt8
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes sorted by depth, then start.

    Those of depth `d` are rows `row_offsets[d]:row_offsets[d + 1]`, disjoint and in order. `start` and `end` are on
    the axis (nanoseconds when `unit` is time), between `axis_start` and `axis_end`. `ref` is the global number behind
    the handle (`s<ref>` for spans, `n<ref>` for nodes). `unfinished` is 1 for spans without an end, which are hatched;
    None where there are none.
    """

    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    frame: Int32
    ref: Int64
    row_offsets: Int64
    ref_kind: Literal["span", "node"]
    unit: Unit
    axis_start: float
    axis_end: float
    unfinished: UInt8 | None = None

    def __len__(self) -> int:
        return len(self.start)

    @property
    def depth_count(self) -> int:
        return len(self.row_offsets) - 1
