"""What threads do at the same moments: too many that work at once, and one that works while others wait for it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import library_frames
from traces.analysis.units import format_share, format_value
from traces.analysis.waiting_names import waits
from traces.equal_rows import numbered
from traces.insights.culprits import UNNAMED
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
from traces.insights.lock_contention import MONITOR
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.model import NONE, Int64, Profile, Trace
from traces.values import Order, ProfileKind, Waits

MOMENTS = 500
"""Moments at which all threads are looked at."""
MOST_THREADS = 128
"""Threads looked at, in the file's order: more of a kind show nothing more."""
FEW_THREADS = 3
"""Threads from which one that works while the others wait is more than a pair that takes turns."""
ALONE = 0.95
"""Part of the moments in which at most one thread is inside, from which that is no chance."""
USED = 0.6
"""Part of the moments in which one is inside, from which the others wait for it."""
NO_THREADS = "stacks of several threads at the same moments were not recorded"


@dataclass(frozen=True, slots=True)
class _Threads:
    """What each thread (a row) does at each moment (a column): the frame on top of its stack, NONE while it has none,
    and `own`, the program's function nearest to it; `stacks` has the frames of each thread's stack, by moment."""

    leaf: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64]
    stacks: list[list[tuple[int, ...]]]
    length: float


def _together(trace: Trace) -> _Threads | None:
    """The threads that were sampled in time; None where they are fewer than `FEW_THREADS`. Looked at once."""
    if "threads together" not in trace.answers:
        trace.answers["threads together"] = _looked_at(trace)
    found: _Threads | None = trace.answers["threads together"]
    return found


def _looked_at(trace: Trace) -> _Threads | None:
    profiles = [
        p
        for p in trace.profiles
        if p.kind is ProfileKind.SAMPLED
        and p.order is Order.TIME
        and p.axis.is_time
        and p.samples is not None
        and p.waits is not Waits.WAITING
        and len(p.samples)
    ][:MOST_THREADS]
    if len(profiles) < FEW_THREADS:
        return None
    start = min(float(p.axis_start) for p in profiles)
    end = max(float(p.axis_end) for p in profiles)
    moments = start + (np.arange(MOMENTS) + 0.5) * (end - start) / MOMENTS
    is_own = ~library_frames(trace)
    leaf, own, stacks = [], [], []
    for profile in profiles:
        nodes = _nodes_at(profile, moments)
        known = {node: _stack(profile, node) for node in set(nodes.tolist())}
        leaf.append([known[node][-1] if known[node] else NONE for node in nodes.tolist()])
        nearest = {node: _nearest(trace, is_own, stack) for node, stack in known.items()}
        own.append([nearest[node] for node in nodes.tolist()])
        stacks.append([known[node] for node in nodes.tolist()])
    return _Threads(np.array(leaf), np.array(own), stacks, end - start)


def _nodes_at(profile: Profile, moments: npt.NDArray[np.float64]) -> Int64:
    """The node on top of a profile's stack at each moment, NONE where nothing was sampled."""
    assert profile.samples is not None
    at = np.searchsorted(profile.samples.time, moments, side="right") - 1
    inside = (at >= 0) & (moments < float(profile.axis_end))
    return np.where(inside, profile.samples.leaf[np.maximum(at, 0)], NONE).astype(np.int64)


def _stack(profile: Profile, node: int) -> tuple[int, ...]:
    """The frames from the root to a node; empty for NONE."""
    found: list[int] = []
    while node >= 0:
        found.append(int(profile.tree.frame[node]))
        node = int(profile.tree.parent[node])
    return tuple(reversed(found))


def _nearest(trace: Trace, is_own: npt.NDArray[np.bool_], stack: tuple[int, ...]) -> int:
    return next((frame for frame in reversed(stack) if is_own[frame] and _is_function(trace, frame)), NONE)


def _is_function(trace: Trace, frame: int) -> bool:
    name = trace.frame_name(frame)
    return not UNNAMED.match(name) and not name.startswith("thread (")


