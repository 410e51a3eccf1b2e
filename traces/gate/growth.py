"""How much a measure grew from the runs before to the runs after, and whether that is more than chance.

Values are compared by their logarithms, as times vary by factors. Several runs a side are compared by the exact rank
test (`traces.analysis.rank_test`), to one side, as only growth breaks a rule, with the median of all differences
(Hodges and Lehmann) and the interval of Moses whose ends are each passed by chance as often as the test errs. Where
ranks cannot decide because there are few runs after, often one, they are judged by the prediction interval of five or
more runs before (`student_t.half_width`): it assumes that logarithms are about normal. With fewer runs nothing is
tested, as nobody knows how far two runs of the same program lie apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from math import expm1, log, log1p, sqrt

import numpy as np

from traces.analysis.rank_test import extreme_pairs, growth_p, least_p, rank_sum_p
from traces.analysis.runs import cliffs_delta
from traces.gate.student_t import half_width, two_sided_p
from traces.model import Values

LEVEL = 0.05
"""Of all growth rules of a gate together; each is tested at its part (Bonferroni): how often one breaks by chance."""
ENOUGH_BEFORE = 5
"""Runs before from which on their spread says something about the next run."""
MOST_ADVISED = 500
"""Runs a side beyond which nobody records more: the limit is what should change."""
FEWEST_RANKED = 2
"""Runs a side: one alone may be the odd one."""
DIGITS = 12
"""Of logarithms: beyond them sums of equal values differ by how they are added."""
QUANTISED = 1 / sqrt(12)
"""Standard deviation of a value that is only known to one step, in steps."""


class Method(StrEnum):
    """By what a growth was judged."""

    RANKS = "ranks"
    PREDICTION = "prediction"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Growth:
    """`growth` is after over before less one, `low` and `high` its interval at the rule's own level (None where nothing
    was tested). `p` is two-sided, `p_growth` one-sided and by ranks alone. `effect` is Cliff's delta by ranks, standard
    deviations of the runs before by prediction."""

    method: Method
    before: tuple[float, ...]
    after: tuple[float, ...]
    median_before: float
    median_after: float
    growth: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_growth: float | None = None
    effect: float | None = None

    def is_beyond_chance(self, level: float) -> bool:
        """By ranks to one side. The prediction interval is used as it is: one run after may be an odd one."""
        p = self.p if self.p_growth is None else self.p_growth
        return p is not None and p <= level

    @property
    def half_width(self) -> float | None:
        """Growth that this many runs of this noise can just see; None where nothing was tested."""
        if self.low is None or self.high is None:
            return None
        return expm1((log1p(self.high) - log1p(self.low)) / 2)


def method_for(before: int, after: int, level: float) -> Method:
    """What so many runs can be judged by at a level."""
    if min(before, after) >= FEWEST_RANKED and least_p(before, after) <= level:
        return Method.RANKS
    return Method.PREDICTION if before >= ENOUGH_BEFORE and after < ENOUGH_BEFORE else Method.NONE


def needs(before: int, after: int, level: float) -> str:
    """How many runs would do where these cannot reach the level."""
    if before < ENOUGH_BEFORE and after < ENOUGH_BEFORE:
        return f"needs {ENOUGH_BEFORE} runs before, there {'is one' if before == 1 else f'are {before}'}"
    enough = next(n for n in count(ENOUGH_BEFORE) if least_p(n, n) <= level)
    return f"needs {enough} runs a side, there are {before} before and {after} after"


def growth_of(before: Sequence[float], after: Sequence[float], *, resolution: float, level: float) -> Growth:
    """How much `after` grew. `resolution` is a step of the values, 0 where they are exact; both have at least one."""
    old, new = np.array(before, np.float64), np.array(after, np.float64)
    medians = float(np.median(old)), float(np.median(new))
    logs = _logs(old, new, resolution)
    method = method_for(len(old), len(new), level)
    shift, low, high, p, effect = float(np.median(logs[1]) - np.median(logs[0])), None, None, None, None
    one_sided = None
    if method is Method.RANKS:
        differences = np.sort((logs[1][:, None] - logs[0][None, :]).ravel())
        shift = float(np.median(differences))
        inner = extreme_pairs(len(old), len(new), 2 * level)
        if inner:
            low, high = float(differences[inner - 1]), float(differences[-inner])
        p, one_sided, effect = rank_sum_p(old, new), growth_p(old, new), cliffs_delta(old, new)
    elif method is Method.PREDICTION:
        shift = round(float(logs[1].mean() - logs[0].mean()), DIGITS)
        spread = max(
            round(float(logs[0].std(ddof=1)), DIGITS), QUANTISED * resolution / max(medians[0], resolution or 1.0)
        )
        half = half_width(spread, len(old), len(new), level)
        low, high = shift - half, shift + half
        p = _prediction_p(shift, spread, len(old), len(new))
        effect = shift / spread if spread else None
    return Growth(
        method=method,
        before=tuple(before),
        after=tuple(after),
        median_before=medians[0],
        median_after=medians[1],
        growth=expm1(shift),
        low=None if low is None else expm1(low),
        high=None if high is None else expm1(high),
        p=p,
        p_growth=one_sided,
        effect=effect,
    )


def _prediction_p(shift: float, spread: float, before: int, after: int) -> float:
    if not spread:
        return 0.0 if shift else 1.0
    return two_sided_p(shift / (spread * sqrt(1 / before + 1 / after)), before - 1)


def _logs(before: Values, after: Values, resolution: float) -> tuple[Values, Values]:
    """Logarithms; what was not found counts as half a step, as it may have been just missed, or as half of the smallest
    value where values are exact."""
    positive = [float(one) for values in (before, after) for one in values if one > 0]
    least = resolution / 2 or min(positive, default=1.0) / 2
    floor = min([least, *(one for one in positive)])
    return np.log(np.maximum(before, floor)), np.log(np.maximum(after, floor))


def runs_for(growth: Growth, limit: float) -> int | None:
    """About how many runs before would let growth by `limit` be seen, at the noise that these have: an interval narrows
    with the root of their number. None where no number would, or nothing was tested."""
    half = growth.half_width
    if half is None or limit <= 0 or len(growth.after) < 2:
        return None
    enough = min(len(growth.before), len(growth.after)) * (log1p(half) / log(1 + limit)) ** 2
    return int(enough) + 1 if enough < MOST_ADVISED else None
