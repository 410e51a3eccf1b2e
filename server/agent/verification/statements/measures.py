"""What a trace says of a function: each measure of it, in the profiles that a statement may mean."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from server.agent.verification.facts import OF_UNIT
from server.agent.verification.written_numbers import Dimension
from traces.analysis.functions import FrameValues, function_values
from traces.analysis.recorded_edges import RecordedEdges, recorded_edges
from traces.analysis.selection import Selection, select
from traces.analysis.thread_time import busy_time
from traces.analysis.units import format_share, format_value
from traces.analysis.window import NodeValues, Window
from traces.handles import ALL, ProfileChoice
from traces.lazy_regex import lazy_regex
from traces.model import CallTree, Trace, Values
from traces.values import Clock, Counts, ProfileKind, Unit

OTHERS = 6
"""Profiles besides the main one and all of them that a figure without a thread is looked up in: the busiest."""

Mask = npt.NDArray[np.bool_]

WITH_CALLEES = "samples with callees"
"""Samples in which a function is on the stack; `samples` are those of its own."""


HARDLY = 0.2
"""Part of its heaviest namesake's total from which a function may be meant by their name."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`what` says which: `self of parse in p0`; `measure` is `self`, `total`, `self share`, `total share`, `calls`,
    `samples`, `mean`, `longest`, `least` or `percentile`."""

    value: float
    dimension: Dimension
    measure: str
    what: str
    written: str


@dataclass(frozen=True)
class Scope:
    """One selection with its values by node and by frame, computed once."""

    chosen: Selection
    frames: int
    window: Window | None = None

    @cached_property
    def by_node(self) -> NodeValues:
        return self.chosen.values(self.window)

    @cached_property
    def by_frame(self) -> FrameValues:
        return function_values(self.chosen, self.by_node, self.window)

    @cached_property
    def total(self) -> float:
        return self.chosen.total(self.by_node)

    @property
    def tree(self) -> CallTree:
        return self.chosen.tree

    @property
    def dimension(self) -> Dimension:
        return OF_UNIT[self.chosen.unit]

    @cached_property
    def self_order(self) -> list[int]:
        """Frames that have a value of their own, the largest first."""
        return _largest(self.by_frame.self_value)

    @cached_property
    def total_order(self) -> list[int]:
        return _largest(self.by_frame.total_value)

    @cached_property
    def count_order(self) -> list[int]:
        return _largest(self.by_frame.count)

    def heavy(self, frames: tuple[int, ...]) -> tuple[int, ...]:
        """Of functions of one name those that may be meant where nothing says which: not what hardly weighs next to
        another."""
        most = max(float(self.by_frame.total_value[one]) for one in frames)
        return tuple(one for one in frames if float(self.by_frame.total_value[one]) >= HARDLY * most)

    def mask(self, frames: Sequence[int]) -> Mask:
        """The nodes of these frames."""
        return np.isin(self.tree.frame, np.asarray(frames, np.int32))

    def under(self, above: Mask | None, frames: Sequence[int]) -> tuple[float, float]:
        """What frames spend themselves, and with callees (nested once), everywhere or at and below some nodes. What one
        function takes everywhere is exact; of several in estimated paths, where the others lie in one, too."""
        own, total = self._on_paths(above, frames)
        if above is not None or self._edges is None:
            return own, total
        for frame in frames:
            if len(frames) == 1 or math.isclose(self._on_paths(None, (frame,))[1], total):
                return float(self.by_frame.self_value[list(frames)].sum()), float(self.by_frame.total_value[frame])
        return own, total

    @cached_property
    def _edges(self) -> RecordedEdges | None:
        return recorded_edges(self.chosen, self.window)

    def _on_paths(self, above: Mask | None, frames: Sequence[int]) -> tuple[float, float]:
        mine = self.mask(frames)
        if above is not None:
            mine = mine & self.tree.levels.at_or_below(above)
        inside = self.tree.levels.at_or_below(mine)
        parent = self.tree.parent
        outer = mine & ~(inside[parent] & (parent >= 0))
        return float(self.by_node.self_value[mine].sum()), float(self.by_node.total_value[outer].sum())

    def written(self, value: float) -> str:
        return format_value(value, self.chosen.unit)


_ENDING = lazy_regex(
    r"\.(?:py|js|ts|tsx|jsx|mjs|java|kt|go|rs|rb|php|c|cc|cpp|h|hpp|so(?:\.\d+)*|dll|dylib|jar|cs|hs|ex|erl)$",
    re.IGNORECASE,
)
_SEPARATORS = lazy_regex(r"[/\\:.\-!@]|\.so")


def path_parts(path: str) -> list[str]:
    """The words of a path or a package, in small letters and without the file's ending."""
    return [one for one in _SEPARATORS.split(_ENDING.sub("", path).casefold()) if one]


