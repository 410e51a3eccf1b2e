"""What cost_lines.c must return: callgrind's lines one at a time, from left to right."""

import re
from dataclasses import dataclass, field
from itertools import chain, repeat

from traces.kernels.inputs import Buffer, ReadCounter, advance
from traces.kernels.lines import lines_of

COMPRESSED = re.compile(rb"\((\d+)\)(?: (.*))?", re.DOTALL)
COST_BEGINS = frozenset(b"0123456789+-*")
COST = re.compile(rb"\d{1,18}(?:\.\d{1,9})?")
RELATIVE = re.compile(rb"[+-]\d{1,18}(?:\.\d{1,9})?")
"""The format compresses positions this way; some writers, and speedscope, costs too."""
FILE, FUNCTION, OBJECT = "file", "function", "object"
NAMED_BY = dict.fromkeys((b"fl", b"fi", b"fe", b"cfi", b"cfl", b"jfi"), FILE) | {
    b"ob": OBJECT,
    b"cob": OBJECT,
    b"jfn": FUNCTION,
}
UNNAMED = frozenset({b"fn", b"cfn", b"calls", b"jump", b"jcnd"})
MAX_DIGITS = 18
MAX_EVENTS = 256
"""Valgrind knows about 40; each costs a column."""
SPACE = b" \t\n\v\f\r"

NO_EVENTS = "it does not say which events it counts"
TOO_MANY_EVENTS = f"it counts more than {MAX_EVENTS} events"
OTHER_EVENTS = "its parts count different events"
TOO_MANY_THREADS = "it has too many threads"


