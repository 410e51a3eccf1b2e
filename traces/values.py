"""Small closed sets and rows that cross the room: units, kinds, warnings."""

from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """What a number in a column measures. Time is always nanoseconds: importers convert, nothing else does."""

    NANOSECONDS = "nanoseconds"
    BYTES = "bytes"
    COUNT = "count"

    @property
    def is_time(self) -> bool:
        return self is Unit.NANOSECONDS


class ProfileKind(StrEnum):
    SAMPLED = "sampled"
    EVENTED = "evented"


@dataclass(frozen=True, slots=True)
class ValueType:
    """One quantity that a profile measures, such as CPU time or allocated bytes."""

    name: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class TraceWarning:
    """Something dropped, clamped or repaired while reading; `count` says how often. Shown to people and to the
    model."""

    code: str
    text: str
    count: int = 1
