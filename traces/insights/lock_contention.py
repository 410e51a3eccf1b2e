"""Threads that wait for locks: which lock, whose function waits, how long, and in how many threads."""

import re

import numpy as np

from traces.analysis.units import format_share, format_value
from traces.insights.insight import (
    Confidence,
    Detector,
    Evidence,
    Kind,
    Severity,
    State,
    Verdict,
    not_applicable,
    passed,
)
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import Profile, Trace
from traces.values import Order, Role, Unit, Waits

LOCK = lazy_regex(r"^\(lock: (.+)\)$")
MONITOR = lazy_regex(
    r"^Lock$|pthread_(?:mutex|rwlock|spin)_\w*lock|__lll_lock_wait|futex_wait|Monitor\.Enter|sync\.\(\*(?:RW)?Mutex\)\.R?Lock|"
    r"ObjectMonitor::enter|std::mutex::lock|parking_lot::|runtime\.lock2|Mutex#(?:lock|synchronize)|"
    r"'acquire' of '_thread\.R?[Ll]ock'|\block\.acquire\b|ReentrantLock\.lock|synchronized\b"
)
JOINING = lazy_regex(
    r"_wait_for_tstate_lock|\bjoin\b|\bresult\b|as_completed|Condition\.wait|\bwait\b|Queue\.get|\bget\b|shutdown|"
    r"pthread_cond|_shutdown|WaitGroup|\bEvent\.|\bselect\b|park"
)
"""Waiting for another thread's end or for work, which takes a lock too and is no contention."""
HANDED = lazy_regex(
    r"^runtime\.(?:chan(?:recv|send)|selectgo|block|gopark)|WaitGroup|sync\.\(\*Cond\)|pthread_cond|\bjoin\b"
)
"""Waiting for what another thread hands over: Go's block profile has both."""
CONTENTIONS = lazy_regex(r"contention|mutex|lock", re.IGNORECASE)


def _lock_profiles(trace: Trace) -> list[Profile]:
    """The profiles of waiting for locks: those of all threads where there are such, else those of single ones."""
    waits = [p for p in trace.profiles if p.waits is Waits.WAITING and p.unit is Unit.NANOSECONDS]
    return [p for p in waits if CONTENTIONS.search(p.name) or any(CONTENTIONS.search(v.name) for v in p.values)]


def _lock_contention(subject: Subject) -> Verdict:
    profiles = _lock_profiles(subject.trace)
    if profiles:
        return _recorded(subject.trace, profiles)
    return _by_name(subject)


def _recorded(trace: Trace, profiles: list[Profile]) -> Verdict:
    """A verdict on recorded waits for locks."""
    profile = max(profiles, key=lambda p: Subject(trace, p).total)
    waits = Subject(trace, profile)
    if waits.total <= 0:
        return passed("no thread waited for a lock", profile=profile.handle)
    own, tree = waits.own, waits.heavy
    handed = own.above(own.named(HANDED)[tree.frame]) >= 0
    leaf = np.flatnonzero((tree.own > 0) & ~handed)
    if not len(leaf):
        return passed("threads waited for each other's work, not for locks", profile=profile.handle)
    total = float(tree.own[leaf].sum())
    culprit = own.weightiest(leaf, tree.own[leaf], but=own.named(MONITOR))
    if culprit is None:
        culprit = int(tree.frame[leaf[np.argmax(tree.own[leaf])]])
    inside = own.above(tree.frame == culprit)[leaf] >= 0
    value = float(tree.own[leaf[inside]].sum())
    every = profile.tree
    count = int(every.count[every.levels.at_or_below(every.frame == culprit)].sum())
    threads = _waiting_threads(trace, profile)
    lasted = _length(trace)
    part = total / (lasted * max(threads, 1)) if lasted else None
    said = f"{waits.amount(value)} in {count:,} waits" if count and not handed.any() else waits.amount(value)
    of_all = ", all of it" if (elsewhere := waits.amount(value) != waits.amount(total)) else ""
    said += f", of {waits.amount(total)} in all" if elsewhere else ""
    if total < threshold("lock-contention.length") or (1.0 if part is None else part) < threshold(
        "lock-contention.share"
    ):
        return passed(f"threads waited for locks {said}", profile=profile.handle)
    lock = _locks(trace)
    evidence = [Evidence(f"f{culprit}", trace.frame_name(culprit), format_value(value, profile.unit))]
    if lock is not None:
        evidence.append(lock)
    each = ""
    if part and threads > 1:
        each = f"{of_all or ','} {format_share(part)} of the recording in each of {threads} threads"
    return Verdict(
        State.FAIL,
        f"Threads wait for a lock in {{0}}: {said}{each}"
        + (f", most of it for a lock of {{{len(evidence) - 1}}}." if lock is not None else "."),
        Severity.HIGH if part is None or part >= threshold("lock-contention.high") else Severity.MEDIUM,
        tuple(evidence),
        profile=profile.handle,
        share=min(value / waits.total, 1.0),
        advice="Shorten what runs inside the lock: move work outside it, or split the lock so that threads need "
        "different ones.",
        confidence=Confidence.HIGH if lasted else Confidence.MEDIUM,
    )


