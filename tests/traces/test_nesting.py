"""Slices become spans, whoever the columns belong to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import nesting
from traces.kernels.library import SWITCH

slices = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.integers(0, 3)), max_size=30)


@pytest.mark.parametrize("switch", ["", "off"])
@given(slices, st.integers(1, 5))
def test_columns_that_are_nobody_elses_nest_as_others_do(
    switch: str, given_slices: list[tuple[int, int, int]], max_depth: int
) -> None:
    """Also where slices lie too deep and are dropped: then there are fewer spans than slices."""
    start, duration, frame = (np.array(column, np.int64) for column in zip(*(given_slices or [(0, 0, 0)]), strict=True))
    columns = (start, start + duration, frame.astype(np.int32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, switch)
        patch.setattr(nesting, "MAX_STACK_DEPTH", max_depth)
        expected = nesting.nest_slices(*columns)
        found = nesting.nest_slices(columns[0].copy(), columns[1].copy(), columns[2].copy(), owned=True)
    for name in ("source", "start", "end", "frame", "parent"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert (found.clamped, found.too_deep) == (expected.clamped, expected.too_deep)


MICROSECOND = 1_000
rounded = st.integers(-MICROSECOND, MICROSECOND)


@pytest.mark.parametrize("switch", ["", "off"])
@given(st.lists(st.tuples(st.integers(3_000, 90_000), rounded, st.integers(0, 2)), min_size=1, max_size=30))
def test_slices_one_after_the_other_stay_so_however_their_moments_are_rounded(
    switch: str, calls: list[tuple[int, int, int]]
) -> None:
    """Each with some inside it that end with it: nothing is cut, none gets another caller, none loses its length."""
    rows, now = list[tuple[int, int, int]](), 0
    for length, error, inside in calls:
        rows += [(now + 500 * deeper, now + length + error, deeper) for deeper in range(inside + 1)]
        now += length
    start, end, depth = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, switch)
        found = nesting.nest_slices(start, end, depth.astype(np.int32))
    assert found.clamped == 0
    assert (np.where(found.frame == 0, found.parent == -1, found.parent == np.arange(len(rows)) - 1)).all()
    assert (np.abs(found.end - end[found.source]) <= MICROSECOND).all()


def test_a_slice_that_ends_well_after_its_caller_is_cut_there() -> None:
    start, end = np.array([0, 8_000]), np.array([10_000, 60_000])
    found = nesting.nest_slices(start, end, np.zeros(2, np.int32))
    assert (found.end.tolist(), found.parent.tolist(), found.clamped) == ([10_000, 10_000], [-1, 0], 1)
