"""Boxes on an axis to strips and labels: the part of a scene that both the flame chart and the sandwich are made of."""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.bounds import EDGE_MIN_WIDTH, LABEL_MIN_WIDTH, ROW_HEIGHT
from rendering.level_of_detail import Runs, find_runs, merge_row
from rendering.palette import Colours, Palette, Rgb
from rendering.scene import Label, Strip
from rendering.text import Typeface, elide_name, printable, typeface
from traces.analysis.boxes import Boxes
from traces.model import Int32, Trace

_LABEL_PAD = 4
_BASELINE = 13
"""From a row's top to the letters' baseline: 11 px letters centred in 17 px."""


@dataclass(frozen=True, slots=True)
class Area:
    """Where a chart lies in the picture, and the part of the axis it shows: `start` at its left side, `end` at its
    right."""

    left: int
    top: int
    width: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Paint:
    """How frames look: one row a frame. `bright` tells the frames that are not dimmed."""

    colours: Colours
    bright: npt.NDArray[np.bool_]
    label: Rgb
    dim_label: Rgb


@dataclass(frozen=True, slots=True)
class Chart:
    """`merged` counts the boxes that were too narrow to be seen on their own, row by row."""

    strips: tuple[Strip, ...]
    labels: tuple[Label, ...]
    merged: tuple[int, ...]


def used_frames(trace: Trace, *charts: tuple[Boxes, range]) -> npt.NDArray[np.bool_]:
    """Which frames the boxes at the given depths show."""
    used = np.zeros(len(trace.frames), bool)
    for boxes, depths in charts:
        used[boxes.frame[boxes.row_offsets[depths.start] : boxes.row_offsets[depths.stop]]] = True
    return used


def matching_frames(trace: Trace, pattern: str, used: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Frames among `used` whose name or file contains `pattern`, in any case, or whose handle it is."""
    matching = np.zeros(len(used), bool)
    if re.fullmatch(r"f\d{1,9}", pattern) and int(pattern[1:]) < len(used):
        matching[int(pattern[1:])] = used[int(pattern[1:])]
        return matching
    wanted = pattern.casefold()
    for frame in np.flatnonzero(used).tolist():
        text = f"{trace.frame_name(frame)}\n{trace.frame_file(frame) or ''}"
        matching[frame] = wanted in text.casefold()
    return matching


def paint(trace: Trace, palette: Palette, used: npt.NDArray[np.bool_], bright: npt.NDArray[np.bool_] | None) -> Paint:
    """Colours of the `used` frames; with `bright`, those stand out and all others are dimmed."""
    colours = palette.frame_colours(trace, used)
    if bright is None:
        return Paint(colours, np.ones(len(used), bool), palette.label, palette.dim_label)
    colours = palette.dimmed(colours)
    colours[bright] = palette.highlight
    return Paint(colours, bright, palette.label, palette.dim_label)


def row_in_area(boxes: Boxes, depth: int, area: Area) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Int32]:
    """Left and right in pixels, and frame, of the boxes of one depth that reach into the area; those without width are
    left out."""
    rows = slice(int(boxes.row_offsets[depth]), int(boxes.row_offsets[depth + 1]))
    start, end = boxes.start[rows], boxes.end[rows]
    seen = slice(int(np.searchsorted(end, area.start, "right")), int(np.searchsorted(start, area.end, "left")))
    scale = area.width / (area.end - area.start)
    left = ((start[seen] - area.start) * scale).clip(0, area.width)
    right = ((end[seen] - area.start) * scale).clip(0, area.width)
    frame = boxes.frame[rows][seen]
    solid = right > left
    return (left, right, frame) if solid.all() else (left[solid], right[solid], frame[solid])


def draw_chart(
    trace: Trace, boxes: Boxes, depths: range, area: Area, look: Paint, *, handles: bool, upwards: bool = False
) -> Chart:
    """Strips for `depths`, downwards from the area's top, or `upwards` with the last depth at the top."""
    face = typeface("label")
    strips, labels, merged = [], [], []
    for index, depth in enumerate(depths):
        row = len(depths) - 1 - index if upwards else index
        top = area.top + row * ROW_HEIGHT
        left, right, frame = row_in_area(boxes, depth, area)
        if not len(left):
            merged.append(0)
            continue
        cells = merge_row(left, right, frame, look.colours)
        merged.append(int(cells.count[cells.count > 1].sum()))
        runs = find_runs(cells, EDGE_MIN_WIDTH)
        edges = np.minimum(np.rint(runs.left).astype(np.int64), area.width - 1)
        strips.append(Strip(area.left, top, area.width, ROW_HEIGHT - 1, cells, edges[edges > 0]))
        labels += _row_labels(trace, runs, area.left, top, look, face, handles=handles)
    return Chart(tuple(strips), tuple(labels), tuple(merged))


def _row_labels(
    trace: Trace, runs: Runs, left: int, top: int, look: Paint, face: Typeface, *, handles: bool
) -> list[Label]:
    labels = []
    for index in np.flatnonzero(runs.right - runs.left >= LABEL_MIN_WIDTH).tolist():
        frame = int(runs.frame[index])
        begin = round(float(runs.left[index])) + _LABEL_PAD
        room = int(runs.right[index]) - begin - _LABEL_PAD // 2
        text = label_text(face, printable(trace.frame_name(frame)), room, f"[f{frame}]" if handles else "")
        if text:
            ink = look.label if look.bright[frame] else look.dim_label
            labels.append(Label(left + begin, top + _BASELINE, text, "label", ink))
    return labels


def label_text(face: Typeface, name: str, room: int, handle: str) -> str:
    """What fits into a box: the name, shortened if it must be, with the handle behind it; the handle alone rather than
    a name without."""
    if not handle:
        return elide_name(face, name, room)
    suffix = " " + handle
    short = elide_name(face, name, room - face.width(suffix))
    if short:
        return short + suffix
    return handle if face.width(handle) <= room else ""