def _waiting_threads(trace: Trace, profile: Profile) -> int:
    """How many threads have a profile of their own in which they wait for a lock; 0 where none is known."""
    locks = {frame for frame, name in enumerate(trace.frame_names) if LOCK.match(name)}
    alone = [p for p in trace.profiles if p.waits is Waits.WAITING and p.index != profile.index]
    return sum(p.order is Order.TIME and not locks.isdisjoint(p.tree.frame.tolist()) for p in alone)


def _length(trace: Trace) -> float:
    """Nanoseconds from the first to the last moment of all profiles in time; 0 where none has times."""
    timed = [p for p in trace.profiles if p.has_times and p.axis.is_time]
    return max((float(p.axis_end) for p in timed), default=0.0) - min((float(p.axis_start) for p in timed), default=0.0)


def _locks(trace: Trace) -> Evidence | None:
    """The class of lock that was waited for longest, where waits name it."""
    value: dict[int, float] = {}
    for profile in trace.profiles:
        if profile.waits is Waits.WAITING:
            own = profile.tree.self_values[profile.default_value]
            for node in np.flatnonzero(own > 0).tolist():
                frame = int(profile.tree.frame[node])
                if LOCK.match(trace.frame_name(frame)):
                    value[frame] = value.get(frame, 0.0) + float(own[node])
    if not value:
        return None
    frame = max(value, key=lambda one: value[one])
    found = LOCK.match(trace.frame_name(frame))
    assert found is not None
    return Evidence(f"f{frame}", found[1], format_value(value[frame], Unit.NANOSECONDS))


def _by_name(subject: Subject) -> Verdict:
    """A verdict on the functions that take locks, where waiting is in the profile."""
    if subject.profile.waits not in (Waits.BOTH, Waits.WAITING) or subject.profile.role is Role.GC:
        return not_applicable("waiting for locks was not recorded")
    own, tree = subject.own, subject.heavy
    joining = np.append(own.above(own.named(JOINING)[tree.frame]) >= 0, np.False_)
    rows = np.array([row for row in own.entering(own.named(MONITOR)).tolist() if not joining[row]], np.int64)
    value = float(tree.total[rows].sum()) if len(rows) else 0.0
    share = value / subject.total
    if share < threshold("locks.share"):
        return passed(f"{format_share(share)} is waiting for locks by name", share=share)
    culprit = own.weightiest(rows, tree.total[rows], but=own.named(MONITOR))
    heaviest = int(tree.frame[rows[np.argmax(tree.total[rows])]])
    frames = [heaviest] if culprit is None else [culprit, heaviest]
    return Verdict(
        State.FAIL,
        f"Waiting for a lock takes {subject.amount(value)} ({format_share(share)}) in {{0}}"
        + (" by way of {1}." if len(frames) > 1 else "."),
        Severity.MEDIUM,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames),
        profile=subject.profile.handle,
        share=share,
        advice="Shorten what runs inside the lock, or split it; find out who has it meanwhile.",
        confidence=Confidence.MEDIUM,
    )


DETECTORS = (
    Detector("lock-contention", Kind.WAITING, "Lock contention", "recorded waits for locks: which function, which lock",
             _lock_contention, ("lock-contention.length", "lock-contention.share", "lock-contention.high",
              "locks.share"),
             ("Which lock is contended?", "What runs inside the lock?"), Confidence.MEDIUM, "lock_contention"),
)  # fmt: skip
