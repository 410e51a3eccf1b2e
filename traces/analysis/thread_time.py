"""How a thread spent its time: busy, waiting, idle, unknown. The one place that says what is work; the rule is in
docs/time.md."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from traces.analysis.name_kinds import NOBODY_KNOWS, NOT_KNOWN, TASK, WAITS_BY_NAME, WORKS
from traces.analysis.small_trees import small_tree, small_trees
from traces.analysis.thread_states import is_scheduling, of_calls
from traces.analysis.time_axis import duration_ns
from traces.analysis.waiting_names import waits
from traces.analysis.window import root_total, sample_extent
from traces.equal_rows import distinct
from traces.kernels.columns import counted, pick
from traces.kernels.spans import self_durations
from traces.kernels.trees import sum_by_node
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int32, Int64, Profile, Spans, Trace, Values
from traces.unfinished import finished
from traces.values import Clock, Facts, Role, Waits

TASK_THREAD = lazy_regex(r"(?:^|[ ,])(?:Cr[A-Z]|Chrome_|ThreadPool|Compositor|VizCompositor)")
"""Threads of Chrome that run tasks, by name."""
CPU_TIME = "CPU time"
"""What importers call the value that says how long a thread was on a processor."""
NEARLY_ALL = 0.95
"""Of a time: what is missing changes no answer."""
READ_NAMES = 300
"""Functions of a profile whose names are asked, the heaviest by self: the others weigh next to nothing."""
DEVICE = lazy_regex(r"\bstream\s*\d", re.IGNORECASE)
"""A queue of a GPU's work; what feeds it from a processor is a thread as any other."""


class View(StrEnum):
    """What a thread's time was found by."""

    SPANS = "spans"  #: Single calls or tasks with start and end.
    SAMPLES = "samples"  #: Stacks in time.
    SUMS = "sums"  #: Sums per stack: its length is what was measured.


@dataclass(frozen=True)
class ThreadTime:
    """Nanoseconds; `busy`, `waiting`, `idle` and `unknown` add up to `length`, which is the recording's."""

    by: View
    length: int
    busy: int
    waiting: int
    idle: int
    unknown: int

    @property
    def idle_share(self) -> float:
        """The part of the time during which nothing ran."""
        return self.idle / self.length if self.length else 0.0


def thread_time(trace: Trace, profile: Profile) -> ThreadTime | None:
    """How the thread of a profile spent its time, by this profile; None where it measures no time, or has no rows."""
    known: dict[int, ThreadTime | None] = trace.answers.setdefault("thread times", {})
    if profile is not trace.profiles[profile.index]:
        return _thread_time(trace, profile)
    if profile.index not in known:
        small = _small_times(trace)
        known[profile.index] = (small.of(profile.index) if small is not None else None) or _thread_time(trace, profile)
    return known[profile.index]


@dataclass(frozen=True, slots=True)
class _SmallTimes:
    """The times of threads of a few calls that all ended, together: of a recording of thousands one alone costs more
    than its rows. A row each of a recording of `length`; `row` is that of every profile, -1 of others."""

    length: int
    row: Int32
    busy: Int64
    waiting: Int64
    unknown: Int64

    def of(self, profile: int) -> ThreadTime | None:
        """That of a profile of the trace."""
        row = int(self.row[profile])
        if row == NONE:
            return None
        parts = _Parts(int(self.busy[row]), int(self.waiting[row]), int(self.unknown[row]))
        return _filled(View.SPANS, self.length, parts)


def _small_times(trace: Trace) -> _SmallTimes | None:
    if "small threads" not in trace.answers:
        trace.answers["small threads"] = _of_small_threads(trace)
    found: _SmallTimes | None = trace.answers["small threads"]
    return found


def _of_small_threads(trace: Trace) -> _SmallTimes | None:
    length = duration_ns(trace)
    if length is None or len(trace.thread_states):
        return None
    small = small_trees(trace)
    waiting = small.waits.copy()
    for at in np.flatnonzero(waiting).tolist():
        profile = small.profiles[at]
        if small.runs_tasks[at] or TASK_THREAD.search(profile.name) or shows_only_work(profile):
            waiting[at] = 0
    row = small.row.copy()
    others = (p.index for p in small.profiles if p.spans is None or len(p.spans.unfinished) or not _is_timed(p.facts))
    row[list(others)] = NONE
    return _SmallTimes(length, row, small.works + small.waits - waiting, waiting, small.nobody_knows)


