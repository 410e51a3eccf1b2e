"""What a turn's tools returned, as numbers with a dimension and names: what an answer is verified by.

Numbers are read from the texts (as printed, so with the precision of their last digit) and from the data behind them
(exact). Each remembers of which functions it speaks, so that one function's figure does not prove another's. Quoted
strings are the trace's own words: they give names and never numbers, so a function called `99% of 5 s` proves nothing.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage

from server.agent.outside.outside_text import is_outside
from server.agent.verification.factors import factors
from server.agent.verification.written_numbers import Dimension, Mention, mentions
from traces.values import Unit

QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
OF_UNIT = {Unit.NANOSECONDS: Dimension.TIME, Unit.BYTES: Dimension.BYTES, Unit.COUNT: Dimension.COUNT}
OF_MEMORY = frozenset({"core_memory_append", "core_memory_replace", "manage_memories"})
"""Tools whose results are people's words: what they say of figures, this trace does not verify."""
NOBODY: frozenset[str] = frozenset()

_MEASURED = frozenset(
    {"self_value", "total_value", "recorded_total", "whole", "duration", "total", "value", "hidden", "average"}
) | {
    "least",
    "median",
    "p99",
    "longest",
    "busy",
    "mean",
}
_WHOLES = frozenset({"whole", "duration", "duration_ns", "total"})
_MOMENTS = frozenset({"start", "end", "length"})
_FACTORS = frozenset({"ratio", "factor", "speedup", "times"})
_OUR_WORDS = frozenset({"amount", "detail", "advice", "text", "note"})
"""Keys of strings that we wrote, the trace's words in them quoted."""


@dataclass(frozen=True, slots=True)
class Fact:
    """`value` in the dimension's base unit; `about` are the functions it speaks of (none: the trace, a window);
    `source` says where it stands: `self_value of get_top_functions`, `key` what a row calls it."""

    value: float
    half_digit: float
    call: str | None
    about: frozenset[str]
    source: str
    key: str = ""


