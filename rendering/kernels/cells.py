"""Rows of boxes to cells and label runs. In C: cells.c.

Positions are integer multiples of 2**-32 pixels. Sums of them are exact, whatever their order.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rendering.kernels.library import call, kernels
from traces.kernels.library import raise_for
from traces.model import Int32, Int64, Values

FIXED_BITS = 32
ONE = 1 << FIXED_BITS
"""A pixel."""

_CHUNK = 1 << 15
"""Boxes that the reference looks at together: its columns stay in the processor's cache."""

Rgb8 = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Cells:
    """One row of boxes after level of detail: disjoint and in order, `left` and `right` from the row's left side.

    A cell is one box, or the boxes that lie in one and the same pixel: then `weight` is their width together, `count`
    how many they are, `kind` the heaviest kind among them (the lowest at a tie) and `own` what that kind has of the
    weight. `colour` is the sum of their colours (0 to 255) by width, one row a cell: divided by `weight`, their
    average. A kind is a row of the palette that the boxes were painted with: a frame, where frames alone decide the
    colour."""

    left: Int64
    right: Int64
    weight: Int64
    own: Int64
    count: Int64
    kind: Int32
    colour: Int64

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Scale:
    """From an axis to a row `width` pixels wide: boxes between `start` and `end`. Boxes narrower than `least` are
    hidden."""

    start: float
    end: float
    width: int
    least: int = 0

    @property
    def factor(self) -> float:
        return self.width * float(ONE) / (self.end - self.start)

    def place(self, at: Values) -> Int64:
        """Where positions lie in the row, cut at its sides."""
        return np.asarray(((at - self.start) * self.factor).clip(0, self.width * ONE).astype(np.int64))

    def pixel(self, left: Int64) -> Int64:
        """The pixels in which boxes begin that begin at such places."""
        return np.asarray(np.minimum(left >> FIXED_BITS, self.width - 1))

    def in_one_pixel(self, left: Int64, right: Int64) -> npt.NDArray[np.bool_]:
        """Which boxes between such places end in the pixel they begin in."""
        return right <= (self.pixel(left) + 1) << FIXED_BITS

    @property
    def numbers(self) -> tuple[float | int, ...]:
        """As the kernels take them."""
        start, end = float(self.start), float(self.end)
        return start, self.factor, start, end, self.width, self.least


class CellRoom:
    """Room for the cells of some rows, and for how many boxes of each are hidden, as kernels fill it."""

    def __init__(self, rows: int, width: int) -> None:
        self._room = 2 * width + 1
        self._lengths = [np.empty(rows * self._room, np.int64) for _ in range(5)]
        self._colour = np.empty((rows * self._room, 3), np.int64)
        self._kind = np.empty(rows * self._room, np.int32)
        self._used = np.zeros(rows, np.int64)
        self.hidden = np.zeros(rows, np.int64)

    @property
    def columns(self) -> tuple[Any, ...]:
        """As the kernels take them, the room of a row first."""
        return self._room, *self._lengths, self._colour, self._kind, self._used, self.hidden

    def cells(self) -> list[Cells]:
        """The cells of each row that were written."""
        found = []
        for row, count in enumerate(self._used.tolist()):
            part = slice(row * self._room, row * self._room + count)
            left, right, weight, own, boxes = (column[part] for column in self._lengths)
            found.append(Cells(left, right, weight, own, boxes, self._kind[part], self._colour[part]))
        return found


@dataclass(frozen=True, slots=True)
class Items:
    """What the boxes' items mean: the row an item is shown in (-1: in none) and its kind."""

    row: Int32
    kind: Int32
    row_count: int


