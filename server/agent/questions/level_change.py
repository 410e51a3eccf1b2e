"""Where a series of values changes its level, if it does by more than it varies."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, log
from statistics import median

LEAST_CHANGE = 0.1
"""Of the level before: below it no change is spoken of."""
SPREADS = 4.0
"""How many robust standard deviations of the values about their level a change must be."""
NORMAL = 1.4826
"""From a median absolute deviation to a standard deviation of normal values."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """From `place` on the level is `after`; `growth` is relative to the level before (0.43: 43 % more)."""

    place: int
    before: float
    after: float

    @property
    def growth(self) -> float:
        """Relative to the level before."""
        return self.after / self.before - 1.0


def level_change(values: Sequence[float]) -> LevelChange | None:
    """The place that splits the values, all above 0, into two levels with the least absolute deviations from their
    medians; None where the levels differ by less than the values vary, or by little."""
    if len(values) < 2 or min(values) <= 0:
        return None
    logs = [log(value) for value in values]
    place = min(range(1, len(logs)), key=lambda at: (_deviation(logs[:at]) + _deviation(logs[at:]), at))
    before, after = logs[:place], logs[place:]
    step = median(after) - median(before)
    if abs(expm1(step)) < LEAST_CHANGE:
        return None
    residuals = [abs(one - median(part)) for part in (before, after) for one in part if len(part) > 1]
    spread = NORMAL * median(residuals) if residuals else 0.0
    if len(values) > 2 and abs(step) < SPREADS * spread:
        return None
    return LevelChange(place, median(values[:place]), median(values[place:]))


def _deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return sum(abs(value - middle) for value in values)
