"""What a chart shows, in words: where it is widest and which functions spend the time themselves."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rendering.chart import Area, row_in_area
from rendering.text import printable
from traces.analysis.boxes import Boxes
from traces.analysis.units import format_share, format_value
from traces.model import Trace

_LARGEST_PATH = 8
_LARGEST_SELF = 6
_NAME_CHARACTERS = 80
_STEP = 0.9
"""Along the widest path only boxes are told whose widest child is narrower than this part of them."""


def describe(trace: Trace, boxes: Boxes, start: float, end: float) -> list[str]:
    """Sentences about the boxes between `start` and `end`, with handles; shares are of that extent."""
    extent = end - start
    if extent <= 0 or not len(boxes):
        return ["Nothing was recorded here."]
    area = Area(0, 0, 1, start, end)
    own = np.zeros(len(trace.frames))
    path: list[tuple[int, int, float]] = []
    low, high = 0.0, 1.0
    above: tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]] | None = None
    for depth in range(boxes.depth_count):
        left, right, frame = row_in_area(boxes, depth, area)
        if not len(left):
            break
        width = right - left
        own += np.bincount(frame, weights=width, minlength=len(own))
        if above is not None:
            parent = (np.searchsorted(above[0], left, "right") - 1).clip(0)
            own -= np.bincount(above[1][parent], weights=width, minlength=len(own))
        above = (left, frame)
        inside = np.flatnonzero((left >= low) & (right <= high))
        if len(inside) and len(path) == depth:
            widest = int(inside[np.argmax(width[inside])])
            low, high = float(left[widest]), float(right[widest])
            path.append((depth, int(frame[widest]), float(width[widest])))
    told = _turns(path)
    return [
        "Widest path: " + " > ".join(f"{_name(trace, f)} {format_share(w)} at depth {d}" for d, f, w in told) + ".",
        f"Most {'time ' if boxes.unit.is_time else ''}in the function itself: {_heaviest(trace, boxes, own, extent)}.",
    ]


def _turns(path: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """The boxes of the path where it narrows, widest first."""
    told = [step for step, following in pairwise(path) if following[2] < step[2] * _STEP]
    return (told or path[-1:])[:_LARGEST_PATH]


def _heaviest(trace: Trace, boxes: Boxes, own: npt.NDArray[np.float64], extent: float) -> str:
    order = np.argsort(-own, kind="stable")[:_LARGEST_SELF]
    return ", ".join(
        f"{_name(trace, frame)} {format_share(own[frame])} ({format_value(own[frame] * extent, boxes.unit)})"
        for frame in order.tolist()
        if own[frame] > 0
    )


def _name(trace: Trace, frame: int) -> str:
    name = printable(trace.frame_name(frame))
    return f"{name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + '…'} [f{frame}]"
