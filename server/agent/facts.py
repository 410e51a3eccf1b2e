"""What a turn's tools returned, as numbers with a dimension and names: what an answer is held against.

Numbers are read from the texts (as printed, so with the precision of their last digit) and from the data behind them
(exact). Quoted strings are the trace's own words: they give names and never numbers, so a function called `99% of 5 s`
proves nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage

from traces.values import Unit

QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')

NUMBER = re.compile(
    r"""(?<![\w.,/#:$-])(?P<hedge>~|≈)?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)
    (?:\s?(?P<unit>%|percent\b|ns\b|µs\b|μs\b|us\b|ms\b|seconds?\b|secs?\b|s\b|minutes?\b|min\b|
    bytes?\b|[kKMGT]i?B\b|B\b))?(?![\w%]|\.\d)""",
    re.VERBOSE,
)
MINUTES = re.compile(r"(?<![\w.])(?P<minutes>\d[\d,]*) min (?P<seconds>\d{1,2}) s\b")


class Dimension(StrEnum):
    TIME = "time"
    BYTES = "bytes"
    SHARE = "share"
    COUNT = "count"


_UNITS: dict[str, tuple[Dimension, float]] = {
    "%": (Dimension.SHARE, 1),
    "percent": (Dimension.SHARE, 1),
    "ns": (Dimension.TIME, 1),
    "µs": (Dimension.TIME, 1e3),
    "μs": (Dimension.TIME, 1e3),
    "us": (Dimension.TIME, 1e3),
    "ms": (Dimension.TIME, 1e6),
    "s": (Dimension.TIME, 1e9),
    "sec": (Dimension.TIME, 1e9),
    "second": (Dimension.TIME, 1e9),
    "min": (Dimension.TIME, 60e9),
    "minute": (Dimension.TIME, 60e9),
    "b": (Dimension.BYTES, 1),
    "byte": (Dimension.BYTES, 1),
    "kb": (Dimension.BYTES, 1e3),
    "mb": (Dimension.BYTES, 1e6),
    "gb": (Dimension.BYTES, 1e9),
    "tb": (Dimension.BYTES, 1e12),
    "kib": (Dimension.BYTES, 2**10),
    "mib": (Dimension.BYTES, 2**20),
    "gib": (Dimension.BYTES, 2**30),
    "tib": (Dimension.BYTES, 2**40),
}
_OF_UNIT = {Unit.NANOSECONDS: Dimension.TIME, Unit.BYTES: Dimension.BYTES, Unit.COUNT: Dimension.COUNT}
_MEASURED = frozenset({"self_value", "total_value", "whole", "duration", "total", "value"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text: its value in the dimension's base unit (ns, bytes, percent, 1), and half its last printed
    digit.
    """

    value: float
    half_digit: float
    dimension: Dimension
    has_unit: bool
    hedged: bool
    start: int
    end: int


def mentions(text: str) -> Iterator[Mention]:
    """Every number of a text with its unit; `3 min 12 s` is one number."""
    taken: list[tuple[int, int]] = []
    for found in MINUTES.finditer(text):
        seconds = int(found["minutes"].replace(",", "")) * 60 + int(found["seconds"])
        taken.append(found.span())
        yield Mention(
            seconds * 1e9, 0.5e9, Dimension.TIME, has_unit=True, hedged=False, start=found.start(), end=found.end()
        )
    for found in NUMBER.finditer(text):
        if any(start <= found.start() < end for start, end in taken):
            continue
        digits, unit = found["number"].replace(",", ""), (found["unit"] or "")
        name = unit.lower() if unit != "%" else unit
        dimension, scale = _UNITS.get(name, _UNITS.get(name.rstrip("s"), (Dimension.COUNT, 1.0)))
        last_digit = 10.0 ** -len(digits.partition(".")[2])
        yield Mention(
            float(digits) * scale, 0.5 * last_digit * scale, dimension, bool(unit), bool(found["hedge"]), *found.span()
        )


@dataclass(slots=True)
class Facts:
    """Numbers by dimension as (value, half of the last printed digit, tool call), names, and places as (file, line)."""

    numbers: dict[Dimension, list[tuple[float, float, str | None]]] = field(
        default_factory=lambda: {dimension: [] for dimension in Dimension}
    )
    wholes: list[tuple[float, Dimension]] = field(default_factory=list)
    names: dict[str, str | None] = field(default_factory=dict)
    places: dict[tuple[str, int | None], str | None] = field(default_factory=dict)

    def add_text(self, text: str, call: str | None) -> None:
        for literal in QUOTED.findall(text):
            try:
                self.names.setdefault(json.loads(literal), call)
            except ValueError:
                continue
        bare = QUOTED.sub(lambda found: " " * len(found[0]), text)
        for mention in mentions(bare):
            self.numbers[mention.dimension].append((mention.value, mention.half_digit, call))

    def add_data(self, data: Any, call: str | None, unit: Unit | None = None) -> None:
        """Walk a tool's data; a `unit` beside values says what they measure."""
        waiting: list[tuple[Any, Unit | None]] = [(data, unit)]
        while waiting:
            value, inherited = waiting.pop()
            if isinstance(value, list):
                self.numbers[Dimension.COUNT].append((float(len(value)), 0.0, call))
                waiting += [(item, inherited) for item in value]
            elif isinstance(value, dict):
                own = Unit(value["unit"]) if value.get("unit") in set(Unit) else inherited
                self._add_row(value, own, call)
                waiting += [(inner, own) for inner in value.values() if isinstance(inner, dict | list)]

    def _add_row(self, row: dict[str, Any], unit: Unit | None, call: str | None) -> None:
        if isinstance(row.get("name"), str):
            self.names.setdefault(row["name"], call)
        if isinstance(row.get("file"), str):
            self.places.setdefault((row["file"], row.get("line")), call)
        for key, value in row.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if key.endswith("share"):
                dimension, scale = Dimension.SHARE, 100.0
            elif key.endswith("_ns"):
                dimension, scale = Dimension.TIME, 1.0
            elif key.endswith("_bytes"):
                dimension, scale = Dimension.BYTES, 1.0
            elif key in _MEASURED and unit is not None:
                dimension, scale = _OF_UNIT[unit], 1.0
            else:
                dimension, scale = Dimension.COUNT, 1.0
            self.numbers[dimension].append((value * scale, 0.0, call))
            if key in ("whole", "duration", "duration_ns", "total"):
                self.wholes.append((float(value), dimension))


def gathered(messages: Sequence[AnyMessage], known: dict[str, Any]) -> Facts:
    """Facts of every tool result in the conversation, the turn's own first, and of what the model was told at the
    start.
    """
    facts = Facts()
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            facts.add_text(message.text, message.tool_call_id)
            if isinstance(message.artifact, dict):
                facts.add_data(message.artifact.get("data"), message.tool_call_id)
                facts.add_data(message.artifact.get("arguments"), message.tool_call_id)
    facts.add_data(known, None)
    return facts
