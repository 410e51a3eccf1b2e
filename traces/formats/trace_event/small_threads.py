"""Threads of a few slices each, by the thousand: nested and added together, as each alone costs more than its rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder, fitted_running
from traces.drafts import SpanRows
from traces.formats.trace_event.running_times import Closed
from traces.kernels.many_threads import match_threads, nest_threads
from traces.model import Int32, Int64
from traces.nesting import ROUNDING_NS

SMALL_SLICES = 1_024
"""A thread of no more slices is added with others."""
GROUP_SLICES = 1 << 18
BEGIN = 1
"""A kind of slices, as trace_event.py numbers them."""
AddAlone = Callable[[int], None]
RunningOf = Callable[[Closed, Int32], Int64]


@dataclass(frozen=True, slots=True)
class Group:
    """Threads one after the other, in the order in which they are added: those whose place is `first` to `stop`."""

    first: int
    stop: int


def groups(sizes: Int64, complete: Int64) -> Iterator[Group]:
    """Threads in their order, of so many slices, of which so many are complete ones: alike small ones together."""
    kinds = np.where(complete == sizes, 1, np.where(complete == 0, 0, -1))
    kinds[sizes > SMALL_SLICES] = -1
    first = rows = 0
    of_each, row_counts = kinds.tolist(), sizes.tolist()
    for place, kind in enumerate(of_each):
        if place > first and (kind < 0 or kind != of_each[first] or rows > GROUP_SLICES):
            yield Group(first, place)
            first, rows = place, 0
        rows += row_counts[place]
    if of_each:
        yield Group(first, len(of_each))


@dataclass(frozen=True, slots=True)
class Columns:
    """The slices of a group's threads, one thread after the other; `bounds` are where each begins and the last ends.
    `args_length` is 0 where an event has no arguments."""

    time: Int64
    duration: Int64
    frame: Int32
    kind: npt.NDArray[np.uint8]
    args_offset: Int64
    args_length: Int32
    running: Int64
    bounds: Int64

    def rows(self, source: Int64, end: Int64, parent: Int32, unfinished: Int32) -> SpanRows:
        """Nested spans, of which `source` are the slices they come from."""
        start = self.time[source]
        return SpanRows(
            start=start,
            end=end,
            frame=self.frame[source],
            parent=parent,
            args_offset=self.args_offset[source],
            args_length=self.args_length[source],
            unfinished=unfinished,
            running=fitted_running(self.running[source], start, end, unfinished) if len(self.running) else self.running,
        )


def add_complete(builder: TraceBuilder, threads: list[tuple[str, str, str]], columns: Columns) -> int:
    """Add threads of complete slices; returns the index of the first one's profile."""
    end = columns.time + columns.duration
    source, until, parent, clamped = nest_threads(
        columns.time, end, columns.bounds, MAX_STACK_DEPTH, rounding=ROUNDING_NS
    )
    rows = columns.rows(source, until, parent, np.zeros(0, np.int32))
    return builder.add_threads(threads, rows, columns.bounds, clamped)


def add_paired(
    builder: TraceBuilder,
    threads: list[tuple[str, str, str]],
    columns: Columns,
    latest: int | None,
    add_alone: AddAlone,
    running_of: RunningOf,
) -> None:
    """Add threads of begins and ends, in their order; `add_alone` adds one, by its place, whose ends are not all of a
    begin: for those another order is tried. `running_of` says how long each slice was on a processor."""
    bounds = columns.bounds
    thread = np.repeat(np.arange(len(threads), dtype=np.int32), np.diff(bounds))
    order = np.lexsort((columns.time, thread))
    is_begin = columns.kind[order] == BEGIN
    found = match_threads(columns.time[order], columns.frame[order], is_begin, bounds, MAX_STACK_DEPTH, latest)
    source = order[found.source]
    together = (found.repaired[:, 0] == 0) & (np.diff(found.starts) > 0)
    closed = np.repeat(together, np.diff(found.starts))
    closed[found.unfinished] = False
    columns = replace(columns, running=running_of(Closed(source[closed], found.end[closed]), thread))
    cuts = np.flatnonzero(np.diff(together)) + 1
    for first, stop in zip([0, *cuts.tolist()], [*cuts.tolist(), len(threads)], strict=True):
        if not together[first]:
            for place in range(first, stop):
                add_alone(place)
            continue
        low, high = int(found.starts[first]), int(found.starts[stop])
        inside = slice(*np.searchsorted(found.unfinished, (low, high)).tolist())
        parent = found.parent[low:high]
        rows = columns.rows(
            source[low:high],
            found.end[low:high],
            np.where(parent >= 0, parent - low, parent).astype(np.int32),
            found.unfinished[inside] - np.int32(low),
        )
        clamped = int(found.repaired[first:stop, 1].sum())
        builder.add_threads(threads[first:stop], rows, found.starts[first : stop + 1] - low, clamped)
