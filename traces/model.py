"""The columnar trace: every other module reads it, only `builder` makes it.

A frame is a function as it appears in stacks; a node is a frame at one path of a profile's call tree; a span is one
timed call; a sample is a stack (its leaf node) with weights. Indices are int32 and local to their profile unless said
otherwise; -1 means "none". Time is int64 nanoseconds from the trace's own zero (its earliest moment), so that float64
holds it exactly. Weights that are not time are float64.

Handles, unique in the trace and the same for the same bytes: `f12` frame, `p0` profile, `n345` node
(`Profile.node_base` plus the local index), `s678` span (`Profile.span_base` plus the local index).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from traces.edges import Edges, no_edges
from traces.kernels.columns import pick
from traces.kernels.spans import no_rows, no_times, self_durations
from traces.levels import Levels, levels_of
from traces.unchecked import unchecked
from traces.unfinished import leave_out, never_ended, outermost_ended
from traces.values import Clock, Counts, Facts, Order, ProfileKind, Role, RoleRule, TraceWarning, Unit, ValueType, Waits

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Values = npt.NDArray[Any]
"""One number a row: int64 when the unit is time, float64 otherwise."""

NONE = -1
"""Index of nothing: the parent of a root, the leaf of an idle sample, an unknown line."""


@dataclass(frozen=True, slots=True)
class Strings:
    """Interned text: string `i` is `arena[offsets[i]:offsets[i + 1]]`, UTF-8."""

    arena: UInt8
    offsets: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        return self.arena[self.offsets[index] : self.offsets[index + 1]].tobytes().decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Frames:
    """One row a frame, in order of first appearance. `file`, `category` index `Strings` or are -1; `line`, `column`
    are 1-based or -1."""

    name: Int32
    file: Int32
    line: Int32
    column: Int32
    category: Int32

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True)
class CallTree:
    """Nodes with parents first (`parent[i] < i`, roots -1). `self_values[k][i]` and `total_values[k][i]` belong to
    `Profile.values[k]`.

    No two nodes share parent and frame. `count` is what `Profile.counts` says: calls of the node, or samples and events
    whose innermost frame it is; zeros where the file has none. `outermost` is 1 where no ancestor has the same frame:
    totals per frame sum these only, so that recursion counts once.
    """

    frame: Int32
    parent: Int32
    depth: Int32
    count: Int64
    outermost: UInt8
    self_values: tuple[Values, ...]
    total_values: tuple[Values, ...]

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def levels(self) -> Levels:
        """The nodes by depth, sorted once."""
        return levels_of(self.depth, self.parent)


@dataclass(frozen=True, slots=True)
class Samples:
    """In order of `time`, where each sample begins on the profile's axis (sums lie end to end, which is no moment:
    `Profile.order`); `weights[k]` belongs to `Profile.values[k]`; `leaf` -1 is idle."""

    time: Values
    leaf: Int32
    weights: tuple[Values, ...]

    def __len__(self) -> int:
        return len(self.leaf)


@dataclass(frozen=True)
class Spans:
    """In preorder (each span before its children, siblings in time order), properly nested.

    `node_depth` is the depth of each node. `args_offset`/`args_length` point into the decompressed source (0 length:
    none). `unfinished` are the rows of spans without an end: they are drawn to `end` and left out of sums.
    `running` is for how many nanoseconds of each its thread was on a processor: -1 where the file does not say, no rows
    where it says it of none.
    """

    start: Values
    end: Values
    parent: Int32
    node: Int32
    node_depth: Int32
    args_offset: Int64
    args_length: Int32
    unfinished: Int32 = field(default_factory=no_rows)
    running: Int64 = field(default_factory=no_times)

    @classmethod
    def known(cls, *, depth: Int32, self_value: Values, **columns: Any) -> Self:
        """With all columns, and those that are else reckoned when somebody asks for them."""
        return unchecked(cls, depth=depth, self_value=self_value, **columns)

    @cached_property
    def depth(self) -> Int32:
        """How many spans hold each one."""
        return pick(self.node_depth, self.node)

    @cached_property
    def self_value(self) -> Values:
        """What each spent outside its children; nothing where it is unfinished."""
        own = self_durations(self.start, self.end, self.parent)
        leave_out(own, self.parent, self.unfinished)
        return own

    @cached_property
    def never_ended(self) -> npt.NDArray[np.bool_]:
        """Which nodes of the call tree have no call that ended."""
        return never_ended(self.node, self.unfinished, len(self.node_depth))

    def ended(self, rows: Int64) -> Int64:
        """Those of some rows that are not unfinished."""
        if len(self.unfinished):
            place = np.minimum(np.searchsorted(self.unfinished, rows), len(self.unfinished) - 1)
            rows = rows[self.unfinished[place] != rows]
        return rows

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Profile:
    """One timeline or one set of samples: a thread, a track, one measured quantity.

    `axis` is the unit of positions (span starts, sample times), from `axis_start` to `axis_end`. `values` are the
    measured quantities; `default_value` is the one people see first. Exactly one of `samples` and `spans` is set, as
    `kind` says. `facts` is what may be asked of it; `role` what its thread is for, by `role_rule`.
    """

    index: int
    name: str
    pid: str
    tid: str
    kind: ProfileKind
    axis: Unit
    axis_start: int | float
    axis_end: int | float
    values: tuple[ValueType, ...]
    default_value: int
    tree: CallTree
    samples: Samples | None
    spans: Spans | None
    node_base: int
    span_base: int
    facts: Facts
    role: Role
    role_rule: RoleRule

    @property
    def outermost_ended(self) -> UInt8:
        """`tree.outermost` among the nodes of calls that ended: functions are ranked by the totals of these."""
        if self.spans is None or not len(self.spans.unfinished):
            return self.tree.outermost
        return outermost_ended(self.tree.frame, self.tree.parent, self.spans.never_ended, self.tree.outermost)

    @property
    def order(self) -> Order:
        return self.facts.order

    @property
    def has_times(self) -> bool:
        """Whether its rows lie in time: moments, windows, rates and intervals may be asked for."""
        return self.facts.order is Order.TIME

    @property
    def counts(self) -> Counts:
        return self.facts.counts

    @property
    def count_name(self) -> str | None:
        """What its counts are a number of, in the file's word where it has one; None without counts."""
        if self.facts.counts is Counts.NONE:
            return None
        named = self.facts.counts is Counts.EVENTS and self.facts.count_value is not None
        return self.values[self.facts.count_value or 0].name if named else self.facts.counts.value

    @property
    def clock(self) -> Clock:
        return self.facts.clock

    @property
    def waits(self) -> Waits:
        return self.facts.waits

    @property
    def handle(self) -> str:
        return f"p{self.index}"

    @property
    def unit(self) -> Unit:
        return self.values[self.default_value].unit