class NotCosts(Exception):
    """The text is none of this format; the reason is one of the four above."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class PartRead:
    """What one thread did: functions by name, file and object (rows of the texts), calls by caller and callee."""

    thread: bytes
    events: tuple[bytes, ...]
    functions: dict[tuple[int, int, int], int] = field(default_factory=dict)
    own: list[list[float]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    paid: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    names: dict[str, dict[bytes, bytes]] = field(default_factory=lambda: {FILE: {}, FUNCTION: {}, OBJECT: {}})


@dataclass(slots=True)
class Position:
    """Where a cost line belongs while lines are read; texts by their rows."""

    object: int
    file: int
    inlined: int
    """The file of the code at hand: a callee without a file of its own is in this one."""
    function: int = -1
    callee_object: int = -1
    callee_file: int = -1
    callee: int = -1
    times: int | None = None
    """Set while the next cost line is what a call cost."""


def read_costs(
    data: Buffer, most_parts: int, texts: dict[bytes, int], counter: ReadCounter | None, *, gives_back: bool
) -> tuple[list[PartRead], int, int]:
    """The threads, how many lines were not read, and how many costs below zero were read as 0 (`gives_back`); texts are
    numbered in `texts`. Raises NotCosts."""
    reader = _Reader(texts, most_parts, gives_back=gives_back)
    place = 0
    for line in lines_of(data):
        reader.line(line)
        place += len(line) + 1
        advance(counter, min(place, len(data)))
    return list(reader.parts.values()), reader.unread, reader.given_back


class _Reader:
    def __init__(self, texts: dict[bytes, int], most_parts: int, *, gives_back: bool) -> None:
        self.parts: dict[bytes, PartRead] = {}
        self.unread = self.given_back = 0
        self._gives_back = gives_back
        self._texts = texts
        self._most_parts = most_parts
        self._part: PartRead | None = None
        self._events: tuple[bytes, ...] = ()
        self._thread = b""
        self._positions = 1
        self._at = Position(-1, -1, -1)
        self._costs: list[float] = []

    def line(self, line: bytes) -> None:
        """Read the next line."""
        part = self._part
        if line[:1] and line[0] in COST_BEGINS:
            if part is not None and self._at.function >= 0:
                self._cost(line, part)
            else:
                self.unread += 1
            return
        key, equals, value = line.strip(SPACE).partition(b"=")
        if equals and (key in NAMED_BY or key in UNNAMED):
            self._part = part or self._part_of_line()
            self._specification(key, value, self._part)
        elif b":" in key:
            if self._header(key + equals + value):
                self._part = None
        elif key and key[:1] != b"#":
            self.unread += 1

    def _header(self, line: bytes) -> bool:
        """Whether the line begins another dump or says what its numbers are."""
        key, _, value = line.partition(b":")
        if key == b"events":
            self._events = tuple(value.split())
        elif key == b"positions":
            self._positions = max(1, len(value.split()))
        elif key == b"thread":
            self._thread = value.strip(SPACE)
        else:
            return key in {b"part", b"version"}
        return True

    def _part_of_line(self) -> PartRead:
        if not self._events:
            raise NotCosts(NO_EVENTS)
        if len(self._events) > MAX_EVENTS:
            raise NotCosts(TOO_MANY_EVENTS)
        if self._thread not in self.parts:
            if len(self.parts) >= self._most_parts:
                raise NotCosts(TOO_MANY_THREADS)
            self.parts[self._thread] = PartRead(self._thread, self._events)
        part = self.parts[self._thread]
        if part.events != self._events:
            raise NotCosts(OTHER_EVENTS)
        nothing = self._row(b"")
        self._at = Position(nothing, nothing, nothing)
        return part

    def _row(self, text: bytes) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _name(self, text: bytes, kind: str, part: PartRead) -> int:
        match = COMPRESSED.fullmatch(text)
        if match is None:
            return self._row(text)
        names = part.names[kind]
        if match[2]:
            names[match[1]] = match[2]
        return self._row(names.setdefault(match[1], b"(%b)" % match[1]))

    def _function(self, key: tuple[int, int, int], part: PartRead) -> int:
        number = part.functions.get(key)
        if number is None:
            number = part.functions[key] = len(part.functions)
            part.own.append([0.0] * len(part.events))
            part.times.append(0.0)
        return number

    def _specification(self, key: bytes, text: bytes, part: PartRead) -> None:
        at = self._at
        if key == b"fn":
            at.function = self._function((self._name(text, FUNCTION, part), at.file, at.object), part)
            at.times = None
        elif key == b"cfn":
            file = at.inlined if at.callee_file < 0 else at.callee_file
            holder = at.object if at.callee_object < 0 else at.callee_object
            at.callee = self._function((self._name(text, FUNCTION, part), file, holder), part)
            at.callee_file = at.callee_object = -1
        elif key == b"calls":
            times = (text.split(None, 1) or [b""])[0]
            if at.callee < 0 or not times.isdigit() or len(times) > MAX_DIGITS:
                self.unread += 1
            else:
                at.times = int(times)
        elif key not in {b"jump", b"jcnd"}:
            self._place(key, text, part)

    def _place(self, key: bytes, text: bytes, part: PartRead) -> None:
        at = self._at
        name = self._name(text, NAMED_BY[key], part)  # a jump may be the first to give a name
        if key == b"fl":
            at.file = at.inlined = name
        elif key in {b"fi", b"fe"}:
            at.inlined = name
        elif key == b"ob":
            at.object = name
        elif key == b"cob":
            at.callee_object = name
        elif key in {b"cfi", b"cfl"}:
            at.callee_file = name

    def _cost(self, line: bytes, part: PartRead) -> None:
        fields = line.split()[self._positions :]
        at = self._at
        costs = self._numbers(fields) if len(fields) <= len(part.events) else None
        if costs is None:
            self.unread += 1
            at.times = None
            return
        self._costs = costs
        if at.times is None:
            _add(costs, part.own[at.function])
        else:
            paid = part.paid.setdefault((at.function, at.callee), [0.0] * (len(part.events) + 1))
            _add(costs, paid)
            paid[-1] += at.times
            part.times[at.callee] += at.times
            at.times, at.callee = None, -1

    def _numbers(self, fields: list[bytes]) -> list[float] | None:
        """Costs, of which some may count from those of the line before (`*`: the same); None where one is no cost."""
        costs: list[float] = []
        given_back = 0
        for cost, before in zip(fields, chain(self._costs, repeat(0.0)), strict=False):
            if cost == b"*":
                costs.append(before)
            elif COST.fullmatch(cost):
                costs.append(float(cost))
            elif RELATIVE.fullmatch(cost) and self._gives_back and cost[:1] == b"-":
                costs.append(0.0)
                given_back += 1
            elif RELATIVE.fullmatch(cost):
                costs.append(before + float(cost))
            else:
                return None
            if costs[-1] < 0:
                return None
        self.given_back += given_back
        return costs


def _add(costs: list[float], to: list[float]) -> None:
    for k, cost in enumerate(costs):
        to[k] += cost
