"""How much time on a processor a sample of perf stands for, and where that lies on the axis.

perf samples a thread only while it runs: between two samples that are further apart than usual it was off the
processors, and that time is no function's. `perf report` weighs samples by their periods alike (perf-report(1)).
"""

import re

import numpy as np

from traces.model import Int64

CLOCKS = ("cpu-clock", "task-clock")
"""Events whose period is nanoseconds of CPU time."""
MODIFIERS = frozenset("ukhIGHpPSDWeb0123456789")
"""May follow the colon of an event that counts while a thread runs (perf-list(1)); of a tracepoint, its name does."""
MOMENTS = re.compile(
    r"(?:(?:page|minor|major|alignment|emulation)-)?faults|cs|(?:context|cgroup)-switches|(?:cpu-)?migrations"
    r"|dummy|bpf-output"
)
"""Software events that happen now and then: samples of them say nothing about time."""
ALIKE = 1.25
"""Gaps that differ by no more than this factor are one interval: timers are late by some of it."""


def passes_on_a_processor(event: str) -> bool:
    """Whether samples of an event come while a thread runs, one after so much time or work."""
    name, _, rest = event.partition(":")
    return not MOMENTS.fullmatch(name) and MODIFIERS.issuperset(rest.rstrip(":"))


def usual_interval(gaps: Int64) -> int:
    """The gap (ns) that most gaps between samples of one thread are like, the least of several; 0 without any."""
    ordered = np.sort(gaps[gaps > 0])
    if not len(ordered):
        return 0
    first = np.arange(len(ordered))
    behind = np.searchsorted(ordered, ordered * ALIKE, "right")
    most = int((behind - first).argmax())
    return int(ordered[(most + int(behind[most])) // 2])


def lengths(time: Int64, period: Int64 | None, interval: int, event: str) -> tuple[Int64, Int64]:
    """Where the samples of one thread begin, and how long each lasts (ns); times are in order.

    A clock's sample lasts its period, and one that came too early waits for the end of the one before. Others last the
    usual interval, or until the next if that is less.
    """
    gaps = np.append(np.diff(time), np.iinfo(np.int64).max)
    if period is not None and event.startswith(CLOCKS) and period.sum() > 0:
        before = np.cumsum(period) - period
        begin: Int64 = np.maximum.accumulate(time - before) + before
        if len(begin) and (begin - time).max() <= 2 * int(period.max()):
            return begin, period
        interval = interval or int(np.median(period))
    return time, np.minimum(gaps, interval)
