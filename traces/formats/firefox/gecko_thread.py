"""One thread of a Firefox profile, whichever of its formats it came in, and how it becomes a profile of ours.

The rules are those of the Firefox Profiler (https://github.com/firefox-devtools/profiler, docs-developer): a stack has
the category of its innermost frame that has one; what has the category "Idle" waits for something to do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from traces.builder import TIME, TraceBuilder
from traces.model import NONE, Int64, Values
from traces.stacks import StackTable
from traces.values import Counts, ValueType

MAIN_THREAD = "GeckoMain"
IDLE = "Idle"
GARBAGE_COLLECTION = "GC / CC"
HIDDEN = -2
"""In place of a frame: the frame is left out of all stacks."""


INTERVAL, INTERVAL_START, INTERVAL_END = 1, 2, 3
"""Phases of a marker; 0, or none, is a moment."""


@dataclass(slots=True)
class Markers:
    """Things that happened at a time, and things that lasted from one time to another (ns)."""

    moments: list[tuple[str, int]] = field(default_factory=list)
    intervals: list[tuple[str, int, int]] = field(default_factory=list)
    unmatched: int = 0

    def read(
        self, names: Iterable[str], starts: Sequence[int], ends: Sequence[int], phases: Iterable[int | None]
    ) -> None:
        """Take the rows of a marker table; the end of what lasted may be a row of its own."""
        open_starts: dict[str, list[int]] = {}
        for name, start, end, phase in zip(names, starts, ends, phases, strict=True):
            if phase == INTERVAL:
                self.intervals.append((name, start, max(start, end)))
            elif phase == INTERVAL_START:
                open_starts.setdefault(name, []).append(start)
            elif phase != INTERVAL_END:
                self.moments.append((name, start))
            elif waiting := open_starts.get(name):
                since = waiting.pop()
                self.intervals.append((name, since, max(since, end)))
            else:
                self.unmatched += 1
        self.unmatched += sum(map(len, open_starts.values()))

    def add_to(self, profile: int, builder: TraceBuilder) -> None:
        """Feed them as instants and intervals of a profile."""
        for name, time in self.moments:
            builder.instant(profile, time, name)
        names = {name: at for at, name in enumerate(dict.fromkeys(name for name, _, _ in self.intervals))}
        count = len(self.intervals)
        builder.side_tables.intervals.append(
            (
                np.full(count, profile, np.int32),
                np.array([start for _, start, _ in self.intervals], np.int64),
                np.array([end for _, _, end in self.intervals], np.int64),
                np.array([names[name] for name, _, _ in self.intervals], np.int32),
                list(names),
                np.zeros(count, np.int32),
                [""],
            )
        )
        builder.warn("half_markers", "markers whose beginning or end is missing were dropped", self.unmatched)


@dataclass(slots=True)
class GeckoThread:
    """`frames[i]` is the builder's frame (or HIDDEN) and `categories[i]` the category of row i of the frame table.

    `prefixes` and `stacks` are the stack table: the caller's row (-1: none) and the frame's. `samples` are rows of it,
    -1 for none. `times` are nanoseconds; `weights` are the columns besides time.
    """

    name: str
    process: str
    pid: str
    tid: str
    prefixes: Sequence[int]
    stacks: Sequence[int]
    samples: list[int]
    times: Int64
    frames: Sequence[int] = ()
    categories: Sequence[str | None] = ()
    weights: list[tuple[ValueType, Values]] = field(default_factory=list)
    main_weight: int | None = None  # among `weights`: what was measured, where that is not time
    markers: Markers = field(default_factory=Markers)
    is_main: bool = False  # said by the file, as importers of other recordings do (`isMainThread`)


def add_thread(
    thread: GeckoThread,
    builder: TraceBuilder,
    *,
    name: str,
    interval: int,
    pauses: Sequence[tuple[int, int]] = (),
    extent: tuple[int, int] | None = None,
) -> int:
    """The index of the new profile. A sample lasts until the next one or a pause, the last for `interval` ns.

    Raises DamagedTrace for samples, stacks or frames that are not in the file.
    """
    table = StackTable()
    leaf_of_row = np.array([*_leaves(thread, table, builder), NONE], np.int32)  # row -1 is the last one
    order = np.argsort(thread.times, kind="stable")
    times, leaves = thread.times[order], leaf_of_row[np.array(thread.samples, np.int64)[order]]
    lasting = np.diff(times, append=times[-1:] + interval)
    for pause, goes_on in pauses:
        before = int(np.searchsorted(times, pause, side="right")) - 1
        if before >= 0 and goes_on > pause:
            lasting[before] = min(lasting[before], max(0, pause - int(times[before])))
    others = [(kind, values[order]) for kind, values in thread.weights]
    columns = [(TIME, lasting), *others]
    start: int | None = None
    end: int | None = None
    if extent is not None and len(times):
        start, end = min(extent[0], int(times[0])), max(extent[1], int(times[-1] + lasting[-1]))
    index = builder.add_sampled(
        name,
        table,
        leaves,
        [values for _, values in columns],
        values=tuple(kind for kind, _ in columns),
        default_value=0 if thread.main_weight is None else 1 + thread.main_weight,
        time=times,
        axis=TIME.unit,
        axis_start=start,
        axis_end=end,
        pid=thread.pid,
        tid=thread.tid,
        facts=replace(builder.facts, count_value=_counting(columns)),
    )
    thread.markers.add_to(index, builder)
    return index


def _counting(columns: Sequence[tuple[ValueType, Values]]) -> int | None:
    """The column that says how many samples a row stands for; None where each is one."""
    return next((k for k, (kind, _) in enumerate(columns) if kind.name == Counts.SAMPLES), None)


def _leaves(thread: GeckoThread, table: StackTable, builder: TraceBuilder) -> list[int]:
    """The node of each row of the stack table as a sample's leaf: -1 for what is idle or no sample's."""
    idle, needed = _idle(thread, builder), bytearray(len(thread.stacks))
    sampled = set(thread.samples) - {NONE}
    if sampled and not 0 <= min(sampled) <= max(sampled) < len(needed):
        raise builder.damaged("a sample names a stack that is not in the file.")
    for row in sampled:
        needed[row] = not idle[row]
    for row in range(len(needed) - 1, -1, -1):
        if needed[row] and thread.prefixes[row] >= 0:
            needed[thread.prefixes[row]] = 1
    nodes = [NONE] * len(needed)
    for row, is_needed in enumerate(needed):
        if is_needed:
            prefix, frame = thread.prefixes[row], thread.frames[thread.stacks[row]]
            caller = nodes[prefix] if prefix >= 0 else NONE
            nodes[row] = caller if frame == HIDDEN else table.child(caller, frame)
    return [NONE if waits else node for node, waits in zip(nodes, idle, strict=True)]


def _idle(thread: GeckoThread, builder: TraceBuilder) -> bytearray:
    """For each row of the stack table, whether its category is the idle one."""
    idle = bytearray(len(thread.stacks))
    categories = thread.categories
    try:
        for row, (prefix, frame) in enumerate(zip(thread.prefixes, thread.stacks, strict=True)):
            if not NONE <= prefix < row or frame < 0:
                raise builder.damaged("its stacks do not begin with their callers.")
            own = categories[frame]
            idle[row] = own == IDLE if own is not None else prefix >= 0 and idle[prefix]
    except (IndexError, ValueError) as error:
        raise builder.damaged("a stack names a frame that is not in the file.") from error
    return idle
