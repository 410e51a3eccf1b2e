"""The statement that an ask is answered by: what was recorded of the functions, narrowed, and divided by a key."""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from server.analyst.asks.ask import CALLS_LEFT_OUT, FIRST, LAST, MOMENTS, SINGLE, WORST, Ask, Limit
from server.analyst.asks.named import Subject
from server.analyst.evidence import busy_of
from server.analyst.pseudo_frames import PSEUDO_FRAMES
from server.analyst.queries import query
from server.analyst.wording import CALLS

MARK = "WITH RECURSIVE asked AS"
"""How all of these begin, and none of another kind."""


@cache
def table() -> dict[str, Any]:
    """The statements, and the phrases that their rows are written in."""
    return tomllib.loads(Path(__file__).with_name("ask_statements.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An ask whose names are known. `profiles` are those that it looks at, `window` is in milliseconds."""

    ask: Ask
    frames: tuple[str, ...]
    profiles: tuple[dict[str, Any], ...]
    label: str
    within: Subject | None = None
    thread: Subject | None = None
    window: tuple[float, float] | None = None
    divisor: Subject | None = None
    gone: Subject | None = None
    base: Subject | None = None
    subjects: tuple[Subject, ...] = ()
    is_of_threads: bool = False
    is_elsewhere: bool = False
    """Whether its functions are in no profile that measures what the main one does."""
    is_carried: bool = False
    """Whether what it is asked of was named before, and not in the prompt."""

    @property
    def parts(self) -> tuple["Asked", ...]:
        """The same, asked of each of its functions."""
        return tuple(replace(self, frames=one.frames, label=one.label, subjects=(one,)) for one in self.subjects)

    @property
    def kind(self) -> str:
        return str(self.profiles[0]["kind"])

    @property
    def unit(self) -> str:
        return str(self.profiles[0]["unit"])

    @property
    def counts_calls(self) -> bool:
        return self.profiles[0]["counted"] == CALLS and not self.is_by_samples

    @property
    def needs_calls(self) -> bool:
        asked = {*self.ask.measures}
        return bool(
            asked & SINGLE or self.ask.without in CALLS_LEFT_OUT or ({"first", "last"} & asked) or self.ask.limit
        )

    @property
    def is_by_samples(self) -> bool:
        return self.kind == "sampled" and (self.window is not None or bool({*self.ask.measures} & MOMENTS))


def listed(handles: tuple[str, ...] | list[str]) -> str:
    """What stands in brackets after IN: handles, or a statement that selects them."""
    selects = [one for one in handles if one.startswith("SELECT ")]
    plain = ", ".join(f"'{one}'" for one in handles if one not in selects)
    if not selects:
        return plain
    return " UNION ".join([*selects, *([query("frames_listed").format(handles=plain)] if plain else [])])


def _unit(asked: "Asked") -> str:
    return "ns" if asked.unit == "nanoseconds" else asked.unit


def what_if(asked: "Asked") -> str:
    """The statement for what would be without some functions: of all that is recorded, or of what is asked for."""
    assert asked.gone is not None
    assert asked.ask.what_if is not None
    third, place = (asked.frames, ()) if "share" in asked.ask.measures else ((), asked.frames)
    return str(
        table()["what_if"].format(
            gone=listed(asked.gone.frames),
            place=f"frame IN ({listed(place)})" if place else "TRUE",
            third=f"frame IN ({listed(third)})" if third else "FALSE",
            profiles=listed([row["handle"] for row in asked.profiles]),
            times=f"{asked.ask.what_if.times:g}" if asked.ask.what_if.times else "1e99",
            unit=_unit(asked),
        )
    )


def ranking(asked: "Asked") -> str:
    """The statement for an order of functions: of all, of those below another, or of what another calls."""
    rank = asked.ask.rank
    assert rank is not None
    by = {"self": "self_value", "total": f"total_{_unit(asked)}", "calls": "calls"}[rank.by]
    left_out = " OR ".join(
        [f"frame IN ({listed(asked.gone.frames)})" if asked.gone else "FALSE", f"name IN ({_quoted(_NO_FUNCTIONS)})"]
    )
    known = {
        "of": listed(asked.frames),
        "place": f"frame IN ({listed(asked.within.frames)})" if asked.within else "TRUE",
        "without": left_out,
        "profiles": listed([row["handle"] for row in asked.profiles]),
        "unit": _unit(asked),
        "column": f"self_{_unit(asked)}" if by == "self_value" else by,
        "limit": rank.first + max(rank.number, 1) + FURTHER,
    }
    return str(table()["callees" if rank.of == "callee" else "ranked"].format(**known))


def threads_against(asked: "Asked") -> str:
    """The statement for what makes one of these threads work longer than another: the busiest, and the least busy."""
    rows = by_work(asked)
    most, least = rows[0]["handle"], rows[-1]["handle"]
    known = {"most": most, "least": least, "unit": _unit(asked), "without": _quoted(_NO_FUNCTIONS)}
    return str(table()["threads_against"].format(**known))


def by_work(asked: "Asked") -> list[dict[str, Any]]:
    """The profiles of an ask, the busiest first."""
    return sorted(asked.profiles, key=lambda row: -busy_of(row))


def threads_between(asked: "Asked") -> str:
    """The statement for when threads begin and end."""
    return str(table()["threads_between"].format(profiles=listed([row["handle"] for row in asked.profiles])))


_LEFT_OUT = {WORST: "arg_max(span, dur_ns)", FIRST: "arg_min(span, at_ns)", LAST: "arg_max(span, at_ns)"}
FURTHER = 2
"""Places behind those that are asked for."""
_NO_FUNCTIONS = tuple(sorted(PSEUDO_FRAMES - {"(garbage collector)", "(anonymous)", "<module>"}))


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{one}'" for one in names)


def _touching(window: tuple[float, float] | None, one: str) -> tuple[str, str]:
    """What of a call is in a window, and whether it touches that."""
    if window is None:
        return f"{one}.dur_ns", "TRUE"
    start, end = (f"{edge * 1e6:.0f}" for edge in window)
    at = f"({one}.start_ns - p.start_ms * 1e6)"
    part = f"least({at} + {one}.dur_ns, {end}) - greatest({at}, {start})"
    return part, f"{at} < {end} AND {at} + {one}.dur_ns > {start}"


def _length(limit: Limit) -> str:
    """A limit in nanoseconds, or as many times as what all these calls have."""
    function = {"mean": "avg", "median": "median"}.get(limit.of)
    if function is None:
        return f"{limit.ms * 1e6:.0f}"
    return str(table()["of_average"].format(times=f"{limit.ms:g}", function=function))


def statement(asked: Asked, of: tuple[str, ...]) -> str:
    """The statement for these functions."""
    ask, profiles = asked.ask, listed([row["handle"] for row in asked.profiles])
    key = "caller" if ask.by == "caller" else "profile"
    unit = _unit(asked)
    shared = {
        "profiles": profiles,
        "unit": unit,
        "key": key,
        "key_name": {"caller": "caller_name"}.get(key, key),
    }
    head = table()["nodes"].format(
        of=listed(of),
        within=f"frame IN ({listed(asked.within.frames)})" if asked.within else "FALSE",
        clock=listed([ask.clock]) if ask.clock else profiles,
    )
    in_scope = " AND one.node IN (SELECT node FROM scope) AND one.node NOT IN (SELECT node FROM above)"
    narrowed = f" AND one.frame IN ({listed(of)}){in_scope if asked.within else ''}"
    if asked.is_by_samples:
        start, end = asked.window or (0, 0)
        at = "(one.time_ns - p.start_ms * 1e6)"
        shared |= {
            "window": f" AND {at} >= {start * 1e6:.0f} AND {at} < {end * 1e6:.0f}" if asked.window else "",
            "narrowed": in_scope if asked.within else "",
            "ends": "at_ns + weight" if unit == "ns" else "at_ns",
        }
        return str(head + table()["samples"].format(**shared))
    if asked.kind != "evented":
        exact = "FALSE" if asked.within else "TRUE"
        return str(head + table()["sums"].format(narrowed=narrowed, exact=exact, of=listed(of), **shared))
    part, touches = _touching(asked.window, "one")
    of_inner, touched = _touching(asked.window, "k")
    over = ask.limit and f"{'>' if ask.limit.is_over else '<'} {_length(ask.limit)}"
    calls = table()["calls"].format(
        part=part,
        touches=touches,
        own=f"{part} - coalesce(inside.inner_ns, 0)" if asked.window else "one.self_ns",
        inner=table()["inner"].format(part=of_inner, touches=touched) if asked.window else "",
        narrowed=f"{narrowed} AND {touches}",
        without=table()["left_out"].format(which=_LEFT_OUT[ask.without]) if ask.without in _LEFT_OUT else "",
        percent=f"{(ask.percent or 95) / 100:g}",
        than=over or "> 0",
        begins=f"at_ns >= {asked.window[0] * 1e6:.0f} AND at_ns < {asked.window[1] * 1e6:.0f}"
        if asked.window
        else "TRUE",
        **shared,
    )
    return str(head + calls)
