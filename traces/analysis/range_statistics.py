"""A marked range of time over one thread or several: how long, how busy, the heaviest functions, calls and levels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traces.analysis.functions import function_values
from traces.analysis.selection import select
from traces.analysis.thread_time import ThreadTime, thread_time
from traces.analysis.time_axis import need_times
from traces.analysis.time_in_range import time_in_range
from traces.analysis.window import Window, full_axis, node_values, root_total
from traces.errors import InvalidQuestion
from traces.model import Profile, Trace, Values
from traces.values import Counts, Unit

HEAVIEST = 10
MOST_COUNTERS = 20


@dataclass(frozen=True, slots=True)
class ThreadInRange:
    """`time` is None where the profile measures no time; `total` is what ran in it, in the unit of the statistics."""

    handle: str
    name: str
    time: ThreadTime | None
    total: float


@dataclass(frozen=True, slots=True)
class FunctionInRange:
    """One function over all marked threads; recursion counts once. `share` is of what ran in the range, by self."""

    handle: str
    name: str
    file: str | None
    line: int | None
    self_value: float
    total_value: float
    share: float
    count: int | None


@dataclass(frozen=True, slots=True)
class CounterInRange:
    """A level's readings in the range; `last` is the latest, in the file's own unit."""

    name: str
    readings: int
    lowest: float
    highest: float
    last: float


@dataclass(frozen=True, slots=True)
class RangeStatistics:
    """`length` is on the axis. `functions` are the heaviest by self of `function_count` that ran. `calls` is the number
    of calls or samples in the range (`counted` says which), None without counts."""

    length: float
    unit: Unit
    threads: tuple[ThreadInRange, ...]
    functions: tuple[FunctionInRange, ...]
    function_count: int
    calls: int | None
    counted: str | None
    counters: tuple[CounterInRange, ...]


def range_statistics(trace: Trace, profiles: Sequence[int], window: Window | None) -> RangeStatistics:
    """What happened in the part of a window (None: all) that lies in some profiles, which measure the same. Raises
    InvalidQuestion, NoTimes (of a window)."""
    chosen = [trace.profiles[index] for index in dict.fromkeys(profiles)]
    if not chosen:
        raise InvalidQuestion("no thread is marked: name one at least.")
    first = chosen[0]
    if other := next((one for one in chosen if (one.unit, one.axis) != (first.unit, first.axis)), None):
        raise InvalidQuestion(f"{first.handle} measures {first.unit.value}, {other.handle} {other.unit.value}.")
    if window is not None:
        need_times(chosen, "what happened in a range")
        window = _within(chosen, window)
    size = len(trace.frames)
    dtype = first.tree.total_values[first.default_value].dtype
    own, total, count = np.zeros(size, dtype), np.zeros(size, dtype), np.zeros(size, np.int64)
    threads = []
    for profile in chosen:
        values = node_values(profile, window)
        by_frame = function_values(select(trace, profile.index), values, window)
        own, total, count = own + by_frame.self_value, total + by_frame.total_value, count + by_frame.count
        ran = root_total(profile.tree, values.total_value)
        time = thread_time(trace, profile) if window is None else time_in_range(trace, profile, window)
        threads.append(ThreadInRange(profile.handle, profile.name, time, ran))
    everything = sum(one.total for one in threads)
    has_counts = all(profile.counts is first.counts for profile in chosen) and first.counts is not Counts.NONE
    present = np.flatnonzero(total > 0)
    order = present[np.lexsort((present, -total[present], -own[present]))][:HEAVIEST].tolist()
    functions = tuple(
        FunctionInRange(
            f"f{frame}",
            trace.frame_name(frame),
            trace.frame_file(frame),
            trace.frame_line(frame),
            own[frame].item(),
            total[frame].item(),
            own[frame].item() / everything if everything else 0.0,
            int(count[frame]) if has_counts else None,
        )
        for frame in order
    )
    all_of_it = full_axis(first) if window is None else window
    return RangeStatistics(
        length=all_of_it.end - all_of_it.start,
        unit=first.unit,
        threads=tuple(threads),
        functions=functions,
        function_count=len(present),
        calls=int(count.sum()) if has_counts else None,
        counted=first.count_name if has_counts else None,
        counters=_counters(trace, all_of_it),
    )


def _within(profiles: Sequence[Profile], window: Window) -> Window:
    """The part of a window in which the profiles have moments. Raises InvalidQuestion where there is none."""
    start, end = min(one.axis_start for one in profiles), max(one.axis_end for one in profiles)
    low, high = max(window.start, float(start)), min(window.end, float(end))
    if not low < high:
        raise InvalidQuestion(f"the range lies outside of the recording, which goes from {start:g} to {end:g}.")
    return Window(low, high)


def _counters(trace: Trace, window: Window) -> tuple[CounterInRange, ...]:
    """The levels that have readings in the range, those with most readings first."""
    counters = trace.counters
    inside = (counters.time >= window.start) & (counters.time < window.end)
    names = counters.name[inside]
    levels: Values = counters.value[inside]
    found, readings = np.unique(names, return_counts=True)
    most = np.lexsort((found, -readings))[:MOST_COUNTERS]
    rows = []
    for name in found[most].tolist():
        mine = levels[names == name]
        ends = (float(mine.min()), float(mine.max()), float(mine[-1]))
        rows.append(CounterInRange(trace.strings[name], len(mine), *ends))
    return tuple(rows)
