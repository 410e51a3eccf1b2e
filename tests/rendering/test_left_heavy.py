"""The order of siblings of one weight: by name, then by number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rendering.left_heavy import name_ranks
from tests.rendering.drawn import assert_drawn


@given(st.lists(st.integers(0, 12), max_size=40), st.lists(st.sampled_from("abcd"), min_size=13, max_size=13))
def test_ranks_sort_items_by_name_and_then_by_number(items: list[int], names: list[str]) -> None:
    ranks = name_ranks(names.__getitem__, np.array(items, np.int32))
    expected = sorted(set(items), key=lambda item: (names[item], item))
    assert [int(ranks[item]) for item in items] == [expected.index(item) for item in items]


@pytest.mark.parametrize("name", ["left_heavy", "narrow"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
