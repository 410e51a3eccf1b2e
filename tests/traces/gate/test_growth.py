"""How much a measure grew, by ranks, by prediction, or untested where there are too few runs."""

from math import log, sqrt
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.gate.growth import Method, growth_of, method_for, needs, runs_for

TEN = [100.0, 101, 99, 102, 98, 100.5, 99.5, 101.5, 98.5, 100]
SLOWER = [110.0, 111, 109, 112, 108]


@pytest.mark.parametrize(
    ("before", "after", "level", "method"),
    [
        (5, 5, 0.05, Method.RANKS),
        (5, 5, 0.0084, Method.RANKS),
        (5, 5, 0.0079, Method.NONE),
        (3, 3, 0.05, Method.NONE),
        (10, 1, 0.05, Method.PREDICTION),
        (5, 1, 0.001, Method.PREDICTION),
        (4, 1, 0.05, Method.NONE),
        (5, 2, 0.05, Method.PREDICTION),
        (10, 3, 0.05, Method.RANKS),
        (1, 1, 0.05, Method.NONE),
        (1, 50, 0.05, Method.NONE),
    ],
)
def test_what_so_many_runs_can_be_judged_by(before: int, after: int, level: float, method: Method) -> None:
    assert method_for(before, after, level) is method


def test_where_runs_cannot_decide_it_is_said_how_many_would() -> None:
    assert needs(1, 1, 0.05) == "needs 5 runs before, there is one"
    assert needs(3, 3, 0.05) == "needs 5 runs before, there are 3"
    assert needs(5, 5, 0.05 / 7) == "needs 6 runs a side, there are 5 before and 5 after"
    assert needs(2, 5, 0.05) == "needs 5 runs a side, there are 2 before and 5 after"


def test_five_against_five_has_the_median_of_all_differences_and_their_interval() -> None:
    before = TEN[:5]
    found = growth_of(before, SLOWER, resolution=0, level=0.05)
    ratios = sorted(after / old for after in SLOWER for old in before)
    assert found.growth == pytest.approx(ratios[12] - 1)
    assert found.low == pytest.approx(ratios[4] - 1)
    assert found.high == pytest.approx(ratios[20] - 1)
    assert found.p == pytest.approx(2 / 252)
    assert found.p_growth == pytest.approx(1 / 252)
    assert found.effect == 1.0


def test_one_run_is_judged_by_the_prediction_interval_of_the_logarithms() -> None:
    found = growth_of(TEN, [108.0], resolution=0, level=0.05)
    logs = [log(value) for value in TEN]
    half = 2.262157 * stdev(logs) * sqrt(1.1)
    assert log(1 + found.growth) == pytest.approx(log(108) - mean(logs))
    assert found.low is not None
    assert log(1 + found.low) == pytest.approx(log(108) - mean(logs) - half, rel=1e-5)
    assert found.p is not None
    assert found.p < 0.001
    assert found.effect == pytest.approx((log(108) - mean(logs)) / stdev(logs))
    assert found.half_width == pytest.approx(2.718281828459045**half - 1, rel=1e-5)


@given(st.lists(st.floats(50, 200), min_size=5, max_size=9), st.lists(st.floats(50, 200), min_size=1, max_size=9))
def test_the_interval_excludes_no_growth_exactly_where_the_test_does(before: list[float], after: list[float]) -> None:
    found = growth_of(before, after, resolution=0, level=0.05)
    if found.low is None or found.high is None or found.p is None or len({*before, *after}) < len([*before, *after]):
        return
    assert found.low <= found.growth <= found.high
    assert found.is_beyond_chance(0.05) == (found.low > 0 or (found.p_growth is None and found.high < 0))


def test_runs_that_rank_lower_are_no_growth_however_sure() -> None:
    found = growth_of(SLOWER, TEN[:5], resolution=0, level=0.05)
    assert found.p == pytest.approx(2 / 252)
    assert found.p_growth == 1
    assert not found.is_beyond_chance(0.05)


def test_values_that_never_vary_are_compared_as_they_are() -> None:
    same = growth_of([7.0] * 5, [7.0], resolution=0, level=0.05)
    assert (same.growth, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert growth_of([7.0] * 5, [8.0], resolution=0, level=0.05).p == 0


def test_samples_that_happen_to_agree_still_have_the_step_of_a_sample() -> None:
    exact, sampled = (growth_of([3.0] * 5, [4.0], resolution=step, level=0.05) for step in (0, 1.0))
    assert exact.p == 0
    assert sampled.p is not None
    assert sampled.p > 0.01


def test_growth_from_nothing_is_bounded_by_half_a_sample() -> None:
    assert growth_of([0.0] * 5, [4.0] * 5, resolution=1.0, level=0.05).growth == pytest.approx(7)
    assert growth_of([0.0] * 5, [0.0] * 5, resolution=1.0, level=0.05).growth == 0


def test_noise_is_answered_by_more_runs_until_nobody_would_record_them() -> None:
    noisy = growth_of([90.0, 100, 110, 120, 80], [95.0, 105, 115, 85, 100], resolution=0, level=0.05)
    assert noisy.half_width is not None
    more = runs_for(noisy, 0.05)
    assert more is not None
    assert more > 5
    assert runs_for(noisy, 0.001) is None
    assert runs_for(noisy, 0.0) is None
