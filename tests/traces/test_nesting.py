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
