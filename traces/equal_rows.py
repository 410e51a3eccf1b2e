"""Which rows of columns are equal, and in which order they appear first."""

from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.trees import NONE, paths_of_stacks

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
DENSE = 4
"""Keys below so many times their number are counted in a table; others are sorted."""


def distinct(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The distinct values in ascending order, as np.unique, which loads numpy.ma first: that takes as long as reading
    20 MB of a trace."""
    ordered = np.sort(column)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered


def numbered(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Int64]:
    """The distinct values in ascending order, and which of them each row has, as np.unique's inverse."""
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    is_first = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.bool_)
    which = np.empty(len(column), np.int64)
    which[order] = np.cumsum(is_first) - 1
    return ordered[is_first], which


def rows_of_each(column: npt.NDArray[Any]) -> list[tuple[Any, Int64]]:
    """Each distinct value, in ascending order, with the rows that have it, in theirs: one sorting for all."""
    if not len(column):
        return []
    order = np.argsort(column, kind="stable")
    values = column[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return list(zip(values[starts].tolist(), np.split(order, starts[1:]), strict=True))


def distinct_rows(*columns: Int32) -> tuple[Int32, Int64]:
    """Which of the distinct rows each row is, and the first row of each, in order of first appearance; no value may be
    negative."""
    count = len(columns[0])
    # Equal rows are equal paths: their leaves are the same.
    flat = np.stack(columns, axis=-1).astype(np.int32).ravel()
    ends = np.arange(1, count + 1, dtype=np.int64) * len(columns)
    paths = paths_of_stacks(flat, ends, len(columns))
    first = np.full(len(paths), NONE)
    first[paths.leaf[::-1]] = np.arange(count)[::-1]
    used = first != NONE
    return (np.cumsum(used) - 1).astype(np.int32)[paths.leaf], first[used]


def groups_of(keys: Int64) -> tuple[Int32, Int64]:
    """The group of each row with the same key (none negative), and the first row of each group."""
    count = len(keys)
    if count == 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    is_first = np.zeros(count, bool)
    if (top := int(keys.max())) < DENSE * count:
        first_of = np.full(top + 1, count)
        np.minimum.at(first_of, keys, np.arange(count))
        is_first[first_of[first_of < count]] = True
        number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
        return np.append(number, np.int32(NONE))[first_of][keys], np.flatnonzero(is_first)
    order = np.argsort(keys)
    ranked = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    first = np.minimum.reduceat(order, starts)
    is_first[first] = True
    number = np.cumsum(is_first, dtype=np.int32)[first] - np.int32(1)
    group = np.empty(count, np.int32)
    group[order] = np.repeat(number, np.diff(starts, append=count))
    return group, np.flatnonzero(is_first)
