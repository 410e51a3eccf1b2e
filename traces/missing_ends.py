"""What a file's begins without an end and ends without a begin are called in its warnings: what, where, how long."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from traces.analysis.units import format_value
from traces.model import NONE, Int32, Values
from traces.nesting import Nested
from traces.values import TraceWarning, Unit

NAMED = 3
"""Spans that a warning names: the longest."""
NAME_CHARACTERS = 60
UNFINISHED = "spans without an end are unfinished: drawn to the end, and left out of sums"
HALF_INTERVALS = "intervals of which only one end is in the file were dropped"
UNMATCHED = "end events without a begin were dropped"


@dataclass(frozen=True, slots=True)
class Place:
    """A span or an event by name, thread, and when it was on the file's clock."""

    name: str
    thread: str
    start: float
    length: float
    unit: Unit

    def text(self, zero: int) -> str:
        """In a few words; `zero` is the file's time at which the trace begins."""
        start = self.start - zero if self.unit.is_time else self.start
        where = f"`{shortened(self.name)}`" + (f" on {shortened(self.thread)}" if self.thread else "")
        return f"{where} at {format_value(start, self.unit)}"


@dataclass(frozen=True, slots=True)
class Half:
    """A beginning without an end, or an end without a beginning, of an interval that need not nest; `time` is in
    nanoseconds on the file's clock, `thread` may be empty."""

    name: str
    thread: str
    time: int
    is_beginning: bool


@dataclass(slots=True)
class MissingEnds:
    """Collects what of a file's threads has no end, or no begin."""

    unfinished: list[Place] = field(default_factory=list)
    unmatched: list[Place] = field(default_factory=list)
    unfinished_count: int = 0
    unmatched_count: int = 0
    halves: dict[tuple[str, str], tuple[int, list[Half]]] = field(default_factory=dict)

    def add(self, thread: str, nested: Nested, unit: Unit, name: Callable[[int], str]) -> None:
        """Take note of what a thread lacks; `name` gives that of a frame."""
        if len(rows := nested.unfinished):
            self.add_unfinished(thread, nested.start[rows], nested.end[rows], nested.frame[rows], unit, name)
        self.unmatched_count += nested.unmatched_ends
        if nested.first_unmatched is not None:
            at, frame = nested.first_unmatched
            self.unmatched.append(Place("an end" if frame == NONE else name(frame), thread, at, 0, unit))

    def add_unfinished(
        self, thread: str, start: Values, end: Values, frame: Int32, unit: Unit, name: Callable[[int], str]
    ) -> None:
        """Take note of a thread's spans without an end."""
        lasted = end - start
        for at in np.argsort(-lasted, kind="stable")[:NAMED].tolist():
            place = Place(name(int(frame[at])), thread, start[at].item(), lasted[at].item(), unit)
            self.unfinished.append(place)
        self.unfinished_count += len(start)

    def add_halves(self, code: str, text: str, halves: Sequence[Half], count: int) -> None:
        """Take note of `count` halves of intervals, of which `halves` has at least the first ones."""
        if count > 0:
            known, first = self.halves.get((code, text), (0, []))
            first = sorted([*first, *halves], key=lambda half: half.time)[:NAMED]
            self.halves[code, text] = known + count, first

    def warnings(self, zero: int) -> Iterator[TraceWarning]:
        """What to say of them."""
        if self.unfinished:
            longest = sorted(self.unfinished, key=lambda place: -place.length)[:NAMED]
            said = [f"{one.text(zero)}, drawn {format_value(one.length, one.unit)} long" for one in longest]
            yield TraceWarning("unclosed", _listed(UNFINISHED, said, self.unfinished_count), self.unfinished_count)
        if self.unmatched_count:
            said = [one.text(zero) for one in sorted(self.unmatched, key=lambda place: place.start)[:NAMED]]
            yield TraceWarning("unmatched_end", _listed(UNMATCHED, said, self.unmatched_count), self.unmatched_count)
        for (code, text), (count, first) in self.halves.items():
            places = [
                f"{Place(half.name, half.thread, half.time, 0, Unit.NANOSECONDS).text(zero)}, without "
                f"{'an end' if half.is_beginning else 'a beginning'}"
                for half in first
            ]
            yield TraceWarning(code, _listed(text, places, count), count)


def _listed(what: str, places: list[str], count: int) -> str:
    more = count - len(places)
    return f"{what}: {'; '.join(places)}{f'; and {more:,} more' if more else ''}" if places else what


def shortened(name: str) -> str:
    """A name of any length and contents, as part of a sentence."""
    printed = "".join(c if c.isprintable() and c != "`" else " " for c in name[: 4 * NAME_CHARACTERS])
    line = " ".join(printed.split())
    return line if len(line) <= NAME_CHARACTERS else f"{line[: NAME_CHARACTERS - 1]}…"
