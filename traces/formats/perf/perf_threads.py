"""What perf recorded of threads, as profiles: the same whether its file was read or what `perf script` prints of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.formats.perf.sample_lengths import (
    CLOCKS,
    cycle_time,
    lengths,
    measures_itself,
    passes_on_a_processor,
    usual_interval,
)
from traces.formats.samples_in_order import order_of_time
from traces.kernels.columns import pick
from traces.kernels.trees import paths_of_stacks
from traces.model import Int32, Int64
from traces.values import Unit, ValueType

TIME = ValueType("time", Unit.NANOSECONDS)
SAMPLES = ValueType("samples", Unit.COUNT)


@dataclass(frozen=True, slots=True)
class Pace:
    """Of one event: the usual time between two samples, and that of one of its counts (ns); 0 where it is not known."""

    interval: int
    count: float


@dataclass(frozen=True, slots=True)
class PerfThread:
    """The samples of one thread and event by their rank in the recording, in any order. `pid` is empty where only the
    thread is known; `time` (ns) and `period` are None where they were not recorded."""

    comm: str
    pid: str
    tid: str
    event: str
    rank: Int64
    time: Int64 | None
    period: Int64 | None


def add_threads(
    threads: Sequence[PerfThread], first_event: str, frames: Int32, ends: Int64, builder: TraceBuilder
) -> None:
    """Feed a profile a thread and event, those of the recording's first event first: time, samples, the event's count.

    Threads stand in order of their first sample, but no process's main thread behind its others. The stack of the
    sample of rank `i` is `frames[ends[i - 1]:ends[i]]`, innermost first.
    """
    intervals, cycle_times = _intervals(threads), _cycle_times(threads)
    for thread in _in_order(threads, first_event):
        suffix = "" if thread.event == first_event else f", {thread.event}"
        pace = Pace(intervals.get(thread.event, 0), cycle_times.get(thread.event, 0.0))
        _add(thread, suffix, pace, frames, ends, builder)


def _intervals(threads: Sequence[PerfThread]) -> dict[str, int]:
    """The usual time between two samples of each event (ns)."""
    gaps: dict[str, list[Int64]] = {}
    for thread in threads:
        if thread.time is not None:
            ordered = np.sort(thread.time)
            gaps.setdefault(thread.event, []).append(ordered[1:] - ordered[:-1])
    return {event: usual_interval(np.concatenate(found)) for event, found in gaps.items()}


def _cycle_times(threads: Sequence[PerfThread]) -> dict[str, float]:
    """How long (ns) one of each event's counts took."""
    seen: dict[str, list[tuple[Int64, Int64]]] = {}
    for thread in threads:
        if thread.time is not None and thread.period is not None:
            order = np.argsort(thread.time, kind="stable")
            seen.setdefault(thread.event, []).append((np.diff(thread.time[order]), thread.period[order][1:]))
    return {event: cycle_time(*map(np.concatenate, zip(*found, strict=True))) for event, found in seen.items()}


def _in_order(threads: Sequence[PerfThread], first_event: str) -> list[PerfThread]:
    ordered = sorted(threads, key=lambda thread: thread.event != first_event)
    places: dict[tuple[str, str], list[int]] = {}
    for place, thread in enumerate(ordered):
        places.setdefault((thread.event, thread.pid), []).append(place)
    for (_, pid), mine in places.items():
        if pid:
            main_first = sorted((ordered[place] for place in mine), key=lambda thread: thread.tid != pid)
            for place, thread in zip(mine, main_first, strict=True):
                ordered[place] = thread
    return ordered


def _add(thread: PerfThread, suffix: str, pace: Pace, frames: Int32, ends: Int64, builder: TraceBuilder) -> int:
    rank, time, period = thread.rank, thread.time, thread.period
    if time is not None:
        order = order_of_time(time, builder)
        rank, time = rank[order], time[order]
        period = period[order] if period is not None else None
    begins = np.where(rank > 0, ends[rank - 1], 0)
    sizes = ends[rank] - begins
    own_ends = np.cumsum(sizes)
    picked = np.repeat((begins - own_ends + sizes).astype(np.int32), sizes)
    picked += np.arange(len(picked), dtype=np.int32)
    paths = paths_of_stacks(pick(frames, picked), own_ends, MAX_STACK_DEPTH, inner_first=True)
    values, weights = [SAMPLES], [np.ones(len(rank), np.int64)]
    if period is not None:
        is_clock = thread.event.startswith(CLOCKS)
        values.append(ValueType("CPU time" if is_clock else thread.event, Unit.NANOSECONDS if is_clock else Unit.COUNT))
        weights.append(period)
    begin = axis_start = axis_end = None
    default = 0
    if time is not None:
        begin, axis_start, axis_end = time, time[0].item(), time[-1].item()
        if passes_on_a_processor(thread.event):
            begin, lasting = lengths(time, period, pace.interval, thread.event, pace.count)
            axis_start, axis_end = begin[0].item(), (begin[-1] + lasting[-1]).item()
            values.insert(0, TIME)
            weights.insert(0, lasting)
            default = 0 if lasting.any() else 1  # one sample alone may say nothing about time
            if period is not None and period.any() and measures_itself(thread.event):
                default = len(values) - 1
    name = f"{thread.comm} (pid {thread.pid}, tid {thread.tid})" if thread.pid else f"{thread.comm} (tid {thread.tid})"
    return builder.add_sampled(
        name + suffix,
        paths,
        paths.leaf,
        weights,
        values=tuple(values),
        default_value=default,
        time=begin,
        axis=Unit.NANOSECONDS if time is not None else None,
        axis_start=axis_start,
        axis_end=axis_end,
        pid=thread.pid,
        tid=thread.tid,
    )
