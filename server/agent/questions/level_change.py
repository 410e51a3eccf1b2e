"""Where a series of values changes its level, and whether that is more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, heappushpop
from math import expm1, log, sqrt
from statistics import fmean, median

import numpy as np

from traces.analysis.rank_test import least_p, rank_sum_p
from traces.gate.student_t import quantile

LEAST_CHANGE = 0.1
"""Of the level before: below it no change is spoken of."""
LEVEL = 0.05
"""Of the tests, divided by the number of places where the values could be split."""
DIGITS = 9
"""Of a deviation of logarithms: what differs less is rounding."""
LEAST_FREEDOM = 3
"""Fewer values beyond the two levels say nothing of how far they scatter."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """From `place` on the level is `after`; `growth` is relative to the level before (0.43: 43 % more). `is_sure` where
    the values vary too little for it to be chance."""

    place: int
    before: float
    after: float
    is_sure: bool

    @property
    def growth(self) -> float:
        """Relative to the level before."""
        return self.after / self.before - 1.0


def level_change(values: Sequence[float], places: Sequence[int] | None = None) -> LevelChange | None:
    """The place that splits the values, all above 0, into two levels with the least absolute deviations from their
    medians, one of `places` where only those may; None where the levels differ by little."""
    candidates = range(1, len(values)) if places is None else places
    if not candidates or min(values) <= 0:
        return None
    logs = [log(value) for value in values]
    before, after = deviations_so_far(logs), deviations_so_far(logs[::-1])[::-1]
    place = min(candidates, key=lambda at: (round(before[at - 1] + after[at], DIGITS), at))
    step = median(logs[place:]) - median(logs[:place])
    if abs(expm1(step)) < LEAST_CHANGE:
        return None
    return LevelChange(place, median(values[:place]), median(values[place:]), _is_sure(logs, place, len(candidates)))


def _is_sure(logs: Sequence[float], place: int, places: int) -> bool:
    """By ranks where there are enough values, else by Student's t on logarithms; corrected for the choice of place."""
    before, after = logs[:place], logs[place:]
    if least_p(len(before), len(after)) * places <= LEVEL:
        return rank_sum_p(np.array(before), np.array(after)) * places <= LEVEL
    means = fmean(before), fmean(after)
    squares = sum((one - mean) ** 2 for part, mean in zip((before, after), means, strict=True) for one in part)
    freedom = len(logs) - 2
    if freedom < LEAST_FREEDOM:
        return False
    noise = sqrt(squares / freedom * (1 / len(before) + 1 / len(after)))
    return abs(means[1] - means[0]) >= quantile(1 - LEVEL / (2 * places), freedom) * noise


def deviations_so_far(values: Sequence[float]) -> list[float]:
    """Of the values up to each one: the sum of their absolute deviations from their median. Two heaps hold the lower
    and the upper half, so that all of them take n log n."""
    lower: list[float] = []  # negated: the largest of the lower half comes first
    upper: list[float] = []
    low = high = 0.0
    found = []
    for value in values:
        if lower and value < -lower[0]:
            low, high = low + value - (moved := -heappushpop(lower, -value)), high + moved
            heappush(upper, moved)
        else:
            high, low = high + value - (moved := heappushpop(upper, value)), low + moved
            heappush(lower, -moved)
        if len(lower) > len(upper) + 1:
            moved = -heappop(lower)
            low, high = low - moved, high + moved
            heappush(upper, moved)
        elif len(upper) > len(lower):
            moved = heappop(upper)
            low, high = low + moved, high - moved
            heappush(lower, -moved)
        middle = -lower[0] if len(lower) > len(upper) else (upper[0] - lower[0]) / 2
        found.append(high - low + middle * (len(lower) - len(upper)))
    return found
