"""What a gate measured, in words that command, server and page share."""

from traces.analysis.units import format_share, format_value
from traces.gate.growth import Growth, Method
from traces.gate.judgement import ChangedFunction, Judgement
from traces.gate.rules import GrowthRule

LARGEST_SHOWN = 100.0
"""Growth past which its size says nothing more."""


def figures(rule: GrowthRule, growth: Growth, judgement: Judgement) -> str:
    """Medians, growth with its interval, p and the size of the effect."""

    def amount(value: float) -> str:
        return format_share(value) if rule.measure.is_share else format_value(value, judgement.unit)

    text = f"{amount(growth.median_before)} → {amount(growth.median_after)}, {signed(growth.growth)}"
    if growth.low is not None and growth.high is not None:
        text += f" [{signed(growth.low)}, {signed(growth.high)}]"
    if growth.p is not None:
        text += f", p {growth.p:.2g}" + ("" if growth.p_growth is None else f" ({growth.p_growth:.2g} of growth)")
    if growth.effect is not None:
        by_ranks = growth.method is Method.RANKS
        text += (
            f", delta {growth.effect:+.2f}"
            if by_ranks
            else f", {round(growth.effect, 1) + 0.0:+.1f} standard deviations"
        )
    return text


def signed(growth: float) -> str:
    """`+12.3%`."""
    return "more than +9,999%" if growth >= LARGEST_SHOWN else f"{round(growth, 3) + 0.0:+.1%}"


def shares_of(row: ChangedFunction) -> str:
    """A function's own share before and after."""
    return f"{format_share(row.share_before)} → {format_share(row.share_after)}"
