"""path_growth.c against its reference: the same paths, and sums to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.kernels.library import kernels
from traces.kernels.path_growth import NONE, Bounds, Calls, grow_paths, grow_paths_reference

pytestmark = pytest.mark.skipif(kernels() is None, reason="no compiled kernels: no C compiler was found")
FUNCTIONS = 7
share = st.floats(0, 1, width=32)
rows = st.lists(
    st.lists(st.tuples(st.integers(0, FUNCTIONS - 1), share, share, st.integers(0, 9)), max_size=6),
    min_size=FUNCTIONS,
    max_size=FUNCTIONS,
)
weights = st.lists(st.tuples(share, share), min_size=FUNCTIONS, max_size=FUNCTIONS)
roots = st.lists(st.tuples(st.integers(0, FUNCTIONS - 1), share, share), max_size=3, unique_by=lambda root: root[0])
bounds = st.builds(
    Bounds, st.sampled_from([3, 200]), st.sampled_from([20, 2_000]), st.sampled_from([1e-3, 0.1]), st.integers(0, 4)
)


@given(rows, weights, roots, bounds)
def test_paths_grow_alike(
    calls: list[list[tuple[int, float, float, int]]],
    weight: list[tuple[float, float]],
    begins: list[tuple[int, float, float]],
    most: Bounds,
) -> None:
    each = [call for of_function in calls for call in of_function]
    graph = Calls(
        np.cumsum([0, *map(len, calls)]),
        np.array([call[0] for call in each], np.int32),
        np.array([call[1:3] for call in each], np.float64).reshape(-1, 2),
        np.array([call[3] for call in each], np.float64),
        np.array(weight),
    )
    parts = np.array([root[1:] for root in begins], np.float64).reshape(-1, 2)
    arguments = (graph, np.array([root[0] for root in begins], np.int32), parts, most)
    mine, reference = grow_paths(*arguments), grow_paths_reference(*arguments)
    for name in mine.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(mine, name), getattr(reference, name), err_msg=name)


def test_a_callee_that_is_no_function_is_refused() -> None:
    one = np.ones((1, 1))
    calls = Calls(np.array([0, 1]), np.array([1], np.int32), one, one[0], one)
    with pytest.raises(IndexError, match="no function"):
        grow_paths(calls, np.array([0], np.int32), one, Bounds(9, 9, 0.1, 4))


def test_heavier_paths_come_first_and_callers_before_their_callees() -> None:
    first, callee = np.array([0, 2, 2, 2]), np.array([1, 2], np.int32)
    calls = Calls(first, callee, np.array([[0.2], [0.8]]), np.array([1.0, 5.0]), np.ones((3, 1)))
    grown = grow_paths(calls, np.array([0], np.int32), np.ones((1, 1)), Bounds(9, 99, 0.1, 4))
    assert grown.function.tolist() == [0, 1, 2]
    assert grown.parent.tolist() == [NONE, 0, 0]
    assert grown.times.tolist() == [0.0, 1.0, 5.0]
    assert (grown.entered.tolist(), grown.left.tolist()) == ([0, 1, 2], [1, 2, 0])