def _resting(trace: Trace, leaf: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether threads with these frames on top wait, by their names, or have none."""
    frames, which = numbered(leaf.ravel())
    return np.array([_rests(trace, frame) for frame in frames.tolist()], np.bool_)[which].reshape(leaf.shape)


def _rests(trace: Trace, frame: int) -> bool:
    return frame == NONE or waits(trace.frame_name(frame)) or MONITOR.search(trace.frame_name(frame)) is not None


def _evidence(trace: Trace, frame: int, share: float) -> Evidence:
    return Evidence(f"f{frame}", trace.frame_name(frame), format_share(share), share)


def _too_many(subject: Subject) -> Verdict:
    """Python's threads that all work at once, of which its interpreter lets one run."""
    trace, threads = subject.trace, _together(subject.trace)
    if threads is None:
        return not_applicable(NO_THREADS)
    if not any((trace.frame_file(frame) or "").endswith(".py") for frame in range(min(len(trace.frames), 2_000))):
        return not_applicable("how many threads could run at the same time is known of Python only")
    working = ~_resting(trace, threads.leaf)
    at_once = working.sum(axis=0)
    busy = at_once > 0
    mean = float(at_once[busy].mean()) if busy.any() else 0.0
    if mean < threshold("oversubscription.threads"):
        return passed(f"{mean:.1f} threads work at the same time on average")
    functions = threads.own[working]
    functions = functions[functions != NONE]
    if not len(functions):
        return passed("the threads that work at the same time run no function of the program")
    frame = int(np.bincount(functions).argmax())
    share = float((functions == frame).mean())
    return Verdict(
        State.FAIL,
        f"Too many threads: {int(working.any(axis=1).sum())} of them compete for the interpreter, {mean:.0f} at the "
        f"same time on average, most of them in {{0}} ({format_share(share)}): Python runs one at a time, and the "
        "others only take turns.",
        Severity.HIGH,
        (_evidence(trace, frame, share),),
        profile=subject.profile.handle,
        share=1 - 1 / mean,
        advice="Use fewer threads for work on the processor, as many as cores, or processes instead of threads (a "
        "process pool).",
        confidence=Confidence.MEDIUM,
    )


def _one_at_a_time(subject: Subject) -> Verdict:
    """A function in which several threads stand, while exactly one of them is in what it calls."""
    trace, threads = subject.trace, _together(subject.trace)
    if threads is None:
        return not_applicable(NO_THREADS)
    for frame, waiting, inside in _suspects(trace, threads):
        some = waiting.any(axis=0)
        entered = inside.sum(axis=0)[some]
        rows = waiting.any(axis=1)
        part = float(waiting[rows].mean())
        few = rows.sum() < FEW_THREADS or part < threshold("lock-contention.high")
        if few or (entered <= 1).mean() < ALONE or (entered == 1).mean() < USED:
            continue
        below = [
            stack[stack.index(frame) + 1]
            for row, stacks in enumerate(threads.stacks)
            for column, stack in enumerate(stacks)
            if inside[row, column] and frame in stack[:-1]
        ]
        holder = int(np.bincount(below).argmax())
        waited = format_value(threads.length * float(waiting.mean(axis=1).sum()), subject.profile.axis)
        return Verdict(
            State.FAIL,
            f"Threads wait for a lock in {{0}}: {waited} in {int(rows.sum())} threads, {format_share(part)} of the "
            "recording in each; one at a time is in {1}, which runs inside the lock.",
            Severity.HIGH,
            (_evidence(trace, frame, part), _evidence(trace, holder, float(inside.any(axis=0).mean()))),
            profile=subject.profile.handle,
            share=min(part, 1.0),
            advice="Shorten what runs inside the lock: move that work outside it, or split the lock.",
            confidence=Confidence.MEDIUM,
        )
    return passed("no function has one thread working in it while others wait there")


def _suspects(trace: Trace, threads: _Threads) -> Iterator[tuple[int, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]:
    """Functions of the program in which threads stand still, and where each thread stands in them or in what they
    call, by thread and moment."""
    still = np.where((threads.leaf == threads.own) | _resting(trace, threads.leaf), threads.own, NONE)
    frames, which = numbered(still[still != NONE])
    for frame in frames[np.argsort(-np.bincount(which), kind="stable")][:5].tolist():
        waiting = still == frame
        inside = np.array([[frame in stack for stack in stacks] for stacks in threads.stacks]) & ~waiting
        yield frame, waiting, inside


DETECTORS = (
    Detector("thread-turns", Kind.WAITING, "Oversubscription", "more threads at work than can run at the same time",
             _too_many, ("oversubscription.threads",), ("How many threads are there?",), Confidence.MEDIUM,
             "oversubscription"),
    Detector("one-at-a-time", Kind.WAITING, "Lock contention", "threads that stand in a function in which one at a "
             "time works", _one_at_a_time, ("lock-contention.high",), ("What runs inside the lock?",),
             Confidence.MEDIUM, "lock_contention"),
)  # fmt: skip