@dataclass(frozen=True, slots=True)
class Instants:
    """Points in time: `profile` -1 is the trace itself."""

    profile: Int32
    time: Int64
    name: Int32


@dataclass(frozen=True, slots=True)
class Counters:
    """Measured levels: one row a reading; `name` groups rows into a series."""

    profile: Int32
    time: Int64
    name: Int32
    value: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AsyncSpans:
    """Intervals that need not nest, with the id that joined their ends."""

    profile: Int32
    start: Int64
    end: Int64
    name: Int32
    ident: Int32


@dataclass(frozen=True, slots=True)
class Flows:
    """Arrows from one point to another."""

    from_profile: Int32
    from_time: Int64
    to_profile: Int32
    to_time: Int64
    name: Int32


@dataclass(frozen=True, slots=True)
class ThreadStates:
    """What the operating system did with threads (`values.ThreadState`), where the file has its scheduling: rows of one
    `profile`, that of the thread as it was scheduled, in order of time and without overlap."""

    profile: Int32
    start: Int64
    end: Int64
    state: UInt8

    def __len__(self) -> int:
        return len(self.start)


def no_states() -> ThreadStates:
    """The table of a file without scheduling."""
    return ThreadStates(no_rows(), no_times(), no_times(), np.zeros(0, np.uint8))


