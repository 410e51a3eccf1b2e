"""Ticks of an axis at 1, 2 or 5 times a power of ten, labelled in the unit of the trace."""

import math
from dataclasses import dataclass

from traces.values import Unit

TICK_SPACING = 120
"""Least pixels between ticks: the longest usual label and some air."""

_LARGEST_DECIMALS = 3
"""More decimals than this read better in the next smaller unit."""

_SCALES: dict[Unit, tuple[tuple[float, str], ...]] = {
    Unit.NANOSECONDS: ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")),
    Unit.BYTES: ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")),
    Unit.COUNT: ((1, ""),),
}


@dataclass(frozen=True, slots=True)
class Tick:
    """`value` is on the axis, `text` its distance from the axis' zero, such as `1.5 ms`."""

    value: float
    text: str


def ticks(start: float, end: float, *, zero: float, unit: Unit, pixels: int) -> tuple[Tick, ...]:
    """Ticks from `start` to `end` of an axis `pixels` wide, labelled by their distance from `zero`; none for an
    empty range."""
    if not end > start:
        return ()
    step = nice_step((end - start) * TICK_SPACING / pixels)
    first = math.ceil((start - zero) / step)
    last = math.floor((end - zero) / step)
    scale, name = _scale(unit, max(abs(start - zero), abs(end - zero)), step)
    decimals = _decimals(step / scale)
    return tuple(
        Tick(zero + n * step, f"{n * step / scale:,.{decimals}f} {name}".rstrip() if n else f"0 {name}".rstrip())
        for n in range(first, last + 1)
    )


def nice_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `least`, which is positive."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _scale(unit: Unit, largest: float, step: float) -> tuple[float, str]:
    """The unit that keeps numbers short: the largest one under the axis' end that needs few decimals for a step."""
    fitting = [scale for scale in _SCALES[unit] if scale[0] <= largest] or [_SCALES[unit][-1]]
    return next((scale for scale in fitting if _decimals(step / scale[0]) <= _LARGEST_DECIMALS), fitting[-1])


def _decimals(step: float) -> int:
    return max(0, math.ceil(-math.log10(step) - 1e-9))