def _is_timed(facts: Facts) -> bool:
    return facts.clock is Clock.TRACE and facts.waits is not Waits.WAITING


def _thread_time(trace: Trace, profile: Profile) -> ThreadTime | None:
    value = time_value(profile)
    if value is None or not len(profile.samples if profile.samples is not None else profile.spans or ()):
        return None
    if not profile.has_times:
        everything = int(root_total(profile.tree, profile.tree.total_values[value]))
        parts = _by_names(trace, profile, value)
        return _filled(View.SUMS, everything, parts)
    length = duration_ns(trace) if profile.clock is Clock.TRACE else int(profile.axis_end - profile.axis_start)
    assert length is not None
    if profile.spans is not None:
        return _filled(View.SPANS, length, _of_spans(trace, profile, profile.spans))
    parts = _of_samples(trace, profile, value)
    worked = measured_work(profile)
    if worked is not None:
        parts = _Parts(worked, max(0, parts.busy + parts.waiting - worked), parts.unknown)
    return _filled(View.SAMPLES, length, parts)


def measured_work(profile: Profile) -> int | None:
    """For how many nanoseconds a sampled thread was on a processor, where the recorder measured it next to the time by
    the clock (Firefox's `threadCPUDelta`); None elsewhere."""
    if profile.samples is None or profile.waits is not Waits.BOTH or not profile.unit.is_time:
        return None
    measured = [k for k, value in enumerate(profile.values) if value.name == CPU_TIME and value.unit.is_time]
    if not measured or measured[0] == profile.default_value:
        return None
    return int(profile.samples.weights[measured[0]].sum())


def processor_time(profile: Profile) -> int | None:
    """For how many nanoseconds of its outermost calls a thread was on a processor (Chrome's `tdur`), where the file
    says it of nearly all of their time; None elsewhere."""
    spans = profile.spans
    if spans is None or not len(spans.running):
        return None
    rows = finished(spans.parent, spans.unfinished, spans.parent < 0)
    lasted, running = spans.end[rows] - spans.start[rows], spans.running[rows]
    known = running >= 0
    enough = known.any() and lasted[known].sum() >= NEARLY_ALL * lasted.sum()
    return int(min(running[known].sum(), lasted.sum())) if enough else None


def busy_time(trace: Trace, profile: Profile) -> float:
    """How much a profile was busy, in its own unit where that is no time."""
    found = thread_time(trace, profile)
    return root_total(profile.tree, profile.tree.total_values[profile.default_value]) if found is None else found.busy


def busy_times(trace: Trace, profiles: Sequence[Profile]) -> list[float]:
    """The `busy_time` of several profiles of the trace."""
    small = _small_times(trace)
    if small is None:
        return [busy_time(trace, profile) for profile in profiles]
    rows = small.row[[profile.index for profile in profiles]]
    busy = np.append(np.minimum(small.busy, small.length), NONE)[rows].tolist()
    return [
        float(one) if row != NONE else busy_time(trace, profile)
        for profile, row, one in zip(profiles, rows.tolist(), busy, strict=True)
    ]


def busy_intervals(trace: Trace, profile: Profile) -> tuple[Values, Values]:
    """When a profile with times was busy or waiting: beginnings and ends in order, which do not overlap."""
    if profile.spans is not None:
        spans = profile.spans
        rows = finished(spans.parent, spans.unfinished, spans.parent < 0)
        return spans.start[rows], spans.end[rows]
    assert profile.samples is not None
    begins, ends = sample_extent(profile, profile.samples)
    time, ran = thread_time(trace, profile), profile.samples.leaf >= 0
    if time is not None and (time.unknown or task_spans(trace, profile) is not None):
        known = node_kinds(trace, profile, profile.default_value, ask_names=False) != NOBODY_KNOWS
        ran = np.append(known, np.False_)[profile.samples.leaf]
    return begins[ran], ends[ran]


