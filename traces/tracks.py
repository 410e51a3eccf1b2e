"""Processes and threads as a list over a chart shows them: name, role, how busy, and when."""

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.thread_time import busy_intervals, busy_time, stands_for_thread, thread_time, views_of_thread
from traces.analysis.time_axis import duration_ns
from traces.first_profile import ranked_threads
from traces.model import Profile, Trace
from traces.roles import TASKS
from traces.values import Clock, Role, Unit

Floats = npt.NDArray[np.float64]

BINS = 64
"""Parts of the recording that an activity is given for: a strip is about as many pixels wide."""
SMALL = 0.001
"""Part of the recording, or of the heaviest thread where no time was measured, below which a thread is folded away."""
WITH_ACTIVITY = 2_000
"""Threads with an activity at most, the first ones: more are not looked through."""
OF_PROCESS = re.compile(r"(?P<process>.+) \(pid \d+\), (?P<thread>.+)", re.DOTALL)
NUMBERED = re.compile(r"(?P<name>.+?) \((?:pid \d+, )?(?:pid|tid) \d+\)(?P<tasks> tasks)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Track:
    """A profile as one row.

    `process` is an index; `tid` the thread's number, as the file has it; `view_of` the handle of the thread's row when
    this is another view of that thread. `busy` is in `unit`; `share` is its part of the recording, None where no time
    was measured. `activity` has a character of 0 to f for each of BINS parts of the axis, how much of it the thread was
    busy (0 only where it never was); None where nothing has moments, and of small threads.
    """

    handle: str
    process: int
    tid: str
    name: str
    role: Role
    unit: Unit
    busy: float
    share: float | None
    is_small: bool
    activity: str | None
    view_of: str | None


@dataclass(frozen=True, slots=True)
class Process:
    """`name` is None where the file has none; `pid` is empty where it does not number processes."""

    pid: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Tracks:
    """Processes by how much works in them for the program, and their rows in the same order. The axis of activities is
    the recording's, from `start` to `end` in nanoseconds; None where threads have clocks of their own."""

    processes: tuple[Process, ...]
    tracks: tuple[Track, ...]
    start: float | None
    end: float | None


def tracks(trace: Trace) -> Tracks:
    """All profiles of a trace; the thread that the trace opens with is the first."""
    first = trace.profiles[trace.default_profile]
    ranked = ranked_threads(trace)
    weights = {profile.index: weight for profile, weight in ranked}
    place = {profile.index: at for at, (profile, _) in enumerate(ranked)}
    of_process: dict[str, float] = defaultdict(float)
    for profile, weight in ranked:
        of_process[profile.pid] += weight if profile.unit.is_time == first.unit.is_time else 0.0
    groups = _threads(trace, first, place)
    pids = sorted(dict.fromkeys(shown.pid for shown, _ in groups), key=lambda pid: (pid != first.pid, -of_process[pid]))
    number = {pid: at for at, pid in enumerate(pids)}
    groups.sort(
        key=lambda group: (
            number[group[0].pid],
            group[0] is not first,
            place.get(group[0].index, len(place)),
            group[0].index,
        )
    )
    heaviest: dict[Unit, float] = defaultdict(float)
    busy = {shown.index: float(busy_time(trace, _standing(trace, shown))) for shown, _ in groups}
    for shown, _ in groups:
        heaviest[shown.unit] = max(heaviest[shown.unit], busy[shown.index])
    start, end = _axis(trace)
    rows: list[Track] = []
    names: dict[str, str] = {}
    for shown, others in groups:
        standing = _standing(trace, shown)
        share = _share(trace, standing)
        part = share if share is not None else busy[shown.index] / (heaviest[shown.unit] or 1.0)
        is_small = shown is not first and (part < SMALL or shown.index not in weights)
        process, name = _named(shown)
        if process is not None:
            names.setdefault(shown.pid, process)
        with_activity = not is_small and len(rows) < WITH_ACTIVITY
        activity = _activity(trace, standing, start, end) if with_activity else None
        unit = Unit.NANOSECONDS if share is not None else shown.unit
        at, tid = number[shown.pid], shown.tid
        label = name if others else name.removesuffix(TASKS)
        values = (shown.role, unit, busy[shown.index], share, is_small, activity, None)
        rows.append(Track(shown.handle, at, tid, label, *values))
        for other in others:
            view = (other.role, other.unit, 0.0, None, is_small, None, shown.handle)
            rows.append(Track(other.handle, at, tid, _named(other)[1], *view))
    return Tracks(tuple(Process(pid, names.get(pid)) for pid in pids), tuple(rows), start, end)


def _threads(trace: Trace, first: Profile, place: dict[int, int]) -> list[tuple[Profile, list[Profile]]]:
    """Each thread's profile that is shown, and its other ones."""
    found: dict[tuple[str, str] | int, list[Profile]] = {}
    groups = []
    for profile in trace.profiles:
        is_named = profile.clock is Clock.TRACE and (profile.pid or profile.tid)
        found.setdefault((profile.pid, profile.tid) if is_named else profile.index, []).append(profile)
    for profiles in list(found.values()):
        programs = [one for one in profiles if one.index in place]
        for ran_later in sorted(programs, key=lambda one: (one is not first, place[one.index]))[1:]:  # by `exec`
            groups.append((ran_later, list[Profile]()))
            profiles.remove(ran_later)
        shown = min(profiles, key=lambda one: (one is not first, place.get(one.index, len(place)), one.index))
        groups.append((shown, [one for one in profiles if one is not shown]))
    return groups


def _standing(trace: Trace, shown: Profile) -> Profile:
    """The view of a thread by which it is measured how busy it was."""
    stands = next((view for view in views_of_thread(trace, shown) if stands_for_thread(trace, view)), shown)
    is_another_program = (stands.kind, stands.values) == (shown.kind, shown.values)
    return shown if is_another_program else stands


def _share(trace: Trace, profile: Profile) -> float | None:
    time = thread_time(trace, profile)
    return None if time is None else time.busy / time.length if time.length else 0.0


def _axis(trace: Trace) -> tuple[float | None, float | None]:
    timed = [profile for profile in trace.profiles if profile.has_times]
    if not timed or any(profile.clock is not Clock.TRACE for profile in timed) or not duration_ns(trace):
        return None, None
    return float(min(p.axis_start for p in timed)), float(max(p.axis_end for p in timed))


def _activity(trace: Trace, profile: Profile, start: float | None, end: float | None) -> str | None:
    if not profile.has_times:
        return None
    begin, until = (profile.axis_start, profile.axis_end) if start is None or end is None else (start, end)
    edges = np.linspace(begin, until, BINS + 1)
    if edges[-1] <= edges[0]:
        return None
    begins, ends = busy_intervals(trace, profile)
    covered = np.diff(_covered(np.asarray(begins, np.float64), np.asarray(ends, np.float64), edges))
    level = np.ceil(covered / (edges[1] - edges[0]) * 15 - 1e-9).astype(np.int64).clip(0, 15)
    return "".join("0123456789abcdef"[one] for one in level.tolist())


def _covered(begins: Floats, ends: Floats, edges: Floats) -> Floats:
    """How much lies in the intervals, which are in order and do not overlap, before each edge."""
    if not len(begins):
        return np.zeros(len(edges))
    before = np.concatenate((np.zeros(1), np.cumsum(ends - begins)))
    place = np.searchsorted(begins, edges, "right")
    last = np.maximum(place - 1, 0)
    inside = np.clip(edges - begins[last], 0, ends[last] - begins[last])
    return np.where(place > 0, before[last] + inside, 0.0)


def _named(profile: Profile) -> tuple[str | None, str]:
    """The process's name, if the profile's has it, and the thread's without numbers."""
    if found := OF_PROCESS.fullmatch(profile.name):
        thread = found["thread"]
        inner = NUMBERED.fullmatch(thread)
        return found["process"], thread if inner is None else inner["name"] + (inner["tasks"] or "")
    if found := NUMBERED.fullmatch(profile.name):
        return None, found["name"] + (found["tasks"] or "")
    return None, profile.name
