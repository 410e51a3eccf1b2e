"""Student's t distribution: how far a value lies from others whose spread is only estimated.

The tail is a regularised incomplete beta function, here by its continued fraction (W. Press et al., "Numerical
Recipes", 3rd edition, 6.4; the terms are DLMF 8.17.22), evaluated by Lentz's method.
"""

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, sqrt

MOST_TERMS = 10_000
PRECISION = 1e-15
SMALLEST = 1e-300
"""In place of a zero that would be divided by."""


def two_sided_p(t: float, freedom: float) -> float:
    """The chance of a value at least as far from zero as `t`, with `freedom` degrees of freedom (above 0)."""
    if t == 0:
        return 1.0
    if abs(t) == inf:
        return 0.0
    return _regularised_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


@lru_cache(maxsize=1_000)
def quantile(p: float, freedom: float) -> float:
    """The value below which the part `p` (above 0.5, below 1) of the distribution lies, to twelve digits."""
    low, high = 0.0, 1.0
    while two_sided_p(high, freedom) / 2 > 1 - p:
        high *= 2
    while high - low > 1e-13 * max(1.0, high):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if two_sided_p(middle, freedom) / 2 > 1 - p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _regularised_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) for x between 0 and 1."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, which converges fast for x < (a + 1) / (a + b + 2)."""
    c = 1.0
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST


def half_width(spread: float, before: int, after: int, level: float) -> float:
    """Half of the interval in which, `1 - level` of the time, the mean of `after` further values lies around that of
    `before` values with this standard deviation: the prediction interval (G. Hahn, W. Meeker, "Statistical Intervals",
    1991, 4.6)."""
    return quantile(1 - level / 2, before - 1) * spread * sqrt(1 / before + 1 / after)
