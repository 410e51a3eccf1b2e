"""A trace as detectors look at it: one main profile and what several of them need, computed once and in columns."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from traces.analysis.frame_names import names_of
from traces.analysis.functions import FrameValues, function_values
from traces.analysis.selection import select
from traces.analysis.units import format_value
from traces.analysis.window import node_values, root_total
from traces.equal_rows import distinct
from traces.insights.culprits import OwnCode
from traces.insights.insight import Evidence
from traces.insights.patterns import PATTERNS
from traces.model import NONE, Int32, Int64, Profile, Trace, Values
from traces.unfinished import finished
from traces.values import ProfileKind, Unit

NEGLIGIBLE = 1e-4
"""Nodes with less of the total than this are not walked: their ancestors hold their totals anyway."""
READ_NAMES = 300
"""Names matched against patterns, of the heaviest by self and by total: the rest weighs too little to be a finding."""
COLLECTING = "gc"
"""The category of frames that a recorder knows for its garbage collector's, whatever they are called."""
READ_CHARACTERS = 120
"""What a function is for stands at the beginning of its name, and at the end of its file."""
PATH_IN_NAME = re.compile(r"\s+\(?(?:file|node|https?)?:?[^\s(]*[/\\].*")
"""perf maps write where a function is behind its name: words of a path are not words of the name."""


@dataclass(frozen=True, slots=True)
class HeavyTree:
    """The nodes of the main profile that weigh something, parents first; `node` is the index in the full tree."""

    node: Int64
    frame: Int32
    parent: Int64
    total: npt.NDArray[np.float64]
    own: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, slots=True)
class Category:
    """What the functions of one pattern took with what they call, counted once, and the heaviest entries into it."""

    value: float
    share: float
    entries: tuple[Evidence, ...]


