"""Columns looked up, counted and searched by another column's narrow indices. In C: columns.c.

numpy widens indices to 8 bytes first: a copy of a large column for each look.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.library import call, contiguous, kernels

Indices = npt.NDArray[np.signedinteger[Any]]
Int64 = npt.NDArray[np.int64]
Values = npt.NDArray[Any]
PART = 1 << 14
"""Rows of a column that are compared at once."""


def pick(values: Values, index: Indices) -> Values:
    """`values[index]`: -1 is the last. Raises IndexError."""
    library = kernels()
    if library is None or values.itemsize not in (1, 4) or index.itemsize > 4:
        return values.take(index)
    values, index = contiguous(values, values.dtype), contiguous(index, index.dtype)
    picked = np.empty(len(index), values.dtype)
    if call(library.pick, values, len(values), values.itemsize, index, index.itemsize, len(index), picked):
        raise IndexError("an index is out of range")
    return picked


def first_rows(index: Indices, size: int) -> Int64:
    """The first row of each index below `size`, -1 where there is none; -1 counts as the last. Raises IndexError."""
    library = kernels()
    first = np.full(size, -1, np.int64)
    if library is None or index.itemsize > 4:
        first[index[::-1]] = np.arange(len(index), dtype=np.int64)[::-1]  # the earliest is written last
        return first
    index = contiguous(index, index.dtype)
    if call(library.find_first, index, index.itemsize, len(index), size, first):
        raise IndexError("an index is out of range")
    return first


def counts_up(column: Indices) -> bool:
    """Whether it is 0, 1, 2 and so on: looked at part by part, as a column to compare it with would be as large."""
    if len(column) and (column[0] != 0 or column[-1] != len(column) - 1):
        return False
    numbers = np.arange(min(PART, len(column)), dtype=column.dtype)
    for first in range(0, len(column), PART):
        part = column[first : first + PART]
        if not np.array_equal(part, numbers[: len(part)] + first):
            return False
    return True


def counted(index: npt.NDArray[np.int32], size: int) -> Int64:
    """How often each index below `size` stands there; -1 does not count."""
    library = kernels()
    if library is None:
        counts = np.zeros(size + 1, np.int64)  # the last one is where -1 counts
        np.add.at(counts, index, 1)
        return counts[:-1]
    counts = np.zeros(size, np.int64)
    if call(library.count_indices, contiguous(index, np.int32), len(index), size, counts):
        raise IndexError("an index is out of range")
    return counts
