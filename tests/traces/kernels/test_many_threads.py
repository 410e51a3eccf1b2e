"""The kernels for many threads at once against one thread after the other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels import many_threads, spans, trees
from traces.kernels.library import kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
DEPTH = 4
small = st.integers(0, 6)
slices = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), max_size=DEPTH)
begins = st.tuples(st.integers(0, 2), small, st.just(True))
ends = st.tuples(st.integers(0, 2), st.integers(-1, 6), st.just(False))
events = st.lists(st.one_of(begins, ends), max_size=12)


def bounds_of(rows: list[list[Any]]) -> Any:
    return np.concatenate(([0], np.cumsum([len(one) for one in rows], dtype=np.int64)))


def column(rows: list[list[Any]], at: int, dtype: Any) -> Any:
    return np.array([row[at] for one in rows for row in one], dtype)


def assert_same(mine: tuple[Any, ...], reference: tuple[Any, ...]) -> None:
    for one, other in zip(mine, reference, strict=True):
        if hasattr(one, "__dataclass_fields__"):
            names = one.__dataclass_fields__
            assert_same(tuple(getattr(one, n) for n in names), tuple(getattr(other, n) for n in names))
        else:
            np.testing.assert_array_equal(one, other)


@given(st.lists(slices, max_size=6), st.integers(0, 3))
def test_slices_of_threads_nest_as_those_of_each_do(rows: list[list[tuple[int, int]]], rounding: int) -> None:
    start = column(rows, 0, np.int64)
    columns = (start, start + column(rows, 1, np.int64), bounds_of(rows), DEPTH)
    nested = many_threads.nest_threads(*columns, rounding=rounding)
    assert_same(nested, many_threads.nest_threads_reference(*columns, rounding=rounding))


@given(st.lists(events, max_size=6), st.one_of(st.none(), st.integers(0, 40)))
def test_begins_and_ends_of_threads_match_as_those_of_each_do(
    rows: list[list[tuple[int, int, bool]]], latest: int | None
) -> None:
    time = np.concatenate([[0], *(np.cumsum([row[0] for row in one]) for one in rows)])[1:].astype(np.int64)
    columns = (time, column(rows, 1, np.int32), column(rows, 2, np.bool_), bounds_of(rows), DEPTH, latest)
    assert_same((many_threads.match_threads(*columns),), (many_threads.match_threads_reference(*columns),))


@given(st.lists(st.lists(st.tuples(small, st.integers(0, 9)), max_size=12), max_size=6))
def test_paths_of_threads_are_those_of_each(rows: list[list[tuple[int, int]]]) -> None:
    bounds = bounds_of(rows)
    parent = [
        min(above, at) - 1 + (first if min(above, at) else 0)
        for one, first in zip(rows, bounds.tolist(), strict=False)
        for at, (_, above) in enumerate(one)
    ]
    columns = (column(rows, 0, np.int32), np.array(parent, np.int32), bounds, DEPTH)
    assert_same(many_threads.paths_of_threads(*columns), many_threads.paths_of_threads_reference(*columns))


def test_a_thread_with_more_slices_than_may_nest_is_refused() -> None:
    start = np.zeros(DEPTH + 1, np.int64)
    with pytest.raises(ValueError, match="more slices"):
        many_threads.nest_threads(start, start + 1, np.array([0, DEPTH + 1]), DEPTH)


def test_one_thread_is_what_the_kernels_for_one_give() -> None:
    start, end = np.array([3, 0, 1], np.int64), np.array([4, 9, 20], np.int64)
    frame, bounds = np.array([2, 1, 1], np.int32), np.array([0, 3])
    source, until, parent, clamped = many_threads.nest_threads(start, end, bounds, DEPTH)
    alone = spans.nest(start, end, DEPTH)
    assert_same((source, until, parent, clamped), (alone.source, alone.end, alone.parent, alone.clamped))
    paths, starts = many_threads.paths_of_threads(frame[source], parent, bounds, DEPTH)
    assert_same((paths, starts), (trees.paths_of_spans(frame[source], parent, DEPTH), np.array([0, len(paths)])))
