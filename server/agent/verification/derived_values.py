"""A value that no tool returned, from values around it: a share, a sum, a difference, a ratio, a mean.

Only figures that the statement itself has or names are used: among all figures of a turn, two that add up to any
number can be found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations

from server.agent.verification.written_numbers import Dimension, Mention

SUMMED = 12
"""Figures of one statement that are tried in pairs."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A verified value and how it is called: `412 ms` where the answer has it (`is_written`), else `self value of f12
    in p0`. Figures of two functions are compared only where their `measure` is the same."""

    value: float
    half_digit: float
    dimension: Dimension
    label: str
    measure: str
    is_written: bool = False


def near(value: float, slack: float, target: Mention) -> bool:
    """Whether the value is what was written, within half the last digit written and its own slack."""
    return abs(abs(value) - target.value) <= (target.half_digit + slack) * (1 + 1e-9) + abs(value) * 1e-9


def derived(
    target: Mention,
    operands: Sequence[Operand],
    totals: Sequence[tuple[float, Dimension, str]],
    *,
    sums: bool,
    means: bool,
    differences: bool,
) -> str | None:
    """How the number follows from the operands and the trace's totals; None when it does not. `sums` when the
    statement speaks of several together, `means` when it speaks of one on average, `differences` when it says that one
    is more, or what is left: else only figures that the answer has are subtracted (`of the 105, 97 and 8`)."""
    alike = [operand for operand in operands if operand.dimension is target.dimension][:SUMMED]
    left = alike if differences else [operand for operand in alike if operand.is_written]
    ways = [_sums(target, alike, several=sums), _differences(target, left)]
    if target.dimension is Dimension.SHARE:
        ways.insert(0, _shares(target, operands, totals))
    if means:
        ways.append(_means(target, operands))
    return next(chain.from_iterable(ways), None)


def scaled(target: Mention, operands: Sequence[Operand], factors: Sequence[float]) -> str | None:
    """Whether the number is one of the operands times a factor in the same statement: `by half saves 300 ms`."""
    for one in operands:
        for factor in factors:
            if one.dimension is target.dimension and near(one.value * factor, 0.0, target):
                return f"{one.label} × {factor:g}"
    return None


def _sums(target: Mention, alike: Sequence[Operand], *, several: bool) -> Iterator[str]:
    for size in (2, 3) if several and len(alike) < 8 else (2,):
        for group in combinations(alike, size):
            slack = sum(one.half_digit for one in group)
            if _may_be_added(group) and near(sum(one.value for one in group), slack, target):
                yield " + ".join(one.label for one in group)
    if (
        len(alike) > 2
        and _may_be_added(alike)
        and near(sum(one.value for one in alike), sum(one.half_digit for one in alike), target)
    ):
        yield " + ".join(one.label for one in alike)


def _may_be_added(group: Sequence[Operand]) -> bool:
    """Figures of one measure; totals may stand in one another, so that their sum counts time twice."""
    return len({one.measure for one in group}) == 1 and not group[0].measure.startswith("total")


def _differences(target: Mention, alike: Sequence[Operand]) -> Iterator[str]:
    for one, other in permutations(alike, 2):
        if one.value > other.value and near(one.value - other.value, one.half_digit + other.half_digit, target):
            yield f"{one.label} - {other.label}"
    for one in alike:
        if target.dimension is Dimension.SHARE and near(100 - one.value, one.half_digit, target):
            yield f"100% - {one.label}"


def _shares(
    target: Mention, operands: Sequence[Operand], totals: Sequence[tuple[float, Dimension, str]]
) -> Iterator[str]:
    parts = [one for one in operands if one.dimension is not Dimension.SHARE]
    bases = [*totals, *((one.value, one.dimension, one.label) for one in parts)]
    for part in parts:
        for base, dimension, label in bases:
            comparable = dimension is part.dimension and base > 0 and label != part.label
            if comparable and near(100 * part.value / base, 100 * part.half_digit / base, target):
                yield f"{part.label} of {label}"
    for after, before in permutations(parts[:SUMMED], 2):
        alike = after.dimension is before.dimension and after.measure == before.measure
        if alike and before.value > 0 and near(100 * (after.value - before.value) / before.value, 0.0, target):
            yield f"change from {before.label} to {after.label}"
    shares = [one for one in operands if one.dimension is Dimension.SHARE]
    for one, other in permutations(shares[:SUMMED], 2):
        if 0 < one.value < other.value and near(100 * one.value / other.value, 0.0, target):
            yield f"{one.label} of {other.label}"


def _means(target: Mention, operands: Sequence[Operand]) -> Iterator[str]:
    is_time = target.dimension is Dimension.TIME  # a sample is no call: time by samples is the sampling interval
    counts = [
        one
        for one in operands
        if one.dimension is Dimension.COUNT and one.value > 0 and not (is_time and one.measure.startswith("samples"))
    ]
    for total in operands:
        if total.dimension is target.dimension and total.dimension is not Dimension.COUNT:
            for count in counts:
                if near(total.value / count.value, total.half_digit / count.value, target):
                    yield f"{total.label} / {count.label}"


def ratio(target: Mention, operands: Sequence[Operand]) -> str | None:
    """Of which two figures of one measure the factor is the ratio; or which share's disappearance speeds up so."""
    for one in operands:
        if one.dimension is Dimension.SHARE and 0 < one.value < 100:
            slack = 100 * one.half_digit / (100 - one.value) ** 2
            if near(100 / (100 - one.value), slack, target):
                return f"100% / (100% - {one.label})"
    for one, other in permutations(operands, 2):
        alike = one.dimension is other.dimension and one.measure == other.measure
        if alike and other.value > 0 and one.label != other.label:
            factor = one.value / other.value
            slack = factor * (one.half_digit / max(one.value, 1e-12) + other.half_digit / other.value)
            if near(factor, slack, target):
                return f"{one.label} / {other.label}"
    return None
