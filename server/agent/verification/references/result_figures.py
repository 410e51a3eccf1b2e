"""Every figure of a tool's result in one order, so that an address can say which: `q2.c5` is the fifth of result 2.

The order is that of the data: a row after the other, a key after the other, and in our own sentences one figure after
the other.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from server.agent.verification.claims import claims_of
from server.agent.verification.facts import QUOTED, measures
from server.agent.verification.written_numbers import Dimension, Mention
from traces.insights.insight import PLACE
from traces.values import Unit

SENTENCES = frozenset({"amount", "detail", "template", "advice", "text", "note", "title", "remark"})
"""Keys of what we wrote ourselves, the trace's words in it quoted or left out."""
LISTS_OF_SENTENCES = frozenset({"notes", "can_answer", "cannot_answer"})
_OURS = SENTENCES | LISTS_OF_SENTENCES
_UNITS = frozenset(Unit)
NO_FIGURES = frozenset({"line", "pid", "tid", "id", "column", "number", "handle", "process", "thread"})
"""Keys of numbers that name something."""
MOMENTS = frozenset({"start", "end", "length"})
"""Keys of times without a unit of their own: nanoseconds."""
REMEMBERED_SENTENCES = 512
"""Those of a turn's results: each model call and each check goes through all of them again, and to read one takes a
third of a millisecond."""
_NOT_OURS = re.compile(rf"{QUOTED.pattern}|{PLACE.pattern}|`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of a result: its value in the dimension's base unit, what row it stands in (`about` is that row's
    handle), and its key there."""

    value: float
    half_digit: float
    dimension: Dimension
    about: str | None
    key: str


class OnNumber(Protocol):
    """What a number becomes."""

    def __call__(self, cell: Cell, value: float) -> Any: ...


OnFigure = Callable[[Cell, str], str]
"""What a figure in a sentence becomes, as it was written."""


@dataclass(slots=True)
class _Collector:
    found: list[Cell]

    def number(self, cell: Cell, value: float) -> Any:
        self.found.append(cell)
        return value

    def figure(self, cell: Cell, written: str) -> str:
        self.found.append(cell)
        return written


def cells(data: Any) -> list[Cell]:
    """The figures of a result's data, or of a part of it, in order."""
    collector = _Collector([])
    rebuilt(data, collector.number, collector.figure)
    return collector.found


def rebuilt(data: Any, number: OnNumber, figure: OnFigure) -> Any:
    """The same data with its figures replaced, asked for in the order that addresses count."""
    return _Walk(number, figure).of(data, None, None, "")


@dataclass(frozen=True, slots=True)
class _Walk:
    number: OnNumber
    figure: OnFigure

    def of(self, value: Any, unit: Unit | None, about: str | None, key: str) -> Any:
        if isinstance(value, dict):
            own = Unit(value["unit"]) if value.get("unit") in _UNITS else unit
            whom = _row_of(value) or about
            return {name: self.of(inner, own, whom, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.of(item, unit, about, key) for item in value]
        if isinstance(value, str):
            return self._sentence(value, about, key) if key in _OURS else value
        if isinstance(value, bool) or not isinstance(value, int | float) or key in NO_FIGURES:
            return value
        dimension, scale = (Dimension.TIME, 1.0) if key in MOMENTS else measures(key, unit)
        return self.number(Cell(float(value) * scale, 0.0, dimension, about, key), value)

    def _sentence(self, text: str, about: str | None, key: str) -> str:
        parts, behind = [], 0
        for one in _mentions(text):
            if one.start < behind:
                continue
            cell = Cell(one.value, one.half_digit, one.dimension, about, key)
            parts += [text[behind : one.start], self.figure(cell, text[one.start : one.end])]
            behind = one.end
        return "".join([*parts, text[behind:]])


@lru_cache(maxsize=REMEMBERED_SENTENCES)
def _mentions(sentence: str) -> tuple[Mention, ...]:
    """The figures that a sentence of ours mentions, by place."""
    masked = _NOT_OURS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), sentence)
    mentions = [mention for claim in claims_of(masked).numbers for mention in claim.mentions]
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _row_of(row: dict[str, Any]) -> str | None:
    handle = str(row.get("handle") or row.get("frame_handle") or "")
    return handle if re.fullmatch(r"[fnsp]\d+", handle) else None
