"""What the operating system did with a thread during its calls: running, runnable, sleeping, blocked, where the file
has the scheduling of its thread."""

from dataclasses import dataclass

import numpy as np

from traces.model import NONE, Int64, Profile, Trace
from traces.unfinished import finished
from traces.values import Clock, ThreadState


@dataclass(frozen=True, slots=True)
class StateTimes:
    """Nanoseconds in each state. They add up to the time asked for, as far as the file has the thread's states."""

    running: int
    runnable: int
    sleeping: int
    blocked: int


def states_of(trace: Trace, profile: Profile) -> slice | None:
    """The rows of the trace's states that are of a profile's thread; None where there are none."""
    if not len(trace.thread_states) or profile.clock is not Clock.TRACE:
        return None
    views = trace.views_by_thread[profile.pid, profile.tid] if profile.pid or profile.tid else (profile,)
    for view in views:
        low, high = np.searchsorted(trace.thread_states.profile, (view.index, view.index + 1)).tolist()
        if high > low:
            return slice(low, high)
    return None


def is_scheduling(trace: Trace, profile: Profile) -> bool:
    """Whether a profile is that of a thread as it was scheduled: what it shows is when the thread ran."""
    place = int(np.searchsorted(trace.thread_states.profile, profile.index))
    return place < len(trace.thread_states) and int(trace.thread_states.profile[place]) == profile.index


def split(trace: Trace, profile: Profile, begins: Int64, ends: Int64) -> Int64 | None:
    """Nanoseconds of each interval that a profile's thread was in each state, one row a state; None where the file does
    not have them."""
    rows = states_of(trace, profile)
    if rows is None:
        return None
    states = trace.thread_states
    start, end, state = states.start[rows], states.end[rows], states.state[rows]
    found = np.zeros((len(ThreadState), len(begins)), np.int64)
    for each in ThreadState:
        mine = np.flatnonzero(state == each)
        if len(mine):
            found[each] = _covered_until(start[mine], end[mine], ends) - _covered_until(start[mine], end[mine], begins)
    return found


def of_calls(trace: Trace, profile: Profile) -> StateTimes | None:
    """How the outermost calls of a profile that ended were spent; of a thread as it was scheduled, all that is
    recorded. None where the file does not have it."""
    spans, rows = profile.spans, states_of(trace, profile)
    if spans is None or rows is None:
        return None
    if is_scheduling(trace, profile):
        states = trace.thread_states
        lasted = states.end[rows] - states.start[rows]
        return StateTimes(*(int(lasted[states.state[rows] == each].sum()) for each in ThreadState))
    outermost = finished(spans.parent, spans.unfinished, spans.parent < 0)
    found = split(trace, profile, spans.start[outermost], spans.end[outermost])
    return None if found is None else StateTimes(*found.sum(axis=1).tolist())


def of_spans(trace: Trace, profile: Profile) -> Int64 | None:
    """The same of each span, one row a state; -1 where a span never ended. None where the file does not have it."""
    spans = profile.spans
    if spans is None:
        return None
    found = split(trace, profile, spans.start, spans.end)
    if found is not None:
        found[:, spans.unfinished] = NONE
    return found


def _covered_until(start: Int64, end: Int64, moments: Int64) -> Int64:
    """How much of some intervals, which are in order and do not overlap, lies before each moment."""
    lasted = end - start
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(lasted)))
    place = np.searchsorted(start, moments, "right")
    last = np.maximum(place - 1, 0)
    until: Int64 = np.where(place > 0, before[last] + np.clip(moments - start[last], 0, lasted[last]), 0)
    return until
