"""Callgrind, cachegrind and xdebug profiles.

Format: https://valgrind.org/docs/manual/cl-format.html. What a function cost itself is the sum of all its cost lines,
those of inlined code (`fi`, `fe`) too.
"""

import re
from dataclasses import dataclass, field, replace
from itertools import chain, repeat

from traces.builder import TraceBuilder
from traces.formats.call_graph.call_graph import CallGraph
from traces.formats.call_graph.call_paths import paths_of_graph
from traces.formats.time_units import in_unit, unit_named
from traces.values import Counts, ValueType, Waits

EVENT_WITH_UNIT = re.compile(r"(.+?)_?\(((?:[1-9]\d{0,17})?) ?([A-Za-z]+)\)")
COMPRESSED = re.compile(r"\((\d+)\)(?: (.*))?", re.DOTALL)
COST_BEGINS = frozenset("0123456789+-*")
COST = re.compile(r"\d{1,18}(?:\.\d{1,9})?")
RELATIVE = re.compile(r"[+-]\d{1,18}(?:\.\d{1,9})?")
"""The format compresses positions this way; some writers, and speedscope, costs too."""
SPECIFICATIONS = frozenset(
    {"ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "calls", "jump", "jcnd", "jfi", "jfn"}
)
MAX_DIGITS = 18
MAX_EVENTS = 256
"""Valgrind knows about 40; each costs a column."""


@dataclass(slots=True)
class Position:
    """Where a cost line belongs while lines are read."""

    object: str = ""
    file: str = ""
    inlined: str = ""
    """The file of the code at hand: a callee without a file of its own is in this one."""
    function: int = -1
    callee_object: str | None = None
    callee_file: str | None = None
    callee: int = -1
    times: int | None = None
    """Set while the next cost line is what a call cost."""


@dataclass(slots=True)
class Part:
    """What one thread did, from one or several dumps."""

    events: list[str]
    graph: CallGraph
    names: dict[str, dict[str, str]] = field(default_factory=lambda: {"file": {}, "function": {}, "object": {}})


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread, every event a value of it and last the number of calls. Raises DamagedTrace."""
    parts = _Reader(builder).read(str(content, "utf-8", "replace"))
    for thread, part in parts.items():
        named = [_event(name) for name in part.events]
        stacks, leaves, columns = paths_of_graph(part.graph, builder)
        try:
            weights = [in_unit(c, value.unit, f) for c, (value, f) in zip(columns, named, strict=False)]
        except ValueError as error:
            raise builder.damaged(f"{error}.") from error
        values = tuple(value for value, _ in named)
        name = f"{builder.name}, thread {thread}" if len(parts) > 1 else builder.name
        calls = ValueType("calls", unit_named("count")[0])
        facts = replace(
            builder.facts,
            waits=Waits.BOTH if _by_a_clock(values[0]) else Waits.WORK,
            counts=Counts.CALLS if columns[-1].any() else Counts.NONE,  # cachegrind knows no callers
            count_value=len(values) if columns[-1].any() else None,
        )
        builder.add_sampled(
            name, stacks, leaves, [*weights, columns[-1]], values=(*values, calls), tid=thread, facts=facts
        )


def _by_a_clock(value: ValueType) -> bool:
    """xdebug measures time (older versions without saying its unit); Valgrind counts what a processor does."""
    return value.unit.is_time or value.name.startswith("Time")


def _event(name: str) -> tuple[ValueType, int]:
    """`Time_(10ns)` counts tens of nanoseconds; plain names are counts."""
    match = EVENT_WITH_UNIT.fullmatch(name)
    if match is None:
        return ValueType(name, unit_named("count")[0]), 1
    unit, factor = unit_named(match[3])
    return ValueType(match[1], unit), factor * int(match[2][:6] or 1)


class _Reader:
    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._parts: dict[str, Part] = {}
        self._events: list[str] = []
        self._thread = ""
        self._positions = 1
        self._at = Position()
        self._unread = 0
        self._costs: list[float] = []

    def read(self, text: str) -> dict[str, Part]:
        part: Part | None = None
        place = 0
        for line in text.split("\n"):
            place += len(line) + 1
            self._builder.progress.advance(place)
            if line[:1] in COST_BEGINS:
                if part is not None and self._at.function >= 0:
                    self._cost(line, part)
                else:
                    self._unread += 1
                continue
            key, equals, value = line.strip().partition("=")
            if equals and key in SPECIFICATIONS:
                part = part or self._part()
                self._specification(key, value, part)
            elif ":" in key:
                if self._header(key + equals + value):
                    part = None
            elif key and key[0] != "#":
                self._unread += 1
        self._builder.warn("unread_lines", "lines that are cut or malformed were skipped", self._unread)
        return self._parts

    def _header(self, line: str) -> bool:
        """Whether the line begins another dump or says what its numbers are."""
        key, _, value = line.partition(":")
        if key == "events":
            self._events = value.split()
        elif key == "positions":
            self._positions = max(1, len(value.split()))
        elif key == "thread":
            self._thread = value.strip()
        else:
            return key in {"part", "version"}
        return True

    def _part(self) -> Part:
        if not self._events:
            raise self._builder.damaged("it does not say which events it counts.")
        if len(self._events) > MAX_EVENTS:
            raise self._builder.damaged(f"it counts more than {MAX_EVENTS} events.")
        part = self._parts.get(self._thread)
        if part is not None and part.events != self._events:
            raise self._builder.damaged("its parts count different events.")
        if part is None:
            part = self._parts[self._thread] = Part(self._events, CallGraph(len(self._events)))
        self._at = Position()
        return part

    def _name(self, text: str, kind: str, part: Part) -> str:
        match = COMPRESSED.fullmatch(text)
        if match is None:
            return text
        names = part.names[kind]
        if match[2]:
            names[match[1]] = match[2]
        return names.get(match[1], f"({match[1]})")

    def _number(self, name: str, file: str, holder: str, part: Part) -> int:
        key = (name, file, holder)
        number = part.graph.function(key)
        if number is None:
            frame = self._builder.frame(name, file if file and file != "???" else holder or None)
            number = part.graph.add_function(key, frame)
        return number

    def _specification(self, key: str, text: str, part: Part) -> None:
        at = self._at
        if key == "fn":
            at.function = self._number(self._name(text, "function", part), at.file, at.object, part)
            at.times = None
        elif key == "cfn":
            file = at.inlined if at.callee_file is None else at.callee_file
            holder = at.object if at.callee_object is None else at.callee_object
            at.callee = self._number(self._name(text, "function", part), file, holder, part)
            at.callee_file = at.callee_object = None
        elif key == "calls":
            times = text.split(None, 1)[0] if text else ""
            if at.callee < 0 or not times.isdecimal() or len(times) > MAX_DIGITS:
                self._unread += 1
            else:
                at.times = int(times)
        elif key not in {"jump", "jcnd"}:
            self._place(key, text, part)

    def _place(self, key: str, text: str, part: Part) -> None:
        at = self._at
        kind = "object" if key.endswith("ob") else "function" if key == "jfn" else "file"
        name = self._name(text, kind, part)  # a jump may be the first to give a name
        if key == "fl":
            at.file = at.inlined = name
        elif key in {"fi", "fe"}:
            at.inlined = name
        elif key == "ob":
            at.object = name
        elif key == "cob":
            at.callee_object = name
        elif key in {"cfi", "cfl"}:
            at.callee_file = name

    def _cost(self, line: str, part: Part) -> None:
        fields = line.split()[self._positions :]
        at = self._at
        costs = self._numbers(fields) if len(fields) <= part.graph.width else None
        if costs is None:
            self._unread += 1
            at.times = None
            return
        self._costs = costs
        if at.times is None:
            part.graph.add_own(at.function, costs)
        else:
            part.graph.add_call(at.function, at.callee, costs, at.times)
            at.times, at.callee = None, -1

    def _numbers(self, fields: list[str]) -> list[float] | None:
        """Costs, of which some may count from those of the line before (`*`: the same); None where one is no cost."""
        if all(map(COST.fullmatch, fields)):
            return [float(cost) for cost in fields]
        costs: list[float] = []
        for cost, before in zip(fields, chain(self._costs, repeat(0.0)), strict=False):
            if cost == "*":
                costs.append(before)
            elif COST.fullmatch(cost):
                costs.append(float(cost))
            elif RELATIVE.fullmatch(cost):
                costs.append(before + float(cost))
            else:
                return None
        return costs if min(costs) >= 0 else None
