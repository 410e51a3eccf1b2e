"""One thread of a Firefox profile, whichever of its formats it came in, and how it becomes a profile of ours.

The rules are those of the Firefox Profiler (https://github.com/firefox-devtools/profiler, docs-developer): a stack has
the category of its innermost frame that has one; what has the category "Idle" waits for something to do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TIME, TraceBuilder
from traces.equal_rows import distinct, groups_of
from traces.formats.samples_in_order import order_of_time
from traces.kernels.trees import Paths, paths_of_spans, sum_upwards
from traces.missing_ends import Half
from traces.model import NONE, Int32, Int64, Values
from traces.values import Counts, Unit, ValueType

IDLE = "Idle"
GARBAGE_COLLECTION = "GC / CC"
CPU_TIME = ValueType("CPU time", Unit.NANOSECONDS)
LATE = 1.5
"""Of the usual time between samples: what comes later follows a gap."""
HIDDEN = -2
"""In place of a frame: the frame is left out of all stacks."""


PHASES = INTERVAL, INTERVAL_START, INTERVAL_END = 1, 2, 3
"""Of a marker; 0, or none, is a moment."""
HALF_MARKERS = "markers whose beginning or end is missing were dropped"


Rows = Sequence[int] | Int32
"""Numbers of rows."""


@dataclass(frozen=True, slots=True)
class Named:
    """Rows with a text each, as numbers of `texts`; times in nanoseconds, one column or beginnings and ends."""

    texts: list[str]
    number: Int32
    times: tuple[Int64, ...]

    @classmethod
    def of(cls, strings: Sequence[str], name: Int64, *times: Int64) -> Self:
        """Of rows whose names are numbers of a file's strings, those that are used numbered as they come."""
        number, first = groups_of(name)
        return cls([strings[index] for index in name[first].tolist()], number, times)


@dataclass(frozen=True, slots=True)
class Markers:
    """Things that happened at a time, things that lasted from one time to another, and of those with one end its name,
    time and whether it is the beginning (ns)."""

    moments: Named
    intervals: Named
    halves: list[tuple[str, int, bool]]

    @classmethod
    def of(cls, strings: Sequence[str], name: Int64, start: Int64, end: Int64, phases: Iterable[Any] | Int32) -> Self:
        """Those of a table's rows; the end of what lasted may be a row of its own."""
        if isinstance(phases, np.ndarray):
            phase = np.where((phases >= INTERVAL) & (phases <= INTERVAL_END), phases, 0)
        else:
            phase = np.array([int(one) if one in PHASES else 0 for one in phases], np.int64)
        pairs, halves = _paired(strings, name, start, end, phase)
        complete = np.flatnonzero(phase == INTERVAL)
        opened, closed = (np.concatenate((complete, np.array(rows, np.int64))) for rows in pairs)
        order = np.argsort(closed, kind="stable")
        opened, closed = opened[order], closed[order]
        moments = np.flatnonzero(phase == 0)
        return cls(
            Named.of(strings, name[moments], start[moments]),
            Named.of(strings, name[closed], start[opened], np.maximum(start[opened], end[closed])),
            halves,
        )

    def add_to(self, profile: int, builder: TraceBuilder) -> None:
        """Feed them as instants and intervals of a profile."""
        moments, intervals = self.moments, self.intervals
        of_profile = np.full(len(moments.number), profile, np.int32)
        builder.side_tables.instants.append((of_profile, moments.times[0], moments.number, moments.texts))
        count = len(intervals.number)
        of_profile, no_ids = np.full(count, profile, np.int32), np.zeros(count, np.int32)
        start, end = intervals.times
        row = (of_profile, start, end, intervals.number, intervals.texts, no_ids, [""])
        builder.side_tables.intervals.append(row)
        thread = builder.name_of(profile)
        halves = [Half(name, thread, time, is_beginning) for name, time, is_beginning in self.halves]
        builder.half_intervals("half_markers", HALF_MARKERS, halves, len(halves))


def _paired(
    strings: Sequence[str], name: Int64, start: Int64, end: Int64, phase: Int64
) -> tuple[tuple[list[int], list[int]], list[tuple[str, int, bool]]]:
    """The rows of beginnings and of ends that belong together, an end to the last beginning of its name; and halves."""
    open_rows: dict[str, list[int]] = {}
    pairs: tuple[list[int], list[int]] = ([], [])
    halves: list[tuple[str, int, bool]] = []
    for row in np.flatnonzero(phase >= INTERVAL_START).tolist():
        text = strings[int(name[row])]
        if phase[row] == INTERVAL_START:
            open_rows.setdefault(text, []).append(row)
        elif waiting := open_rows.get(text):
            pairs[0].append(waiting.pop())
            pairs[1].append(row)
        else:
            halves.append((text, int(end[row]), False))
    halves += [(text, int(start[row]), True) for text, waiting in open_rows.items() for row in waiting]
    return pairs, halves


