"""columns.c against numpy: lookups, first rows and counts by indices of any width."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels.columns import PART, counted, counts_up, first_rows, pick
from traces.kernels.library import kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")

SIZE = 9
indices = st.lists(st.integers(-1, SIZE - 1), max_size=40)
widths = st.sampled_from([np.int8, np.int16, np.int32, np.int64])


@given(indices, widths, st.sampled_from([np.bool_, np.uint8, np.int32, np.int64]))
def test_a_look_at_a_table_gives_what_numpy_gives(index: list[int], width: Any, kind: Any) -> None:
    values = np.arange(SIZE).astype(kind)
    np.testing.assert_array_equal(pick(values, np.array(index, width)), values[np.array(index, np.int64)])


@given(indices, widths)
def test_the_first_row_of_each_index_is_found(index: list[int], width: Any) -> None:
    found = first_rows(np.array(index, width), SIZE).tolist()
    said = [at % SIZE for at in index]  # -1 is the last
    assert found == [said.index(at) if at in said else -1 for at in range(SIZE)]


@given(indices)
def test_indices_are_counted_without_the_rows_that_have_none(index: list[int]) -> None:
    assert counted(np.array(index, np.int32), SIZE).tolist() == [index.count(at) for at in range(SIZE)]


@pytest.mark.parametrize("size", [0, 1, 5, PART, 2 * PART + 3])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_column_that_counts_up_has_no_row_that_does_not(size: int, kind: Any) -> None:
    column = np.arange(size, dtype=kind)
    assert counts_up(column)
    for row in {0, size // 2, size - 1} if size else ():
        other = column.copy()
        other[row] += 1
        assert not counts_up(other)


@pytest.mark.parametrize("wrong", [SIZE, -SIZE - 1])
def test_an_index_outside_the_table_is_refused(wrong: int) -> None:
    index = np.array([0, wrong], np.int8)
    with pytest.raises(IndexError):
        pick(np.zeros(SIZE, np.int32), index)
    with pytest.raises(IndexError):
        first_rows(index, SIZE)


def test_a_count_beyond_the_table_is_refused() -> None:
    with pytest.raises(IndexError):
        counted(np.array([SIZE], np.int32), SIZE)


def test_a_column_that_repeats_one_row_is_looked_up_like_any_other() -> None:
    index = np.broadcast_to(np.int8(-1), 5)
    assert pick(np.arange(3, dtype=np.int32), index).tolist() == [2] * 5
    assert first_rows(index, 3).tolist() == [-1, -1, 0]
