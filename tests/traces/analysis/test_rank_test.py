"""The rank test against values of scipy, and against every group that could have been chosen."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis import rank_test
from traces.analysis.rank_test import extreme_pairs, false_discovery, growth_p, rank_sum_p

Few = st.lists(st.integers(0, 4), min_size=1, max_size=5).map(lambda values: np.array(values, np.float64))

SCIPY_EXACT: list[tuple[list[float], list[float], float]] = [
    ([1, 2, 3, 4], [5, 6, 7, 8], 0.02857142857142857),
    ([1, 3, 5, 7], [2, 4, 6, 8], 0.6857142857142857),
    ([1.5, 2.5, 9], [3, 4, 5, 6, 7], 0.5714285714285714),
    ([3, 1, 8, 11, 13, 2], [4, 5, 6, 7, 9, 10], 0.8181818181818182),
    ([5], [1, 2, 3, 4, 6, 7, 8, 9], 1.0),
    ([1, 2, 4, 5, 7, 8, 11], [3, 6, 9, 10, 12], 0.26767676767676774),
    ([10, 20, 30, 40, 50, 60, 70, 80], [15, 25, 85, 95, 105, 115, 125, 135], 0.04988344988344988),
    ([2, 4, 6, 8, 10, 12, 14, 16], [1, 3, 5, 7, 9, 11, 13, 15], 0.7209013209013208),
]
"""Values before and after, and the p of scipy 1.17: mannwhitneyu(after, before, method="exact")."""


@pytest.mark.parametrize(("before", "after", "p"), SCIPY_EXACT)
def test_without_equal_values_p_is_that_of_scipy(before: list[float], after: list[float], p: float) -> None:
    assert rank_sum_p(np.array(before), np.array(after)) == pytest.approx(p, rel=1e-12)
    assert rank_sum_p(np.array(after), np.array(before)) == pytest.approx(p, rel=1e-12)


@given(Few, Few)
def test_p_is_the_share_of_groups_at_least_as_far_in_one_tail_doubled(
    before: rank_test.Values, after: rank_test.Values
) -> None:
    pooled = [*before, *after]
    ranks = [sum(other < value for other in pooled) + sum(other <= value for other in pooled) for value in pooled]
    found = sum(ranks[: len(before)])
    sums = [sum(group) for group in combinations(ranks, len(before))]
    higher, lower = (sum(each <= found for each in sums), sum(each >= found for each in sums))
    assert rank_sum_p(before, after) == pytest.approx(min(1.0, 2 * min(higher, lower) / len(sums)), rel=1e-12)
    assert growth_p(before, after) == pytest.approx(higher / len(sums), rel=1e-12)


def test_equal_values_have_no_approximation() -> None:
    assert rank_sum_p(np.array([1.0, 1, 1]), np.array([1.0, 2, 2])) == pytest.approx(0.4)
    assert rank_sum_p(np.ones(4), np.ones(5)) == 1.0


def test_the_smallest_tail_of_thirty_and_thirty_is_not_lost() -> None:
    assert rank_sum_p(np.arange(30.0), np.arange(30.0, 60.0)) == pytest.approx(2 / comb(60, 30), rel=1e-12)


def test_above_the_number_that_is_counted_p_is_the_normal_approximation_of_scipy() -> None:
    evens = np.arange(0, 80, 2.0)
    assert rank_sum_p(evens, evens + 9) == pytest.approx(0.10288725776167064, rel=1e-12)
    assert growth_p(evens, evens + 9) == pytest.approx(0.10288725776167064 / 2, rel=1e-12)
    assert growth_p(evens + 9, evens) == pytest.approx(1 - 0.10288725776167064 / 2, rel=1e-12)
    tied = np.arange(40.0) % 7
    assert rank_sum_p(tied, tied + np.arange(40.0) % 3) == pytest.approx(0.04986918704972169, rel=1e-12)
    assert rank_sum_p(np.ones(40), np.ones(40)) == 1.0
    assert rank_sum_p(np.arange(40.0), np.arange(40.0)) == 1.0


def test_counting_and_approximating_agree_where_one_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = np.arange(0, 60, 2.0), np.arange(7, 67, 2.0)
    counted = rank_sum_p(before, after)
    monkeypatch.setattr(rank_test, "MOST_COUNTED", 0)
    assert rank_sum_p(before, after) == pytest.approx(counted, abs=2e-3)
    assert rank_sum_p(before, after) != counted


def test_many_tests_are_corrected_as_scipy_corrects_them() -> None:
    given_ps = [0.01, 0.04, 0.03, 0.5, 0.005, 1.0, 0.04]
    corrected = [0.035, 0.056, 0.056, 0.5833333333333334, 0.035, 1.0, 0.056]
    assert false_discovery(given_ps) == pytest.approx(corrected, rel=1e-12)
    assert false_discovery([]) == []


CRITICAL = {
    0.05: {4: 0, 5: 2, 6: 5, 7: 8, 8: 13, 10: 23, 15: 64, 20: 127},
    0.01: {5: 0, 6: 2, 7: 4, 8: 7, 10: 16, 20: 105},
}
"""The greatest U of two groups of that size that is significant, two-sided: D. Auble's extended tables, 1953."""


@pytest.mark.parametrize(("level", "size", "most"), [(p, n, u) for p, row in CRITICAL.items() for n, u in row.items()])
def test_as_many_pairs_may_lie_against_the_others_as_the_published_table_allows(
    level: float, size: int, most: int
) -> None:
    assert extreme_pairs(size, size, level) == most + 1


def test_three_and_three_cannot_be_significant_and_many_are_approximated() -> None:
    assert extreme_pairs(3, 3, 0.05) == 0
    assert extreme_pairs(40, 40, 0.05) == pytest.approx(597, abs=2)
