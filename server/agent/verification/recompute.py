"""Figures of functions that an answer names, computed from the trace itself: for what no tool of the turn returned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from server.agent.verification.facts import OF_UNIT
from server.agent.verification.written_numbers import Dimension
from server.quoting import plain
from traces.analysis.functions import FrameValues, function_row, function_values
from traces.analysis.selection import Selection, select
from traces.analysis.thread_time import busy_time
from traces.handles import ALL, ProfileChoice
from traces.model import CallTree, Int32, Profile, Trace, Values
from traces.values import TraceWarning

PROFILES = 6
"""Profiles looked into besides the main one and all of them: the busiest."""

SAME_NAME = 40
"""Frames of one name that are looked at."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One value of a function; `what` says which: `self value of f12 in p0`."""

    value: float
    dimension: Dimension
    what: str
    measure: str


class Recomputation:
    """Answers about one trace, each computed when it is first asked for."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._figures: dict[int, tuple[Figure, ...]] = {}
        self._frames: dict[str, tuple[int, ...]] = {}

    @property
    def warnings(self) -> tuple[TraceWarning, ...]:
        return self._trace.warnings

    def name(self, frame: int) -> str:
        return self._trace.frame_name(frame)

    def frames(self, said: str) -> tuple[int, ...]:
        """The frames that a written name stands for."""
        if said not in self._frames:
            self._frames[said] = tuple(self._named(said))[:SAME_NAME]
        return self._frames[said]

    def figures(self, frame: int) -> tuple[Figure, ...]:
        """The frame's own and total value, shares and count in the main profile, in all, and in the busiest ones."""
        if frame not in self._figures:
            self._figures[frame] = tuple(self._figures_of(frame))
        return self._figures[frame]

    def begins_or_ends_at(self, frame: int, at: float, tolerance: float) -> bool:
        """Whether a call of the frame, or a run of samples with it, begins or ends there (nanoseconds after its
        profile's start).
        """
        for profile in self._trace.profiles:
            if profile.has_times:
                moments = _edges(profile, frame) - profile.axis_start
                if bool((np.abs(moments - at) <= tolerance).any()):
                    return True
        return False

    def on_a_path(self, above: tuple[int, ...], below: tuple[int, ...]) -> bool:
        """Whether one of `above` calls one of `below`, directly or through others, or the other way round."""
        return any(
            _is_under(profile.tree, one, other)
            for profile in self._trace.profiles
            for one, other in ((above, below), (below, above))
        )

    def _figures_of(self, frame: int) -> Iterator[Figure]:
        for chosen, total, values in self._by_profile:
            row = function_row(chosen, frame, values, total)
            dimension, handle = OF_UNIT[chosen.unit], chosen.handle
            if not row.total_value and not row.count:
                continue
            where = f"of f{frame} in {handle}"
            yield Figure(row.self_value, dimension, f"self value {where}", "self")
            yield Figure(row.total_value, dimension, f"total value {where}", "total")
            yield Figure(100 * row.self_share, Dimension.SHARE, f"self share {where}", "self share")
            yield Figure(100 * row.total_share, Dimension.SHARE, f"total share {where}", "total share")
            if row.count is not None:
                yield Figure(float(row.count), Dimension.COUNT, f"{chosen.count_name} {where}", "count")

    @cached_property
    def _by_profile(self) -> list[tuple[Selection, float, FrameValues]]:
        trace = self._trace
        choices: list[ProfileChoice] = [None]
        if len(trace.profiles) > 1:
            busiest = sorted(
                (p for p in trace.profiles if p.index != trace.default_profile),
                key=lambda p: -busy_time(trace, p),
            )
            choices += [ALL, *(profile.index for profile in busiest[:PROFILES])]
        found = []
        for choice in choices:
            chosen = select(trace, choice)
            values = chosen.values()
            found.append((chosen, chosen.total(values), function_values(chosen, values)))
        return found

    def _named(self, said: str) -> Iterator[int]:
        bare = said.removesuffix("()")
        exact = self._by_name.get(bare)
        if exact:
            yield from exact
            yield from self._builtins.get(bare, ())
        elif "…" in bare:
            head, _, tail = bare.partition("…")
            for name, frames in self._by_name.items() if head else ():
                if name.startswith(head) and name.endswith(tail):
                    yield from frames
        elif len(bare) >= 3:
            yield from self._by_last_part.get(bare, ()) or self._ending_in(bare)

    def _ending_in(self, said: str) -> Iterator[int]:
        """`String.charAt` of `java.lang.String:charAt`: names whose last parts are those, whatever stands between."""
        parts = name_parts(said)
        frames = self._by_last_part.get(parts[-1], ()) if len(parts) > 1 else ()
        found = [one for one in frames if _ends_in(name_parts(self._trace.frame_name(one)), parts)]
        yield from found or (one for one in frames if self._is_of_module(one, parts))

    def _is_of_module(self, frame: int, parts: list[str]) -> bool:
        """`ast.parse`, `fs.readFileSync`: a function by the name of the file or the package that it is of."""
        return _is_of_place(name_parts(self._trace.frame_name(frame)), self._trace.frame_file(frame) or "", parts)

    @cached_property
    def _builtins(self) -> dict[str, list[int]]:
        """What is written in C, by the name in its description: there may be others of that name."""
        found: dict[str, list[int]] = {}
        for frame, name in enumerate(self._trace.frame_names):
            if "<" in name and (builtin := _OF_BUILTIN.fullmatch(name)):
                found.setdefault(builtin["function"] or builtin["method"], []).append(frame)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for frame, name in enumerate(self._trace.frame_names):
            found.setdefault(as_written(name), []).append(frame)
        return found

    @cached_property
    def _by_last_part(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for name, frames in self._by_name.items():
            found.setdefault(last_part(name), []).extend(frames)
        return found


_OF_BUILTIN = re.compile(
    r"<built-in (?:method|function) (?P<module>[\w.]+\.)?(?P<function>\w+)>|"
    r"<method '(?P<method>\w+)' of (?:'(?P<type>[\w.]+)')?.*>"
)
"""How cProfile names what is written in C."""
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_GO_RECEIVER = re.compile(r"\.\(\*?[\w.\[\]…]+\)\.")


def as_written(name: str) -> str:
    """A name as an answer can write it: visible characters, no backquotes, no call brackets."""
    simple = name.isascii() and name.isprintable() and len(name) < 1000 and "=" not in name and "@" not in name
    return (name if simple else plain(name, 1000)).replace("`", "'").removesuffix("()")


def last_part(name: str) -> str:
    """What people call a function of a module, class or path: `ord` of `<built-in method builtins.ord>`, `Read` of
    `bufio.(*Reader).Read`, `parse` of `parse (reader.py:12)`."""
    if builtin := _OF_BUILTIN.fullmatch(name):
        return builtin["function"] or builtin["method"]
    name = _GO_RECEIVER.sub(".", name)
    head = _OFFSET.sub("", name.partition("(")[0]).strip() or name
    return re.split(r"[.:#/]|->", head)[-1] or name


def _ends_in(own: list[str], parts: list[str]) -> bool:
    """Whether the last words of a name are these; `HandleTable` may be `ObjectOutputStream$HandleTable`."""
    last = own[-len(parts) :]
    return last == parts or (last[1:] == parts[1:] and last[:1] != [] and last[0].endswith(f"${parts[0]}"))


def _is_of_place(own: list[str], file: str, parts: list[str]) -> bool:
    """Whether parts of a written name before the function's own are the last of its file's path: a private module
    (`re/_compiler.py`) is of its package."""
    if own[-1:] != parts[-1:] or len(own) >= len(parts):
        return False
    places = [re.sub(r"\.\w+$", "", one) for one in re.split(r"[/\\:]", file)]
    places = [one for one in places if one and not one.startswith("_")]
    return places[len(places) - len(parts) + len(own) :] == parts[: -len(own)]


def is_written(name: str, file: str, said: str) -> bool:
    """Whether a written name of several parts, a receiver, class or module and a function, is that of a function."""
    parts = name_parts(said)
    own = name_parts(name)
    return len(parts) > 1 and (_ends_in(own, parts) or _is_of_place(own, file, parts))


def name_parts(name: str) -> list[str]:
    """The words of a function's name before its arguments: package, class, function."""
    if builtin := _OF_BUILTIN.fullmatch(name):
        name = f"{builtin['module'] or builtin['type'] or ''}.{builtin['function'] or builtin['method']}"
    head = _GO_RECEIVER.sub(lambda found: f".{found[0].strip('.(*)')}.", name).partition("(")[0]
    return re.findall(r"[\w$<>~-]+", head.replace("->", "."))


def _edges(profile: Profile, frame: int) -> Values:
    """Where calls of the frame, or runs of samples with it, begin and end."""
    inside = profile.tree.levels.at_or_below(profile.tree.frame == frame)
    if profile.spans is not None:
        of_frame = profile.tree.frame[profile.spans.node] == frame
        return np.concatenate([profile.spans.start[of_frame], profile.spans.end[of_frame]])
    samples = profile.samples
    assert samples is not None
    present = np.append(inside, np.False_)[samples.leaf]
    changes = np.flatnonzero(np.diff(np.concatenate([[False], present, [False]])))
    return np.append(samples.time, profile.axis_end)[changes]


def _is_under(tree: CallTree, above: tuple[int, ...], below: tuple[int, ...]) -> bool:
    is_above = np.isin(tree.frame, above)
    nodes: Int32 = tree.parent[np.isin(tree.frame, below)]
    while True:
        nodes = nodes[nodes >= 0]
        if not len(nodes):
            return False
        if is_above[nodes].any():
            return True
        nodes = np.unique(tree.parent[nodes])