def is_alone(trace: Trace, profile: Profile) -> bool:
    """Whether a profile is the only one in time of its thread, as far as the file names threads."""
    if not (profile.pid or profile.tid) or profile.clock is not Clock.TRACE:
        return True
    return len(trace.views_by_thread[profile.pid, profile.tid]) == 1


def views_of_thread(trace: Trace, profile: Profile) -> list[Profile]:
    """The profiles in time of one thread of the recording; this one alone where the file does not name threads."""
    if not (profile.pid or profile.tid) or profile.clock is not Clock.TRACE:
        return [profile]
    return list(trace.views_by_thread[profile.pid, profile.tid])


def stands_for_thread(trace: Trace, profile: Profile) -> bool:
    """Whether this is the view of its thread that is asked which thread is busiest: spans before samples, of several
    sampled ones the busiest (perf names a process anew when it starts another program)."""
    if is_alone(trace, profile):
        return True
    views = views_of_thread(trace, profile)
    spans = [view for view in views if view.spans is not None]
    return profile is (spans[0] if spans else max(views, key=lambda view: busy_time(trace, view)))


def task_spans(trace: Trace, profile: Profile) -> Profile | None:
    """The spans of a sampled profile's thread, if they are tasks."""
    for view in views_of_thread(trace, profile):
        if view.spans is not None and runs_tasks(trace, view, view.spans):
            return view
    return None


@dataclass(frozen=True, slots=True)
class _Parts:
    busy: int = 0
    waiting: int = 0
    unknown: int = 0


def _filled(by: View, length: int, parts: _Parts) -> ThreadTime:
    """What is left is idle. A value that says more than fits is cut: no thread works longer than the recording."""
    busy = min(parts.busy, length)
    waiting = min(parts.waiting, length - busy)
    unknown = min(parts.unknown, length - busy - waiting)
    return ThreadTime(by, length, busy, waiting, length - busy - waiting - unknown, unknown)


def time_value(profile: Profile) -> int | None:
    """Which of a profile's values is its thread's time; None where none is."""
    if profile.unit.is_time:
        return profile.default_value
    if profile.has_times:
        return next((index for index, value in enumerate(profile.values) if value.unit.is_time), None)
    return None


def shows_only_work(profile: Profile) -> bool:
    """Whether no function of it can wait, whatever its name: a kernel called `SendRecv` keeps its device busy."""
    return profile.waits is Waits.WORK or (profile.role is Role.GPU and DEVICE.search(profile.name) is not None)


def node_kinds(trace: Trace, profile: Profile, value: int, *, ask_names: bool) -> npt.NDArray[np.uint8]:
    """What each call-tree node does by itself, by its function's name."""
    kinds, _, which = _kinds_of_frames(trace, profile, value, ask_names=ask_names)
    return pick(kinds, which)


def _kinds_of_frames(
    trace: Trace, profile: Profile, value: int, *, ask_names: bool
) -> tuple[npt.NDArray[np.uint8], Values, Int32]:
    """What each frame of a tree does by itself, and for how long; and the place among them of each node's."""
    tree = profile.tree
    frames, which = _used_frames(trace, tree.frame)
    of_frames = sum_by_node(which, tree.self_values[value], len(frames))
    kinds = np.full(len(frames), WORKS, np.uint8)
    for at in np.argsort(-of_frames, kind="stable")[:READ_NAMES].tolist():
        name = trace.frame_name(int(frames[at]))
        if name in NOT_KNOWN:
            kinds[at] = NOBODY_KNOWS
        elif ask_names and not shows_only_work(profile) and waits(name):
            kinds[at] = WAITS_BY_NAME
    return kinds, of_frames, which


def _used_frames(trace: Trace, frame: Int32) -> tuple[Int64, Int32]:
    """The frames of a tree in their order, and each node's place among them."""
    used = np.flatnonzero(counted(frame, len(trace.frames)))
    place = np.zeros(len(trace.frames), np.int32)
    place[used] = np.arange(len(used))
    return used, pick(place, frame)


