"""Figures that are links, each compared with what its address stands for: right within the rounding that was written is
exact, bound to function, measure, base, profile and window; else the reader sees what the trace says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from server.agent.verification.claims import Bound
from server.agent.verification.decimal_commas import in_english_shape
from server.agent.verification.derived_values import near
from server.agent.verification.factors import factors
from server.agent.verification.references.addressed_values import Unknown, Value
from server.agent.verification.references.addresses import Address, Malformed
from server.agent.verification.references.figure_links import FigureLink
from server.agent.verification.references.figure_values import FigureValues
from server.agent.verification.written_numbers import UNIT, Dimension, Mention, mentions
from traces.analysis.units import format_share, format_value
from traces.lazy_regex import lazy_regex
from traces.values import Unit

Kind = Literal["number", "percentage", "ratio", "count"]
Status = Literal["verified", "derived", "contradicted", "unchecked"]

_UNIT_BEHIND = lazy_regex(rf"[\s\u00a0\u202f]?(?:{UNIT})(?![\w%])|[x×](?![\w×])")
_DECIMAL_COMMA = lazy_regex(r"(?<=\d),(?=\d{1,2}(?!\d))")
"""One or two digits behind it: in a link nothing else is meant, whatever the language."""
_IN_THOUSANDS = lazy_regex(r"\d{1,3}(?:\.\d{3}){1,4}")
_SIGN = lazy_regex(r"([+\-−])\s?[\d.,]*\d")
_UNITS = {Dimension.TIME: Unit.NANOSECONDS, Dimension.BYTES: Unit.BYTES, Dimension.COUNT: Unit.COUNT}
HEDGED_TOLERANCE = 0.05
"""How far from its value a figure may lie that is called `about` it."""
BEHIND = 14
"""Characters behind a label in which its unit may stand."""


@dataclass(frozen=True, slots=True)
class FigureVerdict:
    """What became of one link. `how` says what it is of, or why it could not be checked; `actual` what the trace says
    of a contradicted one."""

    link: FigureLink
    kind: Kind
    status: Status
    how: str
    actual: str | None = None
    call: str | None = None
    value: Value | None = None


def figure_verdicts(
    values: FigureValues, answer: str, links: Sequence[FigureLink], bounds: Sequence[Bound | None]
) -> Iterator[FigureVerdict]:
    """A verdict for every link; `bounds` says which are hedged (`about`, `over`, `under`)."""
    english = in_english_shape(answer)
    for link, bound in zip(links, bounds, strict=True):
        written = _written(link, english)
        kind = _kind(written)
        if isinstance(link.address, Malformed):
            yield FigureVerdict(link, kind, "unchecked", "its link is no address of a figure")
            continue
        value = values.value(link.address)
        if isinstance(value, Unknown):
            yield FigureVerdict(link, kind, "unchecked", value.why)
        elif written is None:
            yield FigureVerdict(link, kind, "unchecked", "the link has no figure, or several")
        else:
            yield _compared(link, kind, value, written, bound)


def _compared(link: FigureLink, kind: Kind, value: Value, written: Mention, bound: Bound | None) -> FigureVerdict:
    for comparable in _comparable(value, written):
        if _agrees(comparable, value, written, bound, link.label):
            status: Status = "derived" if _is_formula(link) else "verified"
            return FigureVerdict(link, kind, status, value.what, None, value.call, value)
    if _is_in_thousands(link.label, value):
        return FigureVerdict(link, kind, "verified", value.what, None, value.call, value)
    return FigureVerdict(link, kind, "contradicted", value.what, shown(value, written), value.call, value)


def _is_in_thousands(label: str, value: Value) -> bool:
    """Whether a count is written with points between its thousands, in a sentence too short to show its language."""
    is_count = value.dimension is Dimension.COUNT and not value.is_ratio
    return is_count and _IN_THOUSANDS.fullmatch(label) is not None and float(label.replace(".", "")) == value.value


def _is_formula(link: FigureLink) -> bool:
    return isinstance(link.address, Address) and link.address.other is not None


def _written(link: FigureLink, answer: str) -> Mention | None:
    """The one figure of a link, with a unit that stands behind it; `answer` has English numbers."""
    label = _DECIMAL_COMMA.sub(".", answer[link.start : link.end])
    if label[-1:].isdigit() and (unit := _UNIT_BEHIND.match(answer[link.closes : link.closes + BEHIND])):
        label += unit[0]
    found = list(factors(label)) or list(mentions(label))
    return found[0] if len(found) == 1 else None


def _kind(written: Mention | None) -> Kind:
    if written is None or written.dimension in (Dimension.TIME, Dimension.BYTES):
        return "number"
    if written.dimension is Dimension.SHARE:
        return "percentage"
    return "ratio" if written.has_unit else "count"


def _comparable(value: Value, written: Mention) -> Iterator[float]:
    """The value in what the figure is written in; nothing where it measures something else."""
    if written.dimension is value.dimension:
        yield value.value
    elif written.dimension is Dimension.SHARE:
        if value.scope_total:
            yield 100 * value.value / value.scope_total
        elif value.is_ratio:
            yield 100 * value.value
        elif value.dimension is Dimension.COUNT and value.is_column:
            yield 100 * value.value
            yield value.value


def _agrees(comparable: float, value: Value, written: Mention, bound: Bound | None, label: str) -> bool:
    slack = value.half_digit
    if value.is_change and (sign := _SIGN.search(label)) and (sign[1] == "+") != (comparable >= 0):
        return False
    size = abs(comparable)
    if bound in ("about", "just over", "just under") or written.hedged:
        return abs(size - written.value) <= HEDGED_TOLERANCE * size + written.half_digit + slack
    if bound == "over":
        return size >= written.value - written.half_digit - slack
    if bound == "under":
        return size <= written.value + written.half_digit + slack
    return near(size, max(0.0, slack - written.half_digit), written)


def shown(value: Value, written: Mention | None = None) -> str:
    """A value as the figure compared is written: a share as one where it can be."""
    if written is not None and written.dimension is not value.dimension:
        for comparable in _comparable(value, written):
            return format_share(comparable / 100)
    if value.dimension is Dimension.SHARE:
        return format_share(value.value / 100)
    if value.is_ratio:
        return f"{value.value:.3g}×"
    return format_value(value.value, _UNITS[value.dimension])
