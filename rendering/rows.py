"""Where a chart's boxes come from: columns of boxes row by row, or the spans of a profile as they lie in the trace."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rendering.kernels.cells import Cells, Items, Rgb8, Scale, merge_boxes
from rendering.kernels.layout import kinds_in_rows
from traces.analysis.boxes import Boxes
from traces.analysis.window import Window
from traces.model import NONE, Int32, Int64, Spans

_CHUNK = 1 << 15


class Rows(Protocol):
    """Boxes in rows, each of a kind (a row of the palette they are painted with)."""

    @property
    def depth_count(self) -> int: ...

    def cells(self, depths: range, scale: Scale, palette: Rgb8) -> tuple[list[Cells], int]:
        """Cells of the rows at `depths`, and how many boxes the scale hides."""
        ...

    def kinds(self, depths: range, count: int) -> npt.NDArray[np.bool_]:
        """Which of `count` kinds may lie in these rows."""
        ...


@dataclass(frozen=True, slots=True)
class BoxRows:
    """Boxes sorted by row, then start; row `r` holds `row_offsets[r]:row_offsets[r + 1]`."""

    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    kind: Int32
    row_offsets: Int64

    @property
    def depth_count(self) -> int:
        return len(self.row_offsets) - 1

    def cells(self, depths: range, scale: Scale, palette: Rgb8) -> tuple[list[Cells], int]:
        cells, hidden = [], 0
        for depth in depths:
            row = slice(int(self.row_offsets[depth]), int(self.row_offsets[depth + 1]))
            merged, left_out = merge_boxes(self.start[row], self.end[row], self.kind[row], scale, palette)
            cells += merged
            hidden += int(left_out[0])
        return cells, hidden

    def kinds(self, depths: range, count: int) -> npt.NDArray[np.bool_]:
        used = np.zeros(count, bool)
        if len(depths):
            used[self.kind[self.row_offsets[depths.start] : self.row_offsets[depths.stop]]] = True
        return used


@dataclass(frozen=True, slots=True)
class SpanRows:
    """Spans in the trace's own order. `node_row` and `node_kind` say where a call-tree node's spans are shown (-1:
    nowhere) and as what; nothing is copied, however many spans there are."""

    spans: Spans
    node_row: Int32
    node_kind: Int32
    depth_count: int

    def cells(self, depths: range, scale: Scale, palette: Rgb8) -> tuple[list[Cells], int]:
        row = self.node_row - np.int32(depths.start) if depths.start else self.node_row
        last = _first_from(self.spans, scale.end)
        items = Items(row, self.node_kind, len(depths))
        spans = self.spans
        cells, hidden = merge_boxes(spans.start[:last], spans.end[:last], spans.node[:last], scale, palette, items)
        return cells, int(hidden.sum())

    def kinds(self, depths: range, count: int) -> npt.NDArray[np.bool_]:
        return kinds_in_rows(self.node_row, self.node_kind, depths, count)


def rows_of_boxes(boxes: Boxes, kind: Int32 | None = None) -> BoxRows:
    """The rows of a layout; kinds are frames unless given."""
    return BoxRows(boxes.start, boxes.end, boxes.frame if kind is None else kind, boxes.row_offsets)


def moved_boxes(boxes: Boxes, row: Int32) -> BoxRows:
    """The same boxes in other rows, one row a box; -1 leaves a box out."""
    shown = np.flatnonzero(row >= 0)
    order = shown[np.lexsort((boxes.start[shown], row[shown]))]
    counts = np.bincount(row[order]) if len(order) else np.zeros(0, np.int64)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return BoxRows(boxes.start[order], boxes.end[order], boxes.frame[order], offsets)


def rows_of_spans(
    spans: Spans, node_row: Int32, node_kind: Int32, total: npt.NDArray[np.number], window: Window | None
) -> SpanRows:
    """The rows of a profile's spans. `total` is each node's weight with its callees': rows without any are
    not counted, nor, with a window, those that have nothing in it."""
    if window is None:
        deepest = int(node_row.max(initial=NONE, where=total > 0))
    else:
        deepest = NONE
        last = _first_from(spans, window.end)
        for begin in range(0, last, _CHUNK):
            part = slice(begin, min(last, begin + _CHUNK))
            start, end = spans.start[part], spans.end[part]
            inside = (end > window.start) & (end > start)
            deepest = max(deepest, int(node_row[spans.node[part][inside]].max(initial=NONE)))
    return SpanRows(spans, node_row, node_kind, deepest + 1)


def _first_from(spans: Spans, moment: float) -> int:
    """The first span that begins at a moment or later: spans begin in order. The moment takes the column's type, which
    would else be copied into the moment's."""
    key = math.ceil(moment) if spans.start.dtype.kind == "i" else moment
    return int(np.searchsorted(spans.start, spans.start.dtype.type(key), "left"))


def thinned(rows: Rows, every: int) -> Rows:
    """Every so many-th row alone, from the outermost."""
    if every == 1:
        return rows
    if isinstance(rows, SpanRows):
        row = np.where((rows.node_row >= 0) & (rows.node_row % every == 0), rows.node_row // every, NONE)
        return SpanRows(rows.spans, row.astype(np.int32), rows.node_kind, -(-rows.depth_count // every))
    assert isinstance(rows, BoxRows)
    row = np.repeat(np.arange(rows.depth_count), np.diff(rows.row_offsets))
    kept = np.flatnonzero(row % every == 0)
    offsets = np.searchsorted(row[kept], np.arange(0, rows.depth_count + every, every)).astype(np.int64)
    return BoxRows(rows.start[kept], rows.end[kept], rows.kind[kept], offsets)