def merge_boxes(
    start: Values, end: Values, item: Int32, scale: Scale, palette: Rgb8, items: Items | None = None
) -> tuple[list[Cells], Int64]:
    """Cells of each row, and how many boxes of each row were hidden.

    Boxes of a row come in order and do not overlap, and all come in order of their start. Without `items` there is one
    row and an item is its kind. What lies outside the scale or has no length is left out. Raises ValueError for boxes
    that overlap and items or kinds that do not exist.
    """
    library = kernels()
    if library is None or start.dtype not in (np.int64, np.float64):
        return merge_boxes_reference(start, end, item, scale, palette, items)
    rows = 1 if items is None else items.row_count
    room = CellRoom(rows, scale.width)
    outcome = call(
        library.merge_boxes_int64 if start.dtype == np.int64 else library.merge_boxes_double,
        *(np.ascontiguousarray(column) for column in (start, end.astype(start.dtype, copy=False))),
        np.ascontiguousarray(item, np.int32),
        len(start),
        *(
            (np.ascontiguousarray(items.row, np.int32), np.ascontiguousarray(items.kind, np.int32))
            if items
            else (None, None)
        ),
        len(palette) if items is None else len(items.row),
        *scale.numbers,
        rows,
        np.ascontiguousarray(palette),
        len(palette),
        *room.columns,
    )
    if outcome not in (0, 4):
        raise ValueError("boxes overlap, or name what does not exist")
    raise_for(outcome, 0)
    return room.cells(), room.hidden


def merge_boxes_reference(
    start: Values, end: Values, item: Int32, scale: Scale, palette: Rgb8, items: Items | None = None
) -> tuple[list[Cells], Int64]:
    """The same in numpy, some boxes at a time."""
    rows = 1 if items is None else items.row_count
    hidden = np.zeros(rows, np.int64)
    done: list[_Entries] = []
    open_: _Entries = _no_entries()
    for begin in range(0, len(start), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        from_, to, what = start[part], end[part], item[part]
        if len(what) and (what.min() < 0 or what.max() >= (len(palette) if items is None else len(items.row))):
            raise ValueError("boxes overlap, or name what does not exist")
        shown = (to > from_) & (to > scale.start) & (from_ < scale.end)
        row = np.zeros(len(what), np.int32) if items is None else items.row[what]
        if items is not None:
            shown &= (row >= 0) & (row < rows)
        if not shown.all():
            from_, to, what, row = from_[shown], to[shown], what[shown], row[shown]
        if not len(from_):
            continue
        left, right = scale.place(from_), scale.place(to)
        kind = what if items is None else items.kind[what]
        if scale.least:
            narrow = right - left < scale.least
            hidden += np.bincount(row[narrow], minlength=rows)
            left, right, kind, row = left[~narrow], right[~narrow], kind[~narrow], row[~narrow]
            if not len(left):
                continue
        pixel, wide = scale.pixel(left), ~scale.in_one_pixel(left, right)
        cell = (row * scale.width + pixel) * 2 + wide
        fresh = _Entries(cell, kind, left, right, right - left, np.ones(len(cell), np.int64))
        merged = _joined(open_, fresh).by_kind()
        closed = (merged.cell >> 1) % scale.width < pixel[-1]  # later boxes begin no earlier
        done.append(merged.of(closed))
        open_ = merged.of(~closed)
    return _finished(_joined(*done, open_), palette, rows, scale.width), hidden


@dataclass(frozen=True, slots=True)
class _Entries:
    """What one kind has in one cell. `cell` is twice the pixel's number, row by row, plus 1 for a box that leaves
    it."""

    cell: Int64
    kind: Int32
    left: Int64
    right: Int64
    weight: Int64
    count: Int64

    def of(self, which: npt.NDArray[Any]) -> "_Entries":
        return _Entries(*(getattr(self, name)[which] for name in self.__slots__))

    def by_kind(self) -> "_Entries":
        """One entry for each kind of a cell, in order."""
        key = self.cell << 32 | self.kind
        order = np.argsort(key)
        key, cell, kind = key[order], self.cell[order], self.kind[order]
        first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        return _Entries(
            cell[first],
            kind[first],
            np.minimum.reduceat(self.left[order], first),
            np.maximum.reduceat(self.right[order], first),
            np.add.reduceat(self.weight[order], first),
            np.add.reduceat(self.count[order], first),
        )


def _no_entries() -> _Entries:
    none = np.zeros(0, np.int64)
    return _Entries(none, np.zeros(0, np.int32), none, none, none, none)


def _joined(*parts: _Entries) -> _Entries:
    return _Entries(*(np.concatenate([getattr(part, name) for part in parts]) for name in _Entries.__slots__))


def _finished(entries: _Entries, palette: Rgb8, rows: int, width: int) -> list[Cells]:
    """Cells from all their entries."""
    if not len(entries.cell):
        return [_cells(entries, entries, np.zeros((0, 3), np.int64)) for _ in range(rows)]
    entries = entries.by_kind()
    cell = entries.cell
    first = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(cell)))
    heaviest = np.flatnonzero(entries.weight == np.maximum.reduceat(entries.weight, first)[group])[::-1]
    chief = np.empty(len(first), np.int64)
    chief[group[heaviest]] = heaviest  # the first of equals is written last
    colour = np.add.reduceat(palette[entries.kind].astype(np.int64) * entries.weight[:, np.newaxis], first)
    merged = _Entries(
        cell[first],
        entries.kind[chief],
        np.minimum.reduceat(entries.left, first),
        np.maximum.reduceat(entries.right, first),
        np.add.reduceat(entries.weight, first),
        np.add.reduceat(entries.count, first),
    )
    own = entries.of(chief)
    if ((merged.cell & 1 == 1) & (merged.count > 1)).any():
        raise ValueError("boxes overlap, or name what does not exist")
    places = np.searchsorted(merged.cell, np.arange(rows + 1) * (2 * width))
    return [
        _cells(merged.of(row), own.of(row), colour[row])
        for row in (np.arange(places[r], places[r + 1]) for r in range(rows))
    ]