def _in_all(side: Any) -> float:
    return float(side.get("whole") or 0.0) if isinstance(side, dict) else 0.0


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison that a tool made: each function with its status (`grew`, `new` and so on) and the change of its own
    value; `sides` has each function's value and share, its own and with callees, before and after, `totals` what both
    recordings have in all."""

    is_related: bool
    rows: tuple[tuple[str, str, float], ...]
    sides: Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]] = field(default_factory=dict)
    totals: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Development:
    """How a measure developed over recordings: its levels before and after a change, in the dimension's base unit, from
    which recording on it is so (of those of these `names`), and by how many percent."""

    before: float
    after: float
    dimension: Dimension
    percent: float
    since: str | None
    names: frozenset[str]
    call: str | None
    is_sure: bool = True
    """More than chance."""


@dataclass(slots=True)
class Facts:
    """Numbers by dimension, factors between two, totals that shares are parts of, names with the call that returned
    them (`functions` and `profiles` those of such), places as (file, line), and `rankings`: the self values and shares
    of each list of functions, in order.
    """

    numbers: dict[Dimension, list[Fact]] = field(default_factory=lambda: {dimension: [] for dimension in Dimension})
    factors: list[Fact] = field(default_factory=list)
    totals: list[tuple[float, Dimension]] = field(default_factory=list)
    names: dict[str, str | None] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    profiles: dict[str, str | None] = field(default_factory=dict)
    places: dict[tuple[str, int | None], str | None] = field(default_factory=dict)
    rankings: list[tuple[str, Dimension, list[float], list[float]]] = field(default_factory=list)
    comparisons: list[Compared] = field(default_factory=list)
    developments: list[Development] = field(default_factory=list)
    _sorted: dict[Dimension, tuple[list[float], list[int], float]] = field(default_factory=dict)
    _by_name: dict[tuple[str, Dimension], list[Fact]] | None = None

    def near(self, mention: Mention) -> list[Fact]:
        """Facts of the dimension that may be what was written, in the order in which they came."""
        slack = self._ordered(mention.dimension)[2]
        reach = max(slack, mention.half_digit) + mention.half_digit + abs(mention.value) * 1e-8
        return self.between(mention.dimension, mention.value - reach, mention.value + reach)

    def between(self, dimension: Dimension, low: float, high: float) -> list[Fact]:
        """Facts of a dimension with a value between two, in the order in which they came."""
        values, places, _ = self._ordered(dimension)
        found = places[bisect_left(values, low) : bisect_right(values, high)]
        return [self.numbers[dimension][place] for place in sorted(found)]

    def of_function(self, name: str, dimension: Dimension) -> list[Fact]:
        """Facts that are of this function alone."""
        if self._by_name is None:
            self._by_name = {}
            for each, facts in self.numbers.items():
                for fact in facts:
                    if len(fact.about) == 1:
                        self._by_name.setdefault((next(iter(fact.about)), each), []).append(fact)
        return self._by_name.get((name, dimension), [])

    def _ordered(self, dimension: Dimension) -> tuple[list[float], list[int], float]:
        facts = self.numbers[dimension]
        known = self._sorted.get(dimension)
        if known is None or len(known[1]) != len(facts):
            places = sorted(range(len(facts)), key=lambda place: facts[place].value)
            slack = max((fact.half_digit for fact in facts), default=0.0)
            known = [facts[place].value for place in places], places, slack
            self._sorted[dimension] = known
        return known

    def add_text(self, text: str, call: str | None, source: str) -> None:
        """A tool's words: every line speaks of the functions that it quotes."""
        for line in text.splitlines():
            quoted = []
            for literal in QUOTED.findall(line):
                try:
                    quoted.append(json.loads(literal))
                except ValueError:
                    continue
            for name in quoted:
                self.names.setdefault(name, call)
            about = frozenset(full for name in quoted if (full := self._function(name)))
            bare = QUOTED.sub(lambda found: " " * len(found[0]), line)
            self.factors += [Fact(one.value, one.half_digit, call, about, source) for one in factors(bare)]
            for mention in mentions(bare):
                self.numbers[mention.dimension].append(Fact(mention.value, mention.half_digit, call, about, source))

    def _function(self, name: str) -> str | None:
        if name in self.functions or "…" not in name:
            return name if name in self.functions else None
        head, _, tail = name.partition("…")
        return next((full for full in self.functions if full.startswith(head) and full.endswith(tail)), None)

    def add_data(self, data: Any, call: str | None, source: str, unit: Unit | None = None) -> None:
        """Walk a tool's data; a `unit` next to values says what they measure, a `name` of whom they speak."""
        waiting: list[tuple[Any, Unit | None, frozenset[str]]] = [(data, unit, NOBODY)]
        while waiting:
            value, inherited, about = waiting.pop()
            if isinstance(value, list):
                self.numbers[Dimension.COUNT].append(Fact(float(len(value)), 0.0, call, NOBODY, source))
                self._add_ranking(value, inherited, source)
                waiting += [(item, inherited, about) for item in value]
            elif isinstance(value, dict):
                own = Unit(value["unit"]) if value.get("unit") in set(Unit) else inherited
                whom = about | self._speaks_of(value)
                self._add_row(value, own, call, whom, source)
                waiting += [(inner, own, whom) for inner in value.values() if isinstance(inner, dict | list)]

    def add_comparison(self, data: dict[str, Any]) -> None:
        """What compare_traces returned."""
        rows = [row for row in data.get("rows", ()) if isinstance(row, dict) and isinstance(row.get("change"), dict)]
        self.comparisons.append(
            Compared(
                bool(data.get("related", True)),
                tuple(
                    (str(row.get("name")), str(row.get("status")), row["change"].get("self_value", 0.0)) for row in rows
                ),
                {str(row.get("name")): (row.get("before") or {}, row.get("after") or {}) for row in rows},
                (_in_all(data.get("before")), _in_all(data.get("after"))),
            )
        )

    def _speaks_of(self, row: dict[str, Any]) -> frozenset[str]:
        inner = row.get("frame")
        named = inner if isinstance(inner, dict) else row
        name, handle = named.get("name"), str(named.get("frame_handle") or named.get("handle") or "")
        if not isinstance(name, str) or handle[:1] not in ("f", "n", "s"):
            return NOBODY
        self.functions.add(name)
        return frozenset({name})

    def _add_ranking(self, rows: list[Any], unit: Unit | None, source: str) -> None:
        ranked = [row for row in rows if isinstance(row, dict) and {"self_value", "self_share"} <= row.keys()]
        if len(ranked) > 1 and unit is not None and all(row["self_value"] is not None for row in ranked):
            values = [float(row["self_value"]) for row in ranked]
            self.rankings.append((source, OF_UNIT[unit], values, [100.0 * row["self_share"] for row in ranked]))

    def add_development(self, data: dict[str, Any], call: str | None) -> None:
        """Of a result over recordings, and of its groups."""
        names = frozenset(str(one["name"]) for one in data.get("points", []) if "name" in one)
        for key, value in data.items():
            after = key.replace("before_", "after_", 1)
            if key.startswith("before_") and key != "before_runs" and after in data and "growth_share" in data:
                dimension, scale = measures(key, None)
                levels = float(value) * scale, float(data[after]) * scale
                percent, is_sure = 100.0 * abs(float(data["growth_share"])), "after_runs" in data
                since = data.get("since")
                self.developments.append(Development(*levels, dimension, percent, since, names, call, is_sure))
        for group in data.get("groups", []):
            self.add_development(group | {"points": data.get("points", [])}, call)

    def _add_row(
        self, row: dict[str, Any], unit: Unit | None, call: str | None, about: frozenset[str], source: str
    ) -> None:
        if isinstance(row.get("name"), str):
            self.names.setdefault(row["name"], call)
            if str(row.get("handle", ""))[:1] == "p":
                self.profiles.setdefault(row["name"], call)
        if isinstance(row.get("file"), str):
            self.places.setdefault((row["file"], row.get("line")), call)
        for key, value in row.items():
            if isinstance(value, str) and key in _OUR_WORDS:
                self.add_text(value, call, source)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            dimension, scale = measures(key, unit)
            where = f"{key} of {source}" if source else key
            fact = Fact(abs(value) * scale, 0.0, call, about, where, key)
            self.numbers[dimension].append(fact)
            if key.rpartition("_")[2] in _FACTORS:
                self.factors.append(fact)
            if key in _MOMENTS and dimension is not Dimension.TIME:
                self.numbers[Dimension.TIME].append(fact)
            if key in _WHOLES:
                self.totals.append((float(value), dimension))