@dataclass(frozen=True, slots=True)
class Requests:
    """What a page asked the network for, by when. `end` of one that was never answered is the trace's last moment.

    `server` is how long the first bytes were waited for, in nanoseconds, `size` the bytes received; -1: not said. The
    other columns index `Strings` or are -1. `url` and `found_in` (what the request was found in: a document, a style
    sheet, a script) are without query, fragment and credentials; `kind` is Chrome's resource type, `priority` and
    `blocking` (whether painting waits for it) are its words, `document` the document that asked.
    """

    profile: Int32
    start: Int64
    end: Int64
    server: Int64
    size: Int64
    url: Int32
    kind: Int32
    priority: Int32
    blocking: Int32
    found_in: Int32
    document: Int32

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Trace:
    """All that one file said. `format` is the importer's name, `content_key` the file's own (traces/content_key.py).

    `recorded_at_ns` is when the recording began, in nanoseconds since 1970 (UTC), `recorded_for_ns` how long it ran,
    `utc_offset_minutes` how far clocks there were ahead of UTC, `origin` of what run it is (traces/origin.py).
    """

    name: str
    format: str
    content_key: str
    source_bytes: int
    strings: Strings
    frames: Frames
    profiles: tuple[Profile, ...]
    default_profile: int
    instants: Instants
    counters: Counters
    async_spans: AsyncSpans
    flows: Flows
    requests: Requests
    thread_states: ThreadStates = field(default_factory=no_states)
    edges: Edges = field(default_factory=no_edges)
    warnings: tuple[TraceWarning, ...] = field(default=())
    recorded_at_ns: int | None = None
    utc_offset_minutes: int | None = None
    recorded_for_ns: int | None = None
    origin: Mapping[str, str] = field(default_factory=dict)

    def frame_name(self, frame: int) -> str:
        return self.strings[int(self.frames.name[frame])]

    def frame_file(self, frame: int) -> str | None:
        index = int(self.frames.file[frame])
        return None if index == NONE else self.strings[index]

    def frame_line(self, frame: int) -> int | None:
        line = int(self.frames.line[frame])
        return None if line == NONE else line

    @cached_property
    def merged_trees(self) -> dict[object, Any]:
        """Call trees of several profiles, or of what a filter leaves, that questions asked for and keep here."""
        return {}

    @cached_property
    def answers(self) -> dict[object, Any]:
        """What questions found out about the trace and will be asked again, by their own keys."""
        return {}

    @cached_property
    def duration_ns(self) -> int | None:
        """From the first moment to the last of all profiles on the trace's clock, else that of the longest profile
        with a clock of its own; None where nothing has moments."""
        timed = [p for p in self.profiles if p.has_times]
        if shared := [p for p in timed if p.clock is Clock.TRACE]:
            return int(max(p.axis_end for p in shared) - min(p.axis_start for p in shared))
        return max((int(p.axis_end - p.axis_start) for p in timed), default=None)

    @cached_property
    def views_by_thread(self) -> dict[tuple[str, str], tuple[Profile, ...]]:
        """The profiles on the trace's clock, by process and thread id."""
        found: dict[tuple[str, str], list[Profile]] = {}
        for p in self.profiles:
            if p.facts.clock is Clock.TRACE:
                found.setdefault((p.pid, p.tid), []).append(p)
        return {thread: tuple(views) for thread, views in found.items()}

    @cached_property
    def name_ranks(self) -> Int64:
        """Each frame's place when frames are sorted by name, then index."""
        order = sorted(range(len(self.frames)), key=self.frame_names.__getitem__)
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    @cached_property
    def frame_names(self) -> Sequence[str]:
        """Every frame's name, decoded once."""
        arena, offsets = self.strings.arena.tobytes(), self.strings.offsets
        begins, ends = (offsets[self.frames.name + place].tolist() for place in (0, 1))
        return tuple([arena[a:b].decode("utf-8", "replace") for a, b in zip(begins, ends, strict=True)])