@dataclass(frozen=True)
class Subject:
    """`profile` is the one that detectors of code look at: the trace's default. `before` is an earlier trace to compare
    with, if there is one."""

    trace: Trace
    profile: Profile
    before: Trace | None = None

    @property
    def unit(self) -> Unit:
        return self.profile.unit

    @cached_property
    def total(self) -> float:
        """All of the main profile that is not idle."""
        tree = self.profile.tree
        return root_total(tree, tree.total_values[self.profile.default_value])

    @cached_property
    def frames(self) -> FrameValues:
        """Self, total and count of each frame in the main profile."""
        return function_values(select(self.trace, self.profile.index), node_values(self.profile))

    @cached_property
    def busy_samples(self) -> int:
        """Samples of the main profile that are not idle; 0 for an evented one."""
        samples = self.profile.samples
        return 0 if samples is None else int((samples.leaf >= 0).sum())

    @cached_property
    def heavy(self) -> HeavyTree:
        tree = self.profile.tree
        total = tree.total_values[self.profile.default_value]
        kept = np.flatnonzero(total > NEGLIGIBLE * self.total)
        place = np.full(len(tree) + 1, NONE, np.int64)
        place[kept] = np.arange(len(kept))
        own = tree.self_values[self.profile.default_value]
        return HeavyTree(
            kept,
            tree.frame[kept],
            place[tree.parent[kept]],
            total[kept].astype(np.float64),
            own[kept].astype(np.float64),
        )

    @cached_property
    def own(self) -> OwnCode:
        """The heavy tree seen from the program's own functions."""
        return OwnCode(self.trace, self.heavy)

    @cached_property
    def read_frames(self) -> Int64:
        """The frames whose names are matched against patterns."""
        heaviest = [
            np.argpartition(-column, min(READ_NAMES, len(column) - 1))[:READ_NAMES]
            for column in (self.frames.self_value, self.frames.total_value)
        ]
        return distinct(np.concatenate(heaviest)).astype(np.int64)

    @cached_property
    def _bits(self) -> npt.NDArray[np.int64]:
        """One bit a pattern, for each frame whose name is read; the collector's also where its recorder knows it."""
        bits = np.zeros(len(self.trace.frames), np.int64)
        strings, category = self.trace.strings, self.trace.frames.category
        collecting = [at for at in distinct(category).tolist() if at != NONE and strings[at] == COLLECTING]
        bits[np.isin(category, collecting)] |= 1 << list(PATTERNS).index("garbage-collection")
        read = self.read_frames
        names = [PATH_IN_NAME.sub("", name[:READ_CHARACTERS]) for name in names_of(self.trace, read)]
        files = [(self.trace.frame_file(frame) or "")[-READ_CHARACTERS:] for frame in read.tolist()]
        for bit, pattern in enumerate(PATTERNS.values()):
            bits[read[pattern.match_each(names, files)]] |= 1 << bit
        return bits

    @cached_property
    def _above(self) -> npt.NDArray[np.int64]:
        """The bits of all ancestors of each heavy node. Each round doubles the distance looked up."""
        tree = self.heavy
        own = np.append(self._bits[tree.frame], 0)  # the last row answers for NONE
        up = np.append(tree.parent, NONE)
        found = own.copy()
        while (up[:-1] >= 0).any():
            found |= found[up]
            up = up[up]
        above: npt.NDArray[np.int64] = found[tree.parent]
        return above

    def matching(self, pattern: str) -> npt.NDArray[np.bool_]:
        """Whether each frame is of a pattern."""
        found: npt.NDArray[np.bool_] = (self._bits >> list(PATTERNS).index(pattern)) & 1 == 1
        return found

    def entering(self, pattern: str) -> tuple[Int64, npt.NDArray[np.float64]]:
        """The heavy nodes of a pattern that lie below no other of it, and their totals."""
        bit = 1 << list(PATTERNS).index(pattern)
        rows = np.flatnonzero(self.matching(pattern)[self.heavy.frame] & (self._above & bit == 0))
        return rows, self.heavy.total[rows]

    def category(self, pattern: str, *, own: bool = False) -> Category:
        """What a pattern's functions took; with `own` only by themselves."""
        frames = self.matching(pattern)
        alone = float(self.frames.self_value[frames].sum())
        bit = 1 << list(PATTERNS).index(pattern)
        entering = frames[self.heavy.frame] & (self._above & bit == 0)
        with_callees = float(self.heavy.total[entering].sum())
        value = alone if own else max(alone, with_callees)
        by_frame = self.frames.self_value if own else self.frames.total_value
        chosen = np.flatnonzero(frames)
        order = chosen[np.lexsort((chosen, -by_frame[chosen]))][:3]
        entries = tuple(self.evidence(int(frame), by_frame) for frame in order if by_frame[frame] > 0)
        return Category(value, value / self.total if self.total else 0.0, entries)

    def evidence(self, frame: int, values: Values) -> Evidence:
        """A frame with its part of the total."""
        value = float(values[frame])
        share = value / self.total if self.total else None
        return Evidence(f"f{frame}", self.trace.frame_name(frame), self.amount(value), share)

    def amount(self, value: float) -> str:
        """A value of the main profile as people read it."""
        return format_value(value, self.unit)

    def node_evidence(self, row: int) -> Evidence:
        """A node of the heavy tree."""
        tree = self.heavy
        handle = f"n{self.profile.node_base + int(tree.node[row])}"
        value = float(tree.total[row])
        return Evidence(handle, self.trace.frame_name(int(tree.frame[row])), self.amount(value), value / self.total)

    @cached_property
    def timelines(self) -> tuple[Profile, ...]:
        """Profiles of single calls in time."""
        return tuple(p for p in self.trace.profiles if p.kind is ProfileKind.EVENTED and p.axis.is_time)

    @cached_property
    def timeline(self) -> Profile | None:
        """The calls of the main profile's thread: itself, or the tasks recorded with its samples."""
        main = self.profile
        if main in self.timelines:
            return main
        same = [p for p in self.timelines if (p.pid, p.tid) == (main.pid, main.tid) and (p.pid, p.tid) != ("", "")]
        return same[0] if same else None

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """The frames that timelines use, by exact name."""
        found: dict[str, list[int]] = {}
        if self.timelines:
            for frame in distinct(np.concatenate([p.tree.frame for p in self.timelines])).tolist():
                found.setdefault(self.trace.frame_name(frame), []).append(frame)
        return found

    def spans_of(self, profile: Profile, frames: npt.NDArray[np.bool_]) -> Int64:
        """The calls of some frames (one truth a frame) in a timeline that ended, in preorder."""
        assert profile.spans is not None
        nodes = frames[profile.tree.frame]
        return profile.spans.ended(np.flatnonzero(nodes[profile.spans.node] if nodes.any() else nodes[:0]))

    def frames_named(self, *names: str) -> npt.NDArray[np.bool_]:
        """Which frames have one of these exact names, among those of timelines."""
        chosen = np.zeros(len(self.trace.frames), np.bool_)
        for name in names:
            chosen[self.named.get(name, [])] = True
        return chosen

    @cached_property
    def is_page(self) -> bool:
        """Whether Chrome's events of a page are in the trace."""
        return not self.named.keys().isdisjoint(PAGE_EVENTS)

    @cached_property
    def is_torch(self) -> bool:
        """Whether PyTorch's profiler (Kineto) wrote the trace: its operators and launches, or kernels of a device."""
        if any(name.startswith(TORCH_NAMES) for name in self.named):
            return True
        kernels = (self.category_of(frame) == "kernel" for frames in self.named.values() for frame in frames[:1])
        return any(kernels)

    def category_of(self, frame: int) -> str:
        """What the file calls the kind of a frame; empty where it does not say."""
        index = int(self.trace.frames.category[frame])
        return "" if index == NONE else self.trace.strings[index]

    def span_evidence(self, profile: Profile, span: int) -> Evidence:
        """One call."""
        spans = profile.spans
        assert spans is not None
        name = self.trace.frame_name(int(profile.tree.frame[spans.node[span]]))
        lasted = format_value(int(spans.end[span] - spans.start[span]), profile.axis)
        return Evidence(f"s{profile.span_base + span}", name, lasted)

    def marks(self, *names: str) -> Int64:
        """The moments of instants with one of these names, in order of time; also zero-length calls of that name."""
        instants = self.trace.instants
        times = [np.zeros(0, np.int64)]
        if len(instants.time):
            known = {int(i) for i in distinct(instants.name) if self.trace.strings[int(i)] in names}
            times.append(instants.time[np.isin(instants.name, list(known))])
        frames = self.frames_named(*names)
        if frames.any():
            for profile in self.timelines:
                assert profile.spans is not None
                times.append(profile.spans.start[self.spans_of(profile, frames)].astype(np.int64))
        return np.sort(np.concatenate(times))


TORCH_NAMES = ("aten::", "ProfilerStep", "cudaLaunch", "hipLaunch")
PAGE_EVENTS = frozenset({"RunTask", "FunctionCall", "EvaluateScript", "Layout", "UpdateLayoutTree", "EventDispatch"})


def root_spans(profile: Profile) -> Int64:
    """The calls that nothing recorded called: tasks, where the thread runs tasks. Of one that never ended, those in
    it."""
    spans = profile.spans
    assert spans is not None
    return finished(spans.parent, spans.unfinished, spans.parent < 0)


def durations(profile: Profile, rows: Int64) -> Int64:
    """How long some calls lasted."""
    spans = profile.spans
    assert spans is not None
    return (spans.end[rows] - spans.start[rows]).astype(np.int64)