def _cells(merged: _Entries, chief: _Entries, colour: Int64) -> Cells:
    return Cells(merged.left, merged.right, merged.weight, chief.weight, merged.count, merged.kind, colour)


@dataclass(frozen=True, slots=True)
class RunRules:
    """Which cells make up a run: at most `gap` apart, no two neighbours both at least `separate` wide; the run at least
    `least` wide, and `tenths` tenths of the weight in it of its kind. Lengths are in multiples of 2**-32 pixels."""

    gap: int
    separate: int
    least: int
    tenths: int


def find_runs(cells: Cells, rules: RunRules) -> tuple[Int64, Int64]:
    """First and last cell of each run of one kind, in order and disjoint: of two that overlap the wider stays, at a
    tie the first."""
    library = kernels()
    if library is None:
        return find_runs_reference(cells, rules)
    count = len(cells)
    first, last, own, sums = (np.empty(count + 1, np.int64) for _ in range(4))
    slots = np.zeros(1 << (2 * count + 1).bit_length(), np.int32)
    columns = (cells.left, cells.right, cells.weight, cells.own, cells.kind)
    how = (rules.gap, rules.separate, rules.least, rules.tenths)
    found = call(
        library.find_runs, *map(np.ascontiguousarray, columns), count, *how, slots, len(slots), first, last, own, sums
    )
    return first[:found], last[:found]


def find_runs_reference(cells: Cells, rules: RunRules) -> tuple[Int64, Int64]:
    """The same in numpy."""
    if not len(cells):
        none = np.zeros(0, np.int64)
        return none, none
    order = np.argsort(cells.kind, kind="stable")
    left, right, kind = cells.left[order], cells.right[order], cells.kind[order]
    wide = right - left >= rules.separate
    apart = np.ones(len(order), bool)
    apart[1:] = (kind[1:] != kind[:-1]) | (left[1:] - right[:-1] > rules.gap) | (wide[1:] & wide[:-1])
    begins = np.flatnonzero(apart)
    first, last = order[begins], order[np.append(begins[1:], len(order)) - 1]
    own = np.add.reduceat(cells.own[order], begins)
    sums = np.concatenate(([0], np.cumsum(cells.weight)))
    among = sums[last + 1] - sums[first]
    left, right = cells.left[first], cells.right[last]
    kept = np.flatnonzero((right - left >= rules.least) & (10 * own >= rules.tenths * among))
    kept = kept[np.argsort(first[kept], kind="stable")]
    kept = kept[_disjoint(left[kept], right[kept])]
    return first[kept], last[kept]


def _disjoint(left: Int64, right: Int64) -> npt.NDArray[np.bool_]:
    """Which runs to keep so that none overlaps another: at a clash the wider one. Runs come in order of `left`."""
    keep = np.ones(len(left), bool)
    if not (left[1:] < right[:-1]).any():
        return keep
    starts, ends = left.tolist(), right.tolist()
    chosen: list[int] = []
    for index in range(len(starts)):
        if chosen and starts[index] < ends[chosen[-1]]:
            if ends[index] - starts[index] <= ends[chosen[-1]] - starts[chosen[-1]]:
                continue
            chosen.pop()
        chosen.append(index)
    keep[:] = False
    keep[chosen] = True
    return keep
