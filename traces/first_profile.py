"""Which profile is first: the one that chart, findings, summary, pictures and answers show where nobody asked for
another. It is that of the thread where the user's program works, by its role, its own code and its busy time.

A file that says itself which profile to show (speedscope's `activeProfileIndex`, the run that was open in Instruments)
is followed by its importer, which sets `TraceBuilder.default_profile`.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from traces.analysis.filters import library_frames
from traces.analysis.thread_time import busy_time, busy_times, is_alone, stands_for_thread, views_of_thread
from traces.kernels.trees import sum_by_node
from traces.model import Profile, Trace
from traces.values import ProfileKind, Role, Unit, Waits

LEADS: dict[Role, float] = {
    Role.MAIN: 1.5,
    Role.UNKNOWN: 1.0,
    Role.WORKER: 1.0,
    Role.POOL: 0.5,
    Role.UI: 0.5,
    Role.IO: 0.05,
    Role.GPU: 0.02,
    Role.COMPOSITOR: 0.02,
    Role.GC: 0.01,
    Role.KERNEL: 0.01,
}
"""How much a thread's busy time counts by its role. The main thread is what people feel, so a worker has to be busier
by half to come before it; a browser's own main thread is next to the page's; pools do what others ask for; threads of
the system and of the machine come first only where there is nothing else."""
PROGRAM = frozenset({Role.MAIN, Role.UNKNOWN, Role.WORKER, Role.POOL, Role.UI})
"""Roles whose work is the program's, which say how busy a process is."""
NOT_A_THREAD = 0.05
"""How much a track counts that lies among threads with numbers and has a name in place of one (PyTorch's steps), or in
the process 0 of a system's recording, which is the kernel's or nobody's."""
RESERVED_PIDS = 100
"""A process with a greater number got it from a system; smaller ones may be a program's own count from 0."""
NO_OWN_CODE = 0.25
"""How much a thread counts in which nothing of the program's own runs, where it runs in others."""
OWN_CODE = 0.01
"""Part of a thread's time in own functions themselves from which on the program's own code runs in it."""
NEAR = 0.25
"""Part of the first thread's weight from which on others are looked at for own code: it reads every name."""
RANKED = 8
"""Threads that are looked at for own code at most."""
MEASURES = (Unit.NANOSECONDS, Unit.COUNT, Unit.BYTES)


class _Thread(NamedTuple):
    """A thread by the view that would be shown; `is_program` says whether its work makes its process lead."""

    profile: Profile
    weight: float
    is_program: bool


def first_profile(trace: Trace) -> int:
    """The index of the profile that is first; 0 where none has any weight.

    Of the process whose threads work most for the program (sums weighted by LEADS) the thread that leads; of its views
    the samples, which name functions, before tasks.
    """
    if len(trace.profiles) == 1:
        return 0
    for measured in _by_measure(trace):
        threads = _weighed(trace, measured)
        if threads:
            return _leading(trace, threads).index
    return 0


def ranked_threads(trace: Trace) -> list[tuple[Profile, float]]:
    """Each thread that did anything by the view that is shown of it, with its weight by the same rule: what measures
    time first, of each measure the heaviest first. A weight compares threads of one measure."""
    ranked: list[tuple[Profile, float]] = []
    for measured in _by_measure(trace):
        threads = sorted(_weighed(trace, measured), key=lambda thread: -thread.weight)
        ranked += [(thread.profile, thread.weight) for thread in (_by_own_code(trace, threads) if threads else [])]
    return ranked


def _by_measure(trace: Trace) -> list[list[Profile]]:
    """The profiles that can be first, those that measure time before counts, counts before bytes, waiting last."""
    groups: dict[tuple[bool, int], list[Profile]] = defaultdict(list)
    for profile in trace.profiles:
        unit = profile.values[profile.default_value].unit
        groups[profile.facts.waits is Waits.WAITING, MEASURES.index(unit)].append(profile)
    return [groups[key] for key in sorted(groups)]


def _weighed(trace: Trace, profiles: list[Profile]) -> list[_Thread]:
    """One row a thread that did anything, with what its busy time counts."""
    numbered = any(profile.tid.isdigit() for profile in profiles)
    of_system = any(pid.isdigit() and int(pid) > RESERVED_PIDS for pid in {profile.pid for profile in profiles})
    views = _shown(trace, profiles)
    found = []
    for view, busy in zip(views, busy_times(trace, views), strict=True):
        weight = busy * LEADS[view.role]
        is_thread = not ((numbered and view.tid and not view.tid.isdigit()) or (of_system and view.pid == "0"))
        if weight > 0:
            found.append(_Thread(view, weight * (1 if is_thread else NOT_A_THREAD), is_thread and view.role in PROGRAM))
    return found


def _shown(trace: Trace, profiles: list[Profile]) -> list[Profile]:
    """The view of each thread that would be shown, of those that may be first."""
    if len(trace.views_by_thread) == len(trace.profiles):  # each is alone
        return profiles
    return [
        profile if is_alone(trace, profile) else _view(trace, profile)
        for profile in profiles
        if is_alone(trace, profile) or _is_candidate(trace, profile)
    ]


def _is_candidate(trace: Trace, profile: Profile) -> bool:
    """Whether it stands for its thread, or for another program that ran in it, as `exec` leaves them: of the same kind
    and of the same values as the first."""
    if stands_for_thread(trace, profile):
        return True
    stands = next(view for view in views_of_thread(trace, profile) if stands_for_thread(trace, view))
    return (stands.kind, stands.values) == (profile.kind, profile.values)


def _leading(trace: Trace, threads: list[_Thread]) -> Profile:
    """The thread that leads in the process that leads; the earlier of equals."""
    ranked = _by_own_code(trace, sorted(threads, key=lambda thread: -thread.weight))
    processes: dict[str, float] = defaultdict(float)
    for thread in ranked:
        if thread.is_program:
            processes[thread.profile.pid] += thread.weight
    if not processes:
        return ranked[0].profile
    process = max(processes, key=processes.__getitem__)
    return next(thread.profile for thread in ranked if thread.is_program and thread.profile.pid == process)


def _by_own_code(trace: Trace, threads: list[_Thread]) -> list[_Thread]:
    """The threads by weight, those behind others in which nothing of the program's own runs."""
    near = [thread for thread in threads[:RANKED] if thread.weight >= NEAR * threads[0].weight]
    if len(near) < 2:
        return threads
    own = ~library_frames(trace)
    runs = [_runs(thread.profile, own) for thread in near]
    if all(runs) or not any(runs):
        return threads
    weighed = [
        thread if has else thread._replace(weight=thread.weight * NO_OWN_CODE)
        for thread, has in zip(near, runs, strict=True)
    ]
    return sorted([*weighed, *threads[len(near) :]], key=lambda thread: -thread.weight)


def _runs(profile: Profile, own: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> bool:
    """Whether functions of the program's own have a part of a profile's time themselves."""
    spent = profile.tree.self_values[profile.default_value]
    return bool(sum_by_node(profile.tree.frame, spent, len(own))[own].sum() >= OWN_CODE * spent.sum())


def _view(trace: Trace, thread: Profile) -> Profile:
    """The view of a thread that is shown first: its samples, if they are of time and found it at work."""
    views = [
        view
        for view in views_of_thread(trace, thread)
        if view.kind is ProfileKind.SAMPLED and view.unit is thread.unit and busy_time(trace, view) > 0
    ]
    return thread if thread.kind is ProfileKind.SAMPLED or not views else views[0]