def has_ending(path: str) -> bool:
    """Whether it is written as a source file or a library is."""
    return _ENDING.search(path) is not None


def _largest(values: Values) -> list[int]:
    present = np.flatnonzero(values > 0)
    order: list[int] = present[np.argsort(-values[present], kind="stable")].tolist()
    return order


class Measures:
    """Answers about one trace, each computed when it is first asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._scopes: dict[object, Scope] = {}
        self._found: dict[tuple[tuple[int, ...], str], tuple[Measured, ...]] = {}
        self._lasts: dict[tuple[int, ...], Values] = {}

    def scope(self, choice: ProfileChoice, window: tuple[float, float] | None = None) -> Scope:
        """The main profile, all of them (`ALL`) or one by its index; of a time range after its start only where it has
        times."""
        key = ("main" if choice is None else choice), window
        if key not in self._scopes:
            chosen = select(self.trace, choice)
            inside = None
            on_one_clock = len(chosen.profiles) == 1 or all(p.clock is Clock.TRACE for p in chosen.profiles)
            start = chosen.axis_start
            is_timed = chosen.has_times and on_one_clock
            if window is not None and is_timed and window[0] < min(window[1], chosen.axis_end - start):
                inside = Window(start + window[0], min(start + window[1], chosen.axis_end))
            self._scopes[key] = Scope(chosen, len(self.trace.frames), inside)
        return self._scopes[key]

    def flow(self, a: tuple[int, ...], b: tuple[int, ...], scope: Scope) -> float:
        """What `b` takes with callees where `a` calls it directly."""
        parent, callees = scope.tree.parent, scope.mask(b)
        from_a = np.append(scope.mask(a), np.False_)[parent]
        return float(scope.by_node.total_value[callees & from_a & (parent >= 0) & (scope.tree.outermost == 1)].sum())

    def inside(self, a: tuple[int, ...], b: tuple[int, ...], scope: Scope) -> tuple[tuple[float, Dimension], ...]:
        """What `b` takes below `a`: itself, with callees, where `a` calls it directly; and its samples or calls."""
        above, of_b = scope.mask(a), scope.mask(b)
        below = of_b & scope.tree.levels.at_or_below(above)
        parent = scope.tree.parent
        direct = of_b & (parent >= 0) & above[parent]
        covered = scope.tree.levels.at_or_below(below)
        counts = [float(scope.by_node.count[nodes].sum()) for nodes in (below, direct, covered)]
        values = [*scope.under(above, b), self.flow(a, b, scope)]
        return *((value, scope.dimension) for value in values), *((count, Dimension.COUNT) for count in counts)

    @cached_property
    def unnamed(self) -> tuple[Scope, ...]:
        """What a statement without a thread means: the main profile, or all that measure the same."""
        choices: list[ProfileChoice] = [None] if len(self.trace.profiles) == 1 else [None, ALL]
        return tuple(self.scope(one) for one in choices)

    @cached_property
    def others(self) -> tuple[Scope, ...]:
        """The busiest other profiles: a figure of one of these is not wrong, but it is of that profile."""
        busiest = sorted(
            (p for p in self.trace.profiles if p.index != self.trace.default_profile),
            key=lambda p: -busy_time(self.trace, p),
        )
        return tuple(self.scope(p.index) for p in busiest[:OTHERS])

    def of_home(self, frames: Sequence[int], usual: Sequence[Scope]) -> Sequence[Scope]:
        """The profiles in which some functions are where none is in the usual ones: a task of another thread."""
        if not frames or any((one.by_frame.total_value[list(frames)] > 0).any() for one in usual):
            return usual
        homes = [one for one in self.trace.profiles if np.isin(one.tree.frame, frames).any()]
        busiest = sorted(homes, key=lambda one: -float(one.tree.self_values[one.default_value].sum()))
        return tuple(self.scope(one.index) for one in busiest[:OTHERS]) or usual

    @cached_property
    def other_values(self) -> tuple[tuple[str, Scope], ...]:
        """The main profile by its other values, by name: what was allocated where it shows what is in use."""
        main = self.trace.profiles[self.trace.default_profile]
        names = [value.name for at, value in enumerate(main.values) if at != main.default_value][:OTHERS]
        frames = len(self.trace.frames)
        return tuple((name, Scope(select(self.trace, None, value=name), frames)) for name in names)

    @cached_property
    def files(self) -> frozenset[str]:
        """Every file that a function of the trace is in."""
        every = (self.trace.frame_file(frame) for frame in range(len(self.trace.frames)))
        return frozenset(file for file in every if file)

    @cached_property
    def frames_by_place(self) -> dict[str, tuple[int, ...]]:
        """The functions below each folder and in each file, by its name in small letters and without its ending."""
        found: dict[str, list[int]] = {}
        for frame in range(len(self.trace.frames)):
            for part in set(path_parts(self.trace.frame_file(frame) or "")):
                found.setdefault(part, []).append(frame)
        return {part: tuple(frames) for part, frames in found.items()}

    def measuring(self, dimension: Dimension) -> tuple[Scope, ...]:
        """The profiles of a dimension, where a statement means one that the main profile does not have; else the main
        one."""
        if any(scope.dimension is dimension for scope in self.unnamed):
            return self.unnamed
        return tuple(scope for scope in self.others if scope.dimension is dimension) or self.unnamed

    def of(self, frames: tuple[int, ...], scope: Scope) -> tuple[Measured, ...]:
        """Every measure of a function; of several that share its name those of each, and of all of them."""
        key = (frames, f"{scope.chosen.handle} {scope.chosen.value} {scope.window}")
        if key not in self._found:
            groups = [(frame,) for frame in frames[:4]] + ([frames] if len(frames) > 1 else [])
            self._found[key] = tuple(one for group in groups for one in self._of(group, scope))
        return self._found[key]

    def _of(self, frames: tuple[int, ...], scope: Scope) -> Iterator[Measured]:
        rows, handle = scope.by_frame, scope.chosen.handle
        own = float(sum(rows.self_value[frame] for frame in frames))
        total = float(rows.total_value[frames[0]]) if len(frames) == 1 else scope.under(None, frames)[1]
        where = f"of {'+'.join(f'f{frame}' for frame in frames[:3])} in {handle}"
        for measure, value in (("self", own), ("total", total)):
            yield Measured(value, scope.dimension, measure, f"{measure} value {where}", scope.written(value))
            share = value / scope.total if scope.total else 0.0
            yield Measured(
                100 * share, Dimension.SHARE, f"{measure} share", f"{measure} share {where}", format_share(share)
            )
        counts = scope.chosen.counts
        if counts is not Counts.NONE:
            count = int(sum(rows.count[frame] for frame in frames))
            measure = "calls" if counts is Counts.CALLS else "samples"
            yield Measured(float(count), Dimension.COUNT, measure, f"{scope.chosen.count_name} {where}", f"{count:,}")
            if counts is Counts.SAMPLES:
                below = scope.tree.levels.at_or_below(scope.mask(frames))
                many = int(scope.by_node.count[below].sum())
                yield Measured(float(many), Dimension.COUNT, WITH_CALLEES, f"samples below {where}", f"{many:,}")
            if counts is Counts.CALLS and count:
                for value in {total / count, own / count}:
                    what = f"value a call {where}"
                    yield Measured(value, scope.dimension, "mean", what, scope.written(value))
        lasts = self.lasts(frames, scope) if scope.window is None else np.zeros(0)
        if len(lasts):
            for measure, value in (
                ("longest", float(lasts[-1])),
                ("least", float(lasts[0])),
                ("mean", float(lasts.mean())),
            ):
                yield Measured(value, Dimension.TIME, measure, f"{measure} call {where}", _time(value))

    def lasts(self, frames: tuple[int, ...], scope: Scope) -> Values:
        """How long single calls took, in order; none where calls are not known one by one."""
        if scope.chosen.kind is not ProfileKind.EVENTED or scope.chosen.axis is not Unit.NANOSECONDS:
            return np.zeros(0)
        key = (*frames, hash(scope.chosen.handle))
        if key not in self._lasts:
            parts = []
            for profile in scope.chosen.profiles:
                assert profile.spans is not None
                rows = np.flatnonzero(np.isin(profile.tree.frame, frames)[profile.spans.node])
                rows = profile.spans.ended(rows)
                parts.append(profile.spans.end[rows] - profile.spans.start[rows])
            self._lasts[key] = np.sort(np.concatenate(parts))
        return self._lasts[key]

    def percentile(self, frames: tuple[int, ...], scope: Scope, percent: float) -> Measured | None:
        """The least duration that so many of 100 calls do not exceed (nearest rank, as in `call_durations`)."""
        lasts = self.lasts(frames, scope)
        if not len(lasts):
            return None
        at = (len(lasts) - 1) // 2 if percent == 50 else int(-(-percent * len(lasts) // 100)) - 1
        value = float(lasts[min(max(at, 0), len(lasts) - 1)])
        what = "median call" if percent == 50 else f"p{percent:g} of calls"
        return Measured(value, Dimension.TIME, "percentile", what, _time(value))


def _time(value: float) -> str:
    return format_value(value, Unit.NANOSECONDS)
