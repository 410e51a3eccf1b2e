"""Whether two groups of values differ by more than chance: a rank test, and its correction for many such tests.

The test is Mann and Whitney's U, two-sided (H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random
Variables is Stochastically Larger than the Other", 1947), here in Wilcoxon's form: the sum of one group's ranks, where
equal values share the mean of their ranks. Its distribution is counted, not approximated: of all ways to choose a group
of that size among the ranks, how many have each sum. Equal values therefore need no correction.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb, erfc, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

MOST_COUNTED = 60
"""Values of both groups together. Counting 30 and 30 takes 10 ms and grows with the fourth power; above this number the
normal approximation is close enough."""


def rank_sum_p(before: Values, after: Values) -> float:
    """The two-sided p, twice the smaller tail and at most 1: exact up to `MOST_COUNTED` values, equal ones included;
    above them the normal approximation, corrected for ties and continuity. Both groups have at least one value."""
    return min(1.0, 2 * min(_tails(before, after)))


def growth_p(before: Values, after: Values) -> float:
    """The one-sided p that `after` is larger: how often chance alone ranks it as high, or higher."""
    return _tails(before, after)[1]


def _tails(before: Values, after: Values) -> tuple[float, float]:
    """How often chance alone gives `after` a sum of ranks as low or lower, and as high or higher."""
    ranks = _doubled_midranks(np.concatenate([before, after]))
    chosen, total = int(ranks[len(before) :].sum()), len(ranks)
    if total > MOST_COUNTED:
        tail = _approximate(ranks, len(after), chosen) / 2
        is_high = chosen > len(after) * float(ranks.mean())
        return (1 - tail, tail) if is_high else (tail, 1 - tail)
    groups = _groups_by_sum(tuple(sorted(ranks.tolist())), len(after))
    ways = comb(total, len(after))
    return float(groups[: chosen + 1].sum() / ways), float(groups[chosen:].sum() / ways)


def least_p(before: int, after: int) -> float:
    """The smallest two-sided p that U can give for so many values: when all of one group lie below all of the other."""
    return min(1.0, 2 / comb(before + after, after))


def extreme_pairs(before: int, after: int, level: float) -> int:
    """How many of the `before * after` pairs may lie against the others while the two-sided p stays at or below
    `level`, plus one: 0 where no number may. Of the differences in order, those that many from either end bound the
    shift between the groups, 1 - `level` of the time (J. Hodges, E. Lehmann, 1963; P. Moses's interval)."""
    if before + after > MOST_COUNTED:
        middle, spread = before * after / 2, sqrt(before * after * (before + after + 1) / 12)
        return max(0, int(middle + NormalDist().inv_cdf(level / 2) * spread - 0.5) + 1)
    groups = _groups_by_sum(tuple(range(2, 2 * (before + after) + 1, 2)), min(before, after))
    by_pairs = groups[groups > 0]
    return int(np.count_nonzero(np.cumsum(by_pairs) * 2 <= level * comb(before + after, after) * (1 + 1e-12)))


def false_discovery(ps: Sequence[float]) -> list[float]:
    """Each p adjusted so that, of those below a threshold, the expected share of false ones is at most the threshold
    (Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", 1995, the step-up procedure)."""
    if not ps:
        return []
    given = np.asarray(ps, np.float64)
    order = np.argsort(given)
    scaled = given[order] * len(given) / np.arange(1, len(given) + 1)
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return [float(p) for p in adjusted]


def _doubled_midranks(values: Values) -> npt.NDArray[np.int64]:
    """Twice the rank of each value from 1, equal values sharing their mean: doubled, it is an integer."""
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    lower = np.cumsum(counts) - counts
    return np.asarray((2 * lower + counts + 1)[group], np.int64)


@lru_cache(maxsize=64)
def _groups_by_sum(ranks: tuple[int, ...], size: int) -> Values:
    """At each sum, how many groups of `size` among the ascending ranks have it. Cached, as most functions of a
    comparison have no equal values and therefore the same ranks."""
    most = sum(ranks[-size:])
    groups: Values = np.zeros((size + 1, most + 1))
    groups[0, 0] = 1
    for rank in ranks:
        groups[1:, rank:] += groups[:-1, : most + 1 - rank]
    return np.array(groups[size])


def _approximate(ranks: npt.NDArray[np.int64], size: int, chosen: int) -> float:
    """By the mean and the variance that sums of `size` of these ranks have without replacement."""
    total = len(ranks)
    spread = float(ranks.var()) * size * (total - size) / (total - 1)
    if not spread:
        return 1.0
    away = abs(chosen - size * float(ranks.mean())) - 1  # half a rank, doubled: the correction for continuity
    return min(1.0, erfc(away / sqrt(2 * spread)))
