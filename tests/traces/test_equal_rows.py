"""Rows that are equal, next to the plainest way to find them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.equal_rows import distinct, distinct_rows, groups_of, numbered
from traces.kernels.library import SWITCH

small = st.integers(0, 6)


@given(st.lists(st.integers(0, 5) | st.integers(0, 1 << 62), max_size=40))
def test_groups_come_in_order_of_their_first_rows(keys: list[int]) -> None:
    group, first = groups_of(np.array(keys, np.int64))
    known = list(dict.fromkeys(keys))
    assert group.tolist() == [known.index(key) for key in keys]
    assert first.tolist() == [keys.index(key) for key in known]


@given(st.lists(st.integers(-1, 9)))
def test_the_distinct_values_are_those_that_numpy_finds(values: list[int]) -> None:
    column = np.array(values, np.int32)
    np.testing.assert_array_equal(distinct(column), np.unique(column), strict=True)
    for ours, numpys in zip(numbered(column), np.unique(column, return_inverse=True), strict=True):
        np.testing.assert_array_equal(ours, numpys, strict=True)


@given(st.lists(st.tuples(small, small), max_size=40))
def test_distinct_rows_are_numbered_alike(rows: list[tuple[int, int]]) -> None:
    columns = [np.array([row[0] for row in rows], np.int32), np.array([row[1] for row in rows], np.int32)]
    known = list(dict.fromkeys(rows))
    for switch in ("", "off"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(SWITCH, switch)
            which, first = distinct_rows(*columns)
        assert [known[number] for number in which.tolist()] == rows
        assert [rows[row] for row in first.tolist()] == known
