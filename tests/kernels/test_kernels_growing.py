"""Columns that grow without the kernels."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from traces.kernels.growing import GrowingColumn

MISSING = -1
numbers = st.lists(st.integers(0, 100_000), max_size=5)


@example([(0, [], False), (0, [5], True)], 0)
@given(st.lists(st.tuples(st.integers(0, 3), numbers, st.booleans())), st.integers(0, 3))
def test_a_column_holds_its_batches_and_nothing_between_them(
    batches: list[tuple[int, list[int], bool]], after: int
) -> None:
    column, expected = GrowingColumn("b", MISSING), list[int]()
    for skipped, batch, in_steps in batches:
        expected += [MISSING] * skipped
        column.hold(max(batch, default=0))
        if in_steps:  # the same rows are asked for again until others are
            for place, number in enumerate(batch):
                column.here(len(expected), len(batch))[place] = number
        else:
            column.add(len(expected), np.array(batch, np.int64))
        expected += batch
    expected += [MISSING] * after
    assert column.whole(len(expected)).tolist() == expected


def test_a_column_is_as_wide_as_its_largest_number_asks_for() -> None:
    widths = {}
    for largest in (0, 127, 128, 32_767, 32_768, 0x7FFF_FFFF):
        column = GrowingColumn("b", MISSING)
        column.add(0, np.array([5]))
        column.here(1, 1)
        column.hold(largest)
        column.add(2, np.array([largest]))
        widths[largest] = column.whole(3).itemsize
        assert column.whole(3).tolist() == [5, MISSING, largest]
    assert widths == {0: 1, 127: 1, 128: 2, 32_767: 2, 32_768: 4, 0x7FFF_FFFF: 4}


def test_a_column_that_says_nothing_takes_no_memory() -> None:
    whole = GrowingColumn("q", MISSING).whole(1_000_000)
    assert (len(whole), whole.strides, int(whole[-1])) == (1_000_000, (0,), MISSING)
