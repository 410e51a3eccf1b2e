"""Whether a value is what was written: within its rounding, or on the right side of `over` and `under`."""

from enum import Enum

from server.agent.verification.claims import Bound
from server.agent.verification.written_numbers import Mention

ABOUT = 0.1
"""How far `about 40%` may lie from the value, as a part of it."""
NOT_ABOUT = 0.2
"""From here on `about 40%` is wrong."""
LITTLE_MORE, NOT_LITTLE = 0.2, 0.3
"""How far above `gut 40%`, or below `just under 40%`, the value may lie, and from where on that is wrong."""
SLIPPED = 0.015
"""A figure this near is no other figure: it was cut instead of rounded, or taken from a neighbouring unit."""
WRONG_SIDE = 2 * SLIPPED
"""From here on a value on the other side of such a bound is wrong."""


class Agreement(Enum):
    RIGHT = "right"  #: Within the rounding, or on the side of the bound that was written.
    NEARLY = "nearly"  #: So near that it may have been cut instead of rounded.
    WRONG = "wrong"  #: Another figure.


def agreement(value: float, mention: Mention, bound: Bound | None) -> Agreement:
    """How a value of the trace and a written one compare. Whatever is `over 1%` may be 60%."""
    written, half = mention.value, mention.half_digit
    off = abs(value - written)
    if off <= half * (1 + 1e-9) + abs(value) * 1e-9:
        return Agreement.RIGHT
    size = max(abs(value), written)
    if bound in ("over", "under"):
        if (value > written) is (bound == "over"):
            return Agreement.RIGHT
        return Agreement.NEARLY if off <= SLIPPED * size else Agreement.WRONG
    if bound in ("just over", "just under"):
        off = (value - written) / written if written else 0.0
        beyond = off if bound == "just over" else -off
        return (
            Agreement.RIGHT
            if -SLIPPED <= beyond <= LITTLE_MORE
            else Agreement.NEARLY
            if -WRONG_SIDE <= beyond <= NOT_LITTLE
            else Agreement.WRONG
        )
    if bound == "about":
        return (
            Agreement.RIGHT if off <= ABOUT * size else Agreement.NEARLY if off <= NOT_ABOUT * size else Agreement.WRONG
        )
    return Agreement.NEARLY if off <= SLIPPED * size else Agreement.WRONG
