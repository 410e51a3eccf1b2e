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
        np.add.at(own, frame, width)
        if above is not None:
            parent = (np.searchsorted(above[0], left, "right") - 1).clip(0)
            np.subtract.at(own, above[1][parent], width)
        above = (left, frame)
        inside = np.flatnonzero((left >= low) & (right <= high))
        if len(inside) and len(path) == depth:
            widest = int(inside[np.argmax(width[inside])])
            low, high = float(left[widest]), float(right[widest])
            path.append((depth, int(frame[widest]), float(width[widest])))
    told = _turns(path)
    return [
        "Widest path: "
        + " > ".join(f"{name_and_handle(trace, f)} {format_share(w)} at depth {d}" for d, f, w in told)
        + ".",
        f"Most {'time ' if boxes.unit.is_time else ''}in the function itself: {_heaviest(trace, boxes, own, extent)}.",
    ]


def _turns(path: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """The boxes of the path where it narrows, widest first."""
    told = [step for step, following in pairwise(path) if following[2] < step[2] * _STEP]
    return (told or path[-1:])[:_LARGEST_PATH]


def heaviest_in_row(trace: Trace, boxes: Boxes, depth: int) -> str:
    """The widest boxes of one depth with their shares of the axis; empty where there is no such row."""
    if depth >= boxes.depth_count:
        return ""
    row = slice(int(boxes.row_offsets[depth]), int(boxes.row_offsets[depth + 1]))
    width, frame = boxes.end[row] - boxes.start[row], boxes.frame[row]
    extent = boxes.axis_end - boxes.axis_start
    order = np.argsort(-width, kind="stable")[:_LARGEST_SELF].tolist()
    return ", ".join(f"{name_and_handle(trace, int(frame[i]))} {format_share(width[i] / extent)}" for i in order)


def name_and_handle(trace: Trace, frame: int) -> str:
    """`parseJson [f12]`, with a very long name cut at its end."""
    name = printable(trace.frame_name(frame))
    return f"{name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + '…'} [f{frame}]"


def _heaviest(trace: Trace, boxes: Boxes, own: npt.NDArray[np.float64], extent: float) -> str:
    order = np.argsort(-own, kind="stable")[:_LARGEST_SELF]
    return ", ".join(
        f"{name_and_handle(trace, frame)} {format_share(own[frame])} ({format_value(own[frame] * extent, boxes.unit)})"
        for frame in order.tolist()
        if own[frame] > 0
    )
