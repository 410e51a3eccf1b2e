"""The rows of a table in JSON, `[[1,2.5,null],[2,3.5]]`, as columns of numbers. In C: json_rows.c."""

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer
from traces.kernels.library import Outcome, call, kernels, raise_for, take

COLUMNS = 8
MOST = 10**9
"""Integers are below it."""
ASCII = 0x80


class Cell(IntEnum):
    """What is asked of the cells of a column, as in json_rows.c."""

    SKIPPED = 0
    INTEGER = 1
    NUMBER = 2
    ANYTHING = 3


Columns = dict[int, npt.NDArray[Any]]
TYPES: dict[Cell, npt.DTypeLike] = {Cell.INTEGER: np.int32, Cell.NUMBER: np.float64}


def scan_rows(data: Buffer, kinds: Sequence[Cell]) -> Columns | None:
    """The columns of integers (-1: none) and of numbers (NaN: none), by their place in a row, which may end early.

    None where a cell is of another kind, or the table is written in an unusual way: then who reads cell by cell knows
    what it holds. Text of skipped cells is ASCII, that of others may be anything.
    """
    library = kernels()
    asked = [*kinds, *[Cell.SKIPPED] * (COLUMNS - len(kinds))]
    if library is None:
        return scan_rows_reference(data, asked)
    source, rows = np.frombuffer(data, np.uint8), _RowsStruct()
    try:
        outcome = call(library.scan_rows, source, len(source), np.array(asked, np.uint8), rows)
        if outcome == Outcome.UNUSUAL:
            return None
        raise_for(outcome, 0)
        columns = [(i, TYPES[kind]) for i, kind in enumerate(asked) if kind in TYPES]
        return {i: take(library, rows, f"column{i}", rows.count, dtype) for i, dtype in columns}
    finally:
        call(library.forget_rows, rows)


class _RowsStruct(ctypes.Structure):
    _fields_ = (
        *((f"column{i}", ctypes.c_void_p) for i in range(COLUMNS)),
        *((name, ctypes.c_int64) for name in ("count", "room")),
    )


def scan_rows_reference(data: Buffer, kinds: Sequence[Cell]) -> Columns | None:
    """The same, a cell at a time."""
    nothing = msgspec.Raw(b"null")
    try:
        rows = msgspec.json.decode(data, type=list[list[msgspec.Raw]])
        columns = [[_cell(row[i] if i < len(row) else nothing, kind) for row in rows] for i, kind in enumerate(kinds)]
    except (msgspec.DecodeError, ValueError):
        return None
    return {i: np.array(columns[i], TYPES[kind]) for i, kind in enumerate(kinds) if kind in TYPES}


def _cell(text: msgspec.Raw, kind: Cell) -> Any:
    """What a cell says. Raises ValueError for another kind."""
    if kind not in (Cell.INTEGER, Cell.NUMBER):
        if kind is Cell.SKIPPED and max(bytes(text)) >= ASCII:
            raise ValueError
        return msgspec.json.decode(text)
    value = msgspec.json.decode(text, type=int | float | None)
    if value is None:
        return -1 if kind is Cell.INTEGER else np.nan
    if kind is Cell.INTEGER and not (type(value) is int and 0 <= value < MOST):
        raise ValueError
    return value
