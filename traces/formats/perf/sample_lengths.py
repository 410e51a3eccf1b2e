"""How much time on a processor a sample of perf stands for, and where that lies on the axis.

perf samples a thread only while it runs: between two samples that are further apart than usual it was off the
processors, and that time is no function's. `perf report` weighs samples by their periods alike (perf-report(1)).
"""

import re

import numpy as np

from traces.model import Int64

CLOCKS = ("cpu-clock", "task-clock")
"""Events whose period is nanoseconds of CPU time."""
CYCLES = re.compile(r"(?:.*[/_-])?cycles(?:[/:].*)?")
"""Events that count a processor's cycles, of which so many pass in so much time: `cpu-cycles`, `cpu_core/cycles/u`."""
MODIFIERS = frozenset("ukhIGHpPSDWeb0123456789")
"""May follow the colon of an event that counts while a thread runs (perf-list(1)); of a tracepoint, its name does."""
MOMENTS = re.compile(
    r"(?:(?:page|minor|major|alignment|emulation)-)?faults|cs|(?:context|cgroup)-switches|(?:cpu-)?migrations"
    r"|dummy|bpf-output"
)
"""Software events that happen now and then: samples of them say nothing about time."""
LARGEST = 2.0**61
"""Of lengths added up (ns): above it periods are no times."""
ALIKE = 1.25
"""Gaps that differ by no more than this factor are one interval: timers are late by some of it."""


def passes_on_a_processor(event: str) -> bool:
    """Whether samples of an event come while a thread runs, one after so much time or work."""
    name, _, rest = event.partition(":")
    return not MOMENTS.fullmatch(name) and MODIFIERS.issuperset(rest.rstrip(":"))


def measures_itself(event: str) -> bool:
    """Whether samples of an event are sampled work that is no time (instructions, misses): its count is what was asked
    for, and what `perf report` shows."""
    return passes_on_a_processor(event) and not event.startswith(CLOCKS) and not CYCLES.fullmatch(event)


def usual_interval(gaps: Int64) -> int:
    """The gap (ns) that most gaps between samples of one thread are like, the least of several; 0 without any."""
    ordered = np.sort(gaps[gaps > 0])
    if not len(ordered):
        return 0
    first = np.arange(len(ordered))
    behind = np.searchsorted(ordered, ordered * ALIKE, "right")
    most = int((behind - first).argmax())
    return int(ordered[(most + int(behind[most])) // 2])


def cycle_time(gaps: Int64, periods: Int64) -> float:
    """How long (ns) a cycle lasts, by samples with so many of them since the one before: what most cycles agree on, as
    a thread that slept in between has longer gaps; 0 without any."""
    counted = (gaps > 0) & (periods > 0)
    each = gaps[counted] / periods[counted]
    order = np.argsort(each)
    each, so_far = each[order], np.cumsum(np.append(0, periods[counted][order].astype(np.float64)))
    if not len(each):
        return 0.0
    first = np.arange(len(each))
    behind = np.searchsorted(each, each * ALIKE, "right")
    most = int((so_far[behind] - so_far[first]).argmax())
    middle = np.searchsorted(so_far, (so_far[most] + so_far[behind[most]]) / 2, "right") - 1
    return float(each[min(int(middle), len(each) - 1)])


def lengths(time: Int64, period: Int64 | None, interval: int, event: str, a_cycle: float = 0.0) -> tuple[Int64, Int64]:
    """Where the samples of one thread begin, and how long each lasts (ns); times are in order.

    A clock's sample lasts its period, and one that came too early waits for the end of the one before. One of cycles
    ends at its moment, when so many had passed (`a_cycle`). Others last the usual interval, or until the next if that
    is less.
    """
    gaps = np.diff(time)
    if period is not None and period.any() and period.min() >= 0:
        if event.startswith(CLOCKS):
            begin = _end_to_end(time, period)
            if begin is not None:
                return begin, period
            interval = interval or int(np.median(period))
        elif CYCLES.fullmatch(event) and a_cycle:
            lasting = np.minimum(np.rint(period * a_cycle), time[-1] - time[0] + interval).astype(np.int64)
            begin = _end_to_end(time - lasting, lasting)
            if begin is not None:
                return begin, lasting
            lasting[1:] = np.minimum(lasting[1:], gaps)
            return time - lasting, lasting
    return time, np.minimum(np.append(gaps, np.iinfo(np.int64).max), interval)


def _end_to_end(time: Int64, lasting: Int64) -> Int64 | None:
    """Where samples begin that do not overlap, none before its moment; None where they would be moved far."""
    if lasting.sum(dtype=np.float64) >= LARGEST:
        return None
    before = np.cumsum(lasting) - lasting
    begin: Int64 = np.maximum.accumulate(time - before) + before
    return begin if (begin - time).max() <= 2 * int(lasting.max()) else None
