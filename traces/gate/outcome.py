"""How a rule, or a gate, ends."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """`not decidable` is neither: too few runs, too much noise, or runs that cannot be compared."""

    KEPT = "held"
    BROKEN = "broken"
    UNDECIDED = "not decidable"


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Of all rules: broken when one is, else not decidable when one is."""
    found = set(outcomes)
    return next((one for one in (Outcome.BROKEN, Outcome.UNDECIDED) if one in found), Outcome.KEPT)
