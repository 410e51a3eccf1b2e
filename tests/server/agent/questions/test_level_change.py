"""Where a series changes its level, and how sure that is."""

import random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.questions.level_change import deviations_so_far, level_change


def noisy(level: float, count: int, spread: float, seed: int) -> list[float]:
    chance = random.Random(seed)
    return [level * (1 + chance.gauss(0, spread)) for _ in range(count)]


@pytest.mark.parametrize("at", [3, 7, 15, 17])
def test_a_step_is_found_at_its_place_up_and_down(at: int) -> None:
    for after in (140.0, 60.0):
        found = level_change([*noisy(100, at, 0.02, 1), *noisy(after, 20 - at, 0.02, 2)])
        assert found is not None
        assert (found.place, found.is_sure) == (at, True)
        assert found.growth == pytest.approx(after / 100 - 1, abs=0.05)


def test_noise_alone_is_seldom_taken_for_a_change() -> None:
    sure = 0
    for seed in range(100):
        found = level_change(noisy(100, 20, 0.1, seed))
        sure += found is not None and found.is_sure
    assert sure <= 5


def test_a_small_step_is_none_and_few_values_prove_none() -> None:
    assert level_change([100.0] * 5 + [105.0] * 5) is None
    assert level_change([100.0]) is None
    assert level_change([]) is None
    assert level_change([0.0, 5.0, 5.0]) is None
    two = level_change([100.0, 200.0])
    assert two is not None
    assert not two.is_sure
    one_more = level_change([100.0, 101.0, 100.0, 99.0, 100.0, 150.0])
    assert one_more is not None
    assert (one_more.place, one_more.is_sure) == (5, True)


def test_only_the_places_that_may_split_do() -> None:
    found = level_change([100.0] * 4 + [150.0] * 4, places=[2, 6])
    assert found is not None
    assert found.place in (2, 6)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=60))
def test_deviations_so_far_are_those_of_the_values_up_to_each(values: list[float]) -> None:
    for at, found in enumerate(deviations_so_far(values)):
        part = values[: at + 1]
        assert found == pytest.approx(sum(abs(one - median(part)) for one in part), abs=1e-9)