def _by_names(trace: Trace, profile: Profile, value: int, *, ask_names: bool = True) -> _Parts:
    """Work, waiting and what nobody knows of a profile's stacks, by the functions on top of them."""
    own = profile.tree.self_values[value]
    if profile.waits is Waits.WAITING:
        return _Parts(waiting=int(own.sum()))
    if value == profile.default_value and (small := small_tree(trace, profile)) is not None:
        asked = small.waits if ask_names and not shows_only_work(profile) else 0
        return _Parts(small.works + small.waits - asked, asked, small.nobody_knows)
    kinds, spent, _ = _kinds_of_frames(trace, profile, value, ask_names=ask_names)
    return _Parts(*(int(spent[kinds == kind].sum()) for kind in (WORKS, WAITS_BY_NAME, NOBODY_KNOWS)))


def _of_samples(trace: Trace, profile: Profile, value: int) -> _Parts:
    samples = profile.samples
    assert samples is not None
    idle_is_recorded = bool(samples.weights[value][samples.leaf < 0].any())
    parts = _by_names(trace, profile, value, ask_names=not idle_is_recorded)
    if parts.unknown and parts.waiting:  # a recorder that marks native code knows of itself when nothing runs
        parts = _Parts(parts.busy + parts.waiting, 0, parts.unknown)
    if not parts.unknown:
        return parts
    tasks = task_spans(trace, profile)
    if tasks is not None:
        inside = _inside_tasks(trace, profile, value, tasks)
        return _Parts(parts.busy + min(inside, parts.unknown), parts.waiting)
    return _Parts(parts.busy + parts.unknown, parts.waiting) if idle_is_recorded else parts


def _inside_tasks(trace: Trace, profile: Profile, value: int, tasks: Profile) -> int:
    """How much of what nobody knows lies in tasks that ended."""
    samples = profile.samples
    assert samples is not None
    nobody_knows = node_kinds(trace, profile, value, ask_names=False) == NOBODY_KNOWS
    begins, ends = sample_extent(profile, samples)
    rows = np.flatnonzero(np.append(nobody_knows, np.False_)[samples.leaf])
    return int((covered_until(tasks, ends[rows]) - covered_until(tasks, begins[rows])).sum())


def _of_spans(trace: Trace, profile: Profile, spans: Spans) -> _Parts:
    if (states := of_calls(trace, profile)) is not None and is_scheduling(trace, profile):
        return _Parts(states.running, states.runnable + states.blocked)
    tasks = runs_tasks(trace, profile, spans)
    parts = _by_names(trace, profile, 0, ask_names=not tasks)
    if tasks or not len(spans.unfinished):
        return parts
    drawn = self_durations(spans.start, spans.end, spans.parent)
    alone = np.zeros(len(spans) + 1, np.bool_)
    alone[-1] = True  # answers for NONE
    for row in spans.unfinished.tolist():  # callers come first; what lies in a span that ended is that one's
        alone[row] = alone[spans.parent[row]]
    return _Parts(parts.busy, parts.waiting, int(drawn[alone[:-1]].sum()))


def runs_tasks(trace: Trace, profile: Profile, spans: Spans) -> bool:
    """Whether what lies between a thread's spans is known to be no work: it runs tasks, or spans that ended lie at its
    top level before what did not end."""
    if TASK_THREAD.search(profile.name):
        return True
    if len(spans.unfinished) and spans.unfinished[0] > 0:
        return True
    if (small := small_tree(trace, profile)) is not None:
        return small.runs_tasks
    frames = distinct(profile.tree.frame[: READ_NAMES * 10])[:READ_NAMES]
    return any(TASK.search(trace.frame_name(frame)) for frame in frames.tolist())


def covered_until(profile: Profile, moments: Int64) -> Int64:
    """How much of a profile's time lies in spans that ended, before each moment."""
    spans = profile.spans
    assert spans is not None
    rows = finished(spans.parent, spans.unfinished, spans.parent < 0)
    start, lasted = spans.start[rows], spans.end[rows] - spans.start[rows]
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(lasted)))
    place = np.searchsorted(start, moments, "right")
    last = np.maximum(place - 1, 0)
    open_part = np.clip(moments - start[last], 0, lasted[last]) if len(rows) else np.zeros(len(moments), np.int64)
    until: Int64 = np.where(place > 0, before[last] + open_part, 0)
    return until
