"""spans.c against its reference: what nests, and which begin an end belongs to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.kernels.columns_alike import assert_same, int32, int64, small
from traces.kernels import spans
from traces.kernels.library import kernels

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
DEPTH = 4


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=60), st.integers(0, 3))
def test_slices_nest_alike(slices: list[tuple[int, int]], rounding: int) -> None:
    start = int64([s for s, _ in slices])
    end = start + int64([d for _, d in slices])
    nested = spans.nest(start, end, DEPTH, rounding=rounding)
    assert_same(nested, spans.nest_reference(start, end, DEPTH, rounding=rounding))


@given(st.lists(st.tuples(st.integers(0, 31), st.integers(0, 5), st.booleans()), max_size=40), st.integers(1, 20))
def test_slices_that_all_lie_inside_each_other_nest_alike(slices: list[tuple[int, int, bool]], max_depth: int) -> None:
    start = int64([place >> size << size for place, size, _ in slices])
    end = start + int64([0 if empty else 1 << size for _, size, empty in slices])
    assert_same(spans.nest(start, end, max_depth), spans.nest_reference(start, end, max_depth))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(0, 9).map(lambda n: n == 9)), max_size=60))
def test_slices_in_order_of_their_ends_are_sorted_where_they_lie_as_others_are(
    steps: list[tuple[bool, int, bool]],
) -> None:
    """Calls that are written when they return: some of no length, some that end after their caller."""
    now, open_starts, slices = 0, list[int](), list[tuple[int, int]]()
    for begins, waited, late in steps:
        now += waited
        if begins:
            open_starts.append(now)
        elif open_starts:
            slices.append((open_starts.pop(), now + late))
    start, end = int64([s for s, _ in slices]), int64([e for _, e in slices])
    frame = int32(range(len(slices)))
    expected, before = spans.nest_reference(start, end, DEPTH), (start.copy(), end.copy(), frame.copy())
    found = spans.nest_ended(start, end, frame, DEPTH)
    if found is None:
        np.testing.assert_array_equal(np.stack((start, end, frame)), np.stack(before))
        return
    assert_same(found, expected)
    np.testing.assert_array_equal(start, before[0][expected.source])
    np.testing.assert_array_equal(frame, expected.source)


def test_calls_written_when_they_return_need_no_sorting() -> None:
    start, end, frame = int64([2, 3, 3, 1, 8, 0]), int64([3, 4, 7, 7, 9, 9]), int32([5, 4, 3, 2, 1, 0])
    found = spans.nest_ended(start, end, frame, DEPTH)
    assert found is not None
    assert [column.tolist() for column in (start, end, frame, found.source, found.parent)] == [
        [0, 1, 2, 3, 3, 8],
        [9, 7, 3, 7, 4, 9],
        [0, 2, 5, 3, 4, 1],
        [5, 3, 0, 2, 1, 4],
        [-1, 0, 1, 1, 3, 0],
    ]


def test_many_slices_that_start_together_nest_longest_first() -> None:
    count = 1_000
    start, end = np.zeros(count, np.int64), (np.arange(count, dtype=np.int64) * 7919) % 500
    assert_same(spans.nest(start, end, 2_000), spans.nest_reference(start, end, 2_000))


@given(st.lists(st.tuples(small, small, st.booleans()), max_size=60), st.none() | st.integers(0, 300))
def test_begins_and_ends_match_alike(events: list[tuple[int, int, bool]], latest: int | None) -> None:
    time = np.cumsum(int64([step for step, _, _ in events]))
    begins = np.array([b for _, _, b in events], np.bool_)
    frame = int32([f if b else f - 1 for _, f, b in events])  # an end of frame -1 closes the innermost
    arguments = (time.astype(np.int64), frame, begins, DEPTH, latest)
    assert_same(spans.match(*arguments), spans.match_reference(*arguments))
