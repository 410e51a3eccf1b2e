"""How a thread spent a range of time: the rule of docs/time.md, between two moments."""

import numpy as np

from traces.analysis.name_kinds import NOBODY_KNOWS, WAITS_BY_NAME, WORKS
from traces.analysis.thread_states import is_scheduling, split
from traces.analysis.thread_time import (
    ThreadTime,
    View,
    covered_until,
    node_kinds,
    runs_tasks,
    task_spans,
    thread_time,
    time_value,
)
from traces.analysis.window import Window, clip, node_values, sample_extent
from traces.kernels.spans import self_durations
from traces.model import Profile, Spans, Trace
from traces.values import ThreadState, Waits

Parts = tuple[int, int, int]
"""Busy, waiting, unknown."""


def time_in_range(trace: Trace, profile: Profile, window: Window) -> ThreadTime | None:
    """Nanoseconds of the range that lie in the profile's axis, which add up to it; None where the profile measures no
    time or has no moments."""
    value = time_value(profile)
    if value is None or not profile.has_times or thread_time(trace, profile) is None:
        return None
    start, end = max(window.start, profile.axis_start), min(window.end, profile.axis_end)
    length = round(window.end - window.start)
    by = View.SAMPLES if profile.spans is None else View.SPANS
    if not start < end:
        return ThreadTime(by, length, 0, 0, length, 0)
    inside = Window(start, end)
    if profile.spans is not None:
        parts = _of_spans(trace, profile, profile.spans, inside)
    else:
        parts = _of_samples(trace, profile, value, inside)
    busy = min(parts[0], length)
    waiting = min(parts[1], length - busy)
    unknown = min(parts[2], length - busy - waiting)
    return ThreadTime(by, length, busy, waiting, length - busy - waiting - unknown, unknown)


def _by_names(trace: Trace, profile: Profile, value: int, window: Window, *, ask_names: bool) -> Parts:
    own = node_values(profile, window, value).self_value
    if profile.waits is Waits.WAITING:
        return 0, int(own.sum()), 0
    kinds = node_kinds(trace, profile, value, ask_names=ask_names)
    busy, waiting, unknown = (int(own[kinds == kind].sum()) for kind in (WORKS, WAITS_BY_NAME, NOBODY_KNOWS))
    return busy, waiting, unknown


def _of_spans(trace: Trace, profile: Profile, spans: Spans, window: Window) -> Parts:
    if is_scheduling(trace, profile):
        edges = (np.array([round(edge)], np.int64) for edge in (window.start, window.end))
        states = split(trace, profile, *edges)
        assert states is not None
        state = states[:, 0]
        return int(state[ThreadState.RUNNING]), int(state[ThreadState.RUNNABLE] + state[ThreadState.BLOCKED]), 0
    tasks = runs_tasks(trace, profile, spans)
    busy, waiting, unknown = _by_names(trace, profile, 0, window, ask_names=not tasks)
    if tasks or not len(spans.unfinished):
        return busy, waiting, unknown
    begins, ends = clip(spans.start, spans.end, window)
    drawn = self_durations(begins, ends, spans.parent)
    alone = np.zeros(len(spans) + 1, np.bool_)
    alone[-1] = True  # answers for NONE
    for row in spans.unfinished.tolist():  # callers come first; what lies in a span that ended is that one's
        alone[row] = alone[spans.parent[row]]
    return busy, waiting, int(drawn[alone[:-1]].sum())


def _of_samples(trace: Trace, profile: Profile, value: int, window: Window) -> Parts:
    samples = profile.samples
    assert samples is not None
    idle_is_recorded = bool(samples.weights[value][samples.leaf < 0].any())
    busy, waiting, unknown = _by_names(trace, profile, value, window, ask_names=not idle_is_recorded)
    nobody_knows = node_kinds(trace, profile, value, ask_names=False) == NOBODY_KNOWS
    if not profile.tree.self_values[value][nobody_knows].any() or profile.waits is Waits.WAITING:
        return busy, waiting, unknown
    busy, waiting = busy + waiting, 0  # a recorder that marks native code knows of itself when nothing runs
    tasks = task_spans(trace, profile)
    if tasks is None:
        return (busy + unknown, 0, 0) if idle_is_recorded else (busy, 0, unknown)
    rows = np.flatnonzero(np.append(nobody_knows, np.False_)[samples.leaf])
    first, last = sample_extent(profile, samples)
    begins, ends = clip(first[rows], last[rows], window)
    in_tasks = int((covered_until(tasks, ends) - covered_until(tasks, begins)).sum())
    return busy + min(in_tasks, unknown), 0, 0