def no_markers() -> Markers:
    """Those of a thread without any."""
    nothing = np.zeros(0, np.int64)
    return Markers.of([], nothing, nothing, nothing, [])


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
    prefixes: Rows
    stacks: Rows
    samples: Rows
    times: Int64
    frames: Sequence[int] = ()
    categories: Sequence[str | None] = ()
    weights: list[tuple[ValueType, Values]] = field(default_factory=list)
    main_weight: int | None = None  # among `weights`: what was measured, where that is not time
    markers: Markers = field(default_factory=no_markers)
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
    """The index of the new profile. A sample lasts until the next one or a pause, the last for `interval` ns; `extent`
    is the axis that all threads share.

    Raises DamagedTrace for samples, stacks or frames that are not in the file.
    """
    paths, leaf_of_row = _leaves(thread, builder)
    order = order_of_time(thread.times, builder)
    times, leaves = thread.times[order], leaf_of_row[np.array(thread.samples, np.int64)[order]]
    lasting = _lasting(thread, order, times, interval)
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
        paths,
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


def _lasting(thread: GeckoThread, order: Int64, times: Int64, interval: int) -> Int64:
    """How long each sample stands for. Where the thread's CPU time was recorded, a gap in the samples is work as far
    as the next sample knows of CPU time in it: `threadCPUDelta` counts from the sample before. A sample that comes a
    little late is no gap: calls would fall into one piece a sample."""
    gaps = np.diff(times, append=times[-1:] + interval)
    worked = next((values[order] for kind, values in thread.weights if kind == CPU_TIME), None)
    stacks = np.array(thread.samples, np.int64)[order]
    if worked is None or len(times) < 2:
        return gaps
    usual = max(interval, int(np.partition(gaps, len(gaps) // 3)[len(gaps) // 3]))
    most = np.maximum(usual, np.append(worked[1:], usual))
    return np.where((stacks == NONE) | (gaps <= usual * LATE), gaps, np.minimum(gaps, most))


def _counting(columns: Sequence[tuple[ValueType, Values]]) -> int | None:
    """The column that says how many samples a row stands for; None where each is one."""
    return next((k for k, (kind, _) in enumerate(columns) if kind.name == Counts.SAMPLES), None)


def _leaves(thread: GeckoThread, builder: TraceBuilder) -> tuple[Paths, Int32]:
    """The call paths, and the node of each row of the stack table as a sample's leaf: -1 for what is idle or no
    sample's. One row more, the last, answers for -1."""
    try:
        prefix, stack = np.array(thread.prefixes, np.int64), np.array(thread.stacks, np.int64)
    except OverflowError as error:
        raise builder.damaged("a stack names a frame that is not in the file.") from error
    _check(prefix, stack, len(thread.categories), builder)
    rows, samples = len(stack), np.array(thread.samples, np.int64)
    sampled = distinct(samples[samples != NONE])
    if len(sampled) and not 0 <= sampled[0] <= sampled[-1] < rows:
        raise builder.damaged("a sample names a stack that is not in the file.")
    idle = _idle(thread, prefix, stack)
    uses = np.zeros(rows, np.int64)
    uses[sampled] = ~idle[sampled]
    needed = sum_upwards(uses, prefix.astype(np.int32)) > 0
    frame = np.array([*thread.frames, HIDDEN], np.int32)[stack]
    # What is hidden is part of the nearest caller that is not; the last row answers for none.
    visible = _nearest(np.append(frame != HIDDEN, np.True_), prefix)
    chosen = np.flatnonzero(needed & (frame != HIDDEN))
    place = np.full(rows + 1, NONE, np.int32)
    place[chosen] = np.arange(len(chosen), dtype=np.int32)
    above = place[visible[np.where(prefix[chosen] >= 0, prefix[chosen], rows)]]
    paths = paths_of_spans(frame[chosen], above, MAX_STACK_DEPTH)
    node = np.full(rows + 1, NONE, np.int32)
    node[chosen] = paths.leaf
    leaves = np.where(np.append(idle | ~needed, np.True_), NONE, node[visible])
    return paths, leaves.astype(np.int32)


def _check(prefix: Int64, stack: Int64, frames: int, builder: TraceBuilder) -> None:
    """Raises DamagedTrace for the first row that is wrong."""
    both = min(len(prefix), len(stack))
    disordered = (prefix[:both] < NONE) | (prefix[:both] >= np.arange(both)) | (stack[:both] < 0)
    beyond = np.flatnonzero(stack[:both] >= frames)
    first = int(disordered.argmax()) if disordered.any() else both
    if first < both and (not len(beyond) or first <= beyond[0]):
        raise builder.damaged("its stacks do not begin with their callers.")
    if len(beyond) or len(prefix) != len(stack):
        raise builder.damaged("a stack names a frame that is not in the file.")


def _idle(thread: GeckoThread, prefix: Int64, stack: Int64) -> npt.NDArray[np.bool_]:
    """For each row of the stack table, whether its category is the idle one: its own, or its nearest caller's."""
    known = np.array([category is not None for category in thread.categories], np.bool_)[stack]
    is_idle = np.array([category == IDLE for category in thread.categories], np.bool_)[stack]
    return np.append(is_idle, np.False_)[_nearest(np.append(known, np.True_), prefix)[:-1]]


def _nearest(is_one: npt.NDArray[np.bool_], prefix: Int64) -> Int64:
    """For each row the nearest at or above it that is one; the row after the last answers for none."""
    rows = len(prefix)
    nearest = np.where(is_one, np.arange(rows + 1), np.append(np.where(prefix >= 0, prefix, rows), rows))
    while not np.array_equal(further := nearest[nearest], nearest):
        nearest = further
    return nearest
