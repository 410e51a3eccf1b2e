"""Student's t against published tables and against the forms that small degrees of freedom have."""

from math import atan, inf, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.gate.student_t import half_width, quantile, two_sided_p

TABLE = {
    0.95: {1: 6.314, 2: 2.920, 3: 2.353, 4: 2.132, 5: 2.015, 9: 1.833, 10: 1.812, 20: 1.725, 30: 1.697, 120: 1.658},
    0.975: {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 20: 2.086, 30: 2.042, 120: 1.980},
    0.995: {1: 63.657, 2: 9.925, 3: 5.841, 4: 4.604, 5: 4.032, 9: 3.250, 10: 3.169, 20: 2.845, 30: 2.750, 120: 2.617},
    0.9995: {1: 636.619, 2: 31.599, 3: 12.924, 4: 8.610, 5: 6.869, 9: 4.781, 10: 4.587, 20: 3.850, 30: 3.646},
}
"""Quantiles by degrees of freedom, from NIST's Engineering Statistics Handbook, 1.3.6.7.2."""


@pytest.mark.parametrize(("p", "freedom", "t"), [(p, f, t) for p, row in TABLE.items() for f, t in row.items()])
def test_quantiles_are_those_of_the_published_table(p: float, freedom: int, t: float) -> None:
    assert quantile(p, freedom) == pytest.approx(t, abs=0.00051)


@given(st.floats(0.001, 500))
def test_one_and_two_degrees_of_freedom_have_closed_forms(t: float) -> None:
    assert two_sided_p(t, 1) == pytest.approx(1 - 2 / pi * atan(t), rel=1e-9, abs=1e-14)
    assert two_sided_p(t, 2) == pytest.approx(1 - t / sqrt(2 + t * t), rel=1e-7, abs=1e-12)


@given(st.floats(0.501, 0.99999), st.integers(1, 500))
def test_a_quantile_has_the_tail_it_was_asked_for(p: float, freedom: int) -> None:
    assert two_sided_p(quantile(p, freedom), freedom) == pytest.approx(2 * (1 - p), rel=1e-9)


def test_the_ends_of_the_distribution() -> None:
    assert two_sided_p(0, 4) == 1
    assert two_sided_p(inf, 4) == 0
    assert two_sided_p(-2.776, 4) == pytest.approx(two_sided_p(2.776, 4))


def test_one_run_lies_further_from_a_mean_than_the_mean_of_many() -> None:
    assert half_width(1.0, 10, 1, 0.05) == pytest.approx(2.2622 * sqrt(1.1), rel=1e-4)
    assert half_width(1.0, 10, 5, 0.05) == pytest.approx(2.2622 * sqrt(0.3), rel=1e-4)