def measures(key: str, unit: Unit | None) -> tuple[Dimension, float]:
    """The dimension of the number behind a key, and what it is multiplied with."""
    if key.endswith("share"):
        return Dimension.SHARE, 100.0
    if key.endswith("_ns"):
        return Dimension.TIME, 1.0
    if key.endswith("_ms"):
        return Dimension.TIME, 1e6
    if key.endswith("_bytes"):
        return Dimension.BYTES, 1.0
    return (OF_UNIT[unit], 1.0) if key in _MEASURED and unit is not None else (Dimension.COUNT, 1.0)


def gathered(messages: Sequence[AnyMessage], known: dict[str, Any]) -> Facts:
    """Facts of every tool result in the conversation, the turn's own first, and of what the model was given at the
    start.
    """
    facts = Facts()
    for message in reversed(messages):
        if isinstance(message, ToolMessage) and message.name not in OF_MEMORY and not is_outside(message.text):
            source = message.name or "a tool"
            if isinstance(message.artifact, dict):
                data = message.artifact.get("data")
                facts.add_data(data, message.tool_call_id, source)
                if isinstance(data, dict) and "growth_share" in data:
                    facts.add_development(data, message.tool_call_id)
                if isinstance(data, dict) and "related" in data:
                    facts.add_comparison(data)
                asked = message.artifact.get("arguments") or {}
                windows = {key: value for key, value in asked.items() if key.endswith("_ms")}
                facts.add_data(windows, message.tool_call_id, source)
            facts.add_text(message.text, message.tool_call_id, source)
    facts.add_data(known, None, "the trace's summary")
    return facts
