"""Threads in time: long tasks, blocking, uneven workers, a lonely thread, late frames, waiting for the network."""

import re

import numpy as np

from traces.analysis.thread_time import busy_time, thread_time
from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window, node_values
from traces.equal_rows import distinct
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
from traces.insights.subject import Subject, durations, root_spans
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int64, Profile, Trace
from traces.values import ProfileKind, Role, Unit

NO_TASKS = "no tasks of a thread that answers people were recorded"
UI_THREAD = lazy_regex(r"CrRendererMain|CrBrowserMain|GeckoMain|\bUI\b|^main\b|main ?thread", re.IGNORECASE)
"""Threads whose long tasks people feel, if the program has an interface."""
ANSWERING = frozenset({Role.MAIN, Role.UI, Role.UNKNOWN})
"""Roles of threads that can answer people; a worker's long task blocks no input."""
INTERFACE = lazy_regex(r"CrRendererMain|CrBrowserMain|GeckoMain|\bUI\b", re.IGNORECASE)
"""Threads that only programs with an interface have."""
FRAMES = ("DrawFrame", "doFrame", "Present", "FramePresented")
SENT = ("ResourceSendRequest",)
FINISHED = ("ResourceFinish",)
ENTIRE_PROGRAM = 0.9
"""A single call this long, of the time recorded, is the program itself and no task of a loop."""


def _has_interface(trace: Trace, profile: Profile) -> bool:
    """Whether the thread answers people: a main thread of a program that also has threads of an interface, or a name
    that only such threads have. A script's main thread answers nobody."""
    if INTERFACE.search(profile.name) or profile.role is Role.UI:
        return True
    return profile.role is Role.MAIN and any(p.role in (Role.UI, Role.COMPOSITOR) for p in trace.profiles)


def tasks(subject: Subject) -> tuple[Profile, Int64] | None:
    """The timeline of the main thread and its tasks: None where there is none, or where one call is the program."""
    profile = subject.timeline
    if profile is None or profile.role not in ANSWERING:
        return None
    if not (subject.is_page or _has_interface(subject.trace, profile)):
        return None
    roots = root_spans(profile)
    length = profile.axis_end - profile.axis_start
    if len(roots) < 2 or durations(profile, roots).max() > ENTIRE_PROGRAM * length:
        return None
    return profile, roots


def busiest_function(subject: Subject, window: Window) -> tuple[Evidence, ...]:
    """The program's own function that the samples of the same thread found most in a window; empty without samples."""
    profile = subject.profile
    if profile.kind is not ProfileKind.SAMPLED or not profile.has_times or not profile.unit.is_time:
        return ()
    values = node_values(profile, window)
    named = subject.own.frames[profile.tree.frame]
    own = np.bincount(profile.tree.frame[named], values.self_value[named], minlength=len(subject.trace.frames))
    frame = int(np.argmax(own))
    return (
        (Evidence(f"f{frame}", subject.trace.frame_name(frame), subject.amount(float(own[frame]))),)
        if own[frame]
        else ()
    )


def long_tasks(subject: Subject) -> Int64 | None:
    """The rows of tasks longer than 50 ms, in the thread's timeline; None where it has no tasks."""
    found = tasks(subject)
    return None if found is None else _long(*found)


def _long(profile: Profile, roots: Int64) -> Int64:
    return roots[durations(profile, roots) > threshold("long-tasks.length")]


def _long_tasks(subject: Subject) -> Verdict:
    found = tasks(subject)
    if found is None:
        return not_applicable(NO_TASKS)
    profile, roots = found
    lasted = durations(profile, roots)
    long = _long(profile, roots)
    if not len(long):
        return passed(f"{len(roots):,} tasks, the longest {format_value(int(lasted.max()), profile.axis)}")
    order = long[np.argsort(-durations(profile, long), kind="stable")][:3].tolist()
    assert profile.spans is not None
    first = subject.span_evidence(profile, order[0])
    script = busiest_function(subject, Window(*(float(x[order[0]]) for x in (profile.spans.start, profile.spans.end))))
    start, end = float(profile.spans.start[order[0]]), float(profile.spans.end[order[0]])
    many = "One task lasts" if len(long) == 1 else f"{len(long):,} tasks last"
    return Verdict(
        State.FAIL,
        f"{many} longer than 50 ms; the longest, {{{len(script)}}}, runs {first.value} without a break, from "
        f"{format_value(start - profile.axis_start, profile.axis)} on"
        + (f", most of it in {{0}} ({script[0].value})." if script else "."),
        Severity.HIGH if end - start >= 10 * threshold("long-tasks.length") else Severity.MEDIUM,
        (*script, *(subject.span_evidence(profile, row) for row in order)),
        profile=profile.handle,
        window=Window(start, end),
        share=float(durations(profile, long).sum() / max(int(lasted.sum()), 1)),
        advice="Split the task, move work to a worker, or do it later; look at what runs in that window.",
        names_cause=end - start >= threshold("long-tasks.cause"),
    )


def _blocking_time(subject: Subject) -> Verdict:
    found = tasks(subject)
    if found is None:
        return not_applicable(NO_TASKS)
    profile, roots = found
    over = np.maximum(durations(profile, roots) - int(threshold("long-tasks.length")), 0)
    total = int(over.sum())
    said = format_value(total, profile.axis)
    if total < threshold("blocking-time.medium"):
        return passed(f"tasks block for {said} beyond 50 ms each")
    return Verdict(
        State.FAIL,
        f"What tasks take beyond 50 ms each adds up to {said} on {{0}}: input waits that long.",
        Severity.HIGH if total >= threshold("blocking-time.high") else Severity.MEDIUM,
        (Evidence(profile.handle, profile.name, said),),
        profile=profile.handle,
        advice="Shorten the longest tasks first.",
    )


NO_NAME = lazy_regex(r"(?:(?:an?|the|unknown|unnamed|anonymous|thread|task|tid|pid|process|profile)\b[\s.,]*)*")
"""What is left of a thread's name without its numbers, where it has none: such threads need not do the same work."""


def _alike(subject: Subject) -> list[Profile]:
    """Threads that are measured as the main one; streams of devices are none, nor is what else is drawn of them."""
    main, devices = subject.profile, _devices(subject)
    return [p for p in subject.trace.profiles if (p.kind, p.unit) == (main.kind, main.unit) and p.pid not in devices]


def _devices(subject: Subject) -> set[str]:
    """What PyTorch's recordings have in place of a process for each device."""
    if not subject.is_torch:
        return set()
    return {p.pid for p in subject.trace.profiles if p.role is Role.GPU} - {subject.profile.pid}


def _unknown_time(subject: Subject, team: list[Profile]) -> int:
    """Of which nothing says whether the threads worked or waited."""
    times = [thread_time(subject.trace, profile) for profile in team]
    return sum(time.unknown for time in times if time is not None)


def _which(subject: Subject, team: list[Profile]) -> str:
    """Which threads a number is of, where the recording has others, which are measured otherwise."""
    known, devices = {(p.pid, p.tid) for p in team}, _devices(subject)
    rest = [p for p in subject.trace.profiles if (p.pid, p.tid) not in known and p.pid not in devices]
    others = [p for p in rest if p.tid and p.unit.is_time]
    if not others:
        return ""
    return " that were sampled" if subject.profile.kind is ProfileKind.SAMPLED else " whose calls were recorded"


def _uneven_workers(subject: Subject) -> Verdict:
    groups: dict[str, list[Profile]] = {}
    for profile in subject.trace.profiles:
        if profile.unit.is_time:
            name = re.sub(r"\([^()]*\)|[\d#:_-]+", "", profile.name).strip().lower()
            if NO_NAME.fullmatch(name.rpartition(", ")[2]):
                continue
            groups.setdefault(f"{profile.kind} {profile.pid} {name}", []).append(profile)
    teams = [team for team in groups.values() if len(team) >= threshold("uneven-workers.workers")]
    if not teams:
        return not_applicable("there are no several threads of one name")
    worst, ratio = None, 0.0
    for team in teams:
        busy = np.array([busy_time(subject.trace, profile) for profile in team])
        lead = float(busy.max() / busy.mean()) if busy.mean() > 0 else 0.0
        # A team that hardly works is not worth balancing.
        if lead > ratio and busy.max() >= threshold("several-ways.share") * subject.total:
            worst, ratio = team, lead
    if worst is None or ratio < threshold("uneven-workers.ratio"):
        return passed("threads of one name are about as busy as each other")
    ranked = sorted(worst, key=lambda profile: -busy_time(subject.trace, profile))
    ends = (ranked[0], ranked[-1])
    rows = tuple(Evidence(p.handle, p.name, format_value(busy_time(subject.trace, p), p.unit)) for p in ends)
    return Verdict(
        State.FAIL,
        f"Of {len(worst)} threads of one name, {{0}} worked {rows[0].value} and {{1}} {rows[1].value}: the busiest has "
        f"{ratio:.1f} times the mean.",
        Severity.LOW,
        rows,
        profile=ranked[0].handle,
        advice="Hand out smaller pieces, or let idle workers take work from busy ones.",
        confidence=Confidence.MEDIUM,
    )


def _one_thread(subject: Subject) -> Verdict:
    team = _alike(subject)
    if len(team) < 2 or not subject.unit.is_time:
        return not_applicable("there is only one thread of this kind")
    busy = np.array([busy_time(subject.trace, profile) for profile in team])
    if _unknown_time(subject, team) > busy.sum():
        return not_applicable("of most of the time nothing says whether threads worked or waited")
    top = int(np.argmax(busy))
    share = float(busy[top] / busy.sum()) if busy.sum() else 0.0
    if share < threshold("one-thread.share"):
        return passed(f"the busiest of {len(team)} threads does {format_share(share)} of the work")
    first = Evidence(team[top].handle, team[top].name, format_value(float(busy[top]), team[top].unit), share)
    return Verdict(
        State.FAIL,
        f"{{0}} does {format_share(share)} of the work of {len(team)} threads{_which(subject, team)}.",
        Severity.INFO,
        (first,),
        profile=first.handle,
        share=share,
        advice="If the work can be divided, other threads are free.",
    )


def _frame_jank(subject: Subject) -> Verdict:
    times = subject.marks(*FRAMES)
    if len(times) < 10:
        return not_applicable("moments at which frames were drawn are not in the trace's columns")
    steps = np.diff(times)
    steps = steps[steps < threshold("frame-jank.pause")]
    late = steps > threshold("frame-jank.late") * threshold("frame-jank.interval")
    share = float(late.mean()) if len(steps) else 1.0
    if share > threshold("frame-jank.steady"):
        return not_applicable("frames are not drawn steadily: nothing moved")
    if share < threshold("frame-jank.share"):
        return passed(f"{format_share(share)} of {len(steps):,} frames were late")
    profile = subject.profile
    return Verdict(
        State.FAIL,
        f"{int(late.sum()):,} of {len(steps):,} frames ({format_share(share)}) came later than one and a half display "
        f"intervals after the one before, up to {format_value(int(steps.max()), profile.axis)}, while {{0}} ran.",
        Severity.MEDIUM,
        (Evidence(profile.handle, profile.name),),
        share=share,
        advice="Look at what the main thread does in the longest gaps between frames.",
        confidence=Confidence.MEDIUM,
    )


def _network_bound(subject: Subject) -> Verdict:
    profile = subject.timeline
    sent, finished = subject.marks(*SENT), subject.marks(*FINISHED)
    if profile is None or not len(sent) or not len(finished):
        return not_applicable("beginnings and ends of requests are not in the trace's columns")
    roots = root_spans(profile)
    assert profile.spans is not None
    edges = distinct(np.concatenate((sent, finished, profile.spans.start[roots], profile.spans.end[roots])))
    middle = (edges[:-1] + edges[1:]) / 2
    flying = np.searchsorted(sent, middle) > np.searchsorted(finished, middle)
    running = np.searchsorted(profile.spans.start[roots], middle) > np.searchsorted(profile.spans.end[roots], middle)
    waited = int(np.diff(edges)[flying & ~running].sum())
    share = waited / max(profile.axis_end - profile.axis_start, 1)
    said = format_value(waited, profile.axis)
    longest = _longest_answered(subject)
    if share < threshold("network-bound.share"):
        return passed(f"the thread was idle with requests under way for {said}", share=share)
    return Verdict(
        State.FAIL,
        f"{{0}} was idle for {said} ({format_share(share)}) while requests were under way: it waits for the network."
        + (f" The longest, {{1}}, took {longest[0].value}." if longest else ""),
        Severity.MEDIUM,
        (Evidence(profile.handle, profile.name, said, share), *longest),
        profile=profile.handle,
        share=share,
        advice="Start requests earlier, in parallel, or need fewer; a faster program does not help here.",
        confidence=Confidence.MEDIUM,
    )


def _longest_answered(subject: Subject) -> tuple[Evidence, ...]:
    """The request that took longest to its end, where requests were recorded with their addresses."""
    requests = subject.trace.requests
    answered = np.flatnonzero((requests.url != NONE) & (requests.size >= 0))
    if not len(answered):
        return ()
    lasted = requests.end[answered] - requests.start[answered]
    row = int(answered[np.argmax(lasted)])
    return (
        Evidence("", subject.trace.strings[int(requests.url[row])], format_value(int(lasted.max()), Unit.NANOSECONDS)),
    )


LONG = ("What runs in the longest task?", "What blocks the main thread?")
DETECTORS = (
    Detector("long-tasks", Kind.TIMELINE, "Long tasks", "tasks of a thread that last longer than 50 ms", _long_tasks,
             ("long-tasks.length", "long-tasks.cause"), LONG, cause="long_task"),
    Detector("blocking-time", Kind.TIMELINE, "Total blocking time", "what tasks take beyond 50 ms each, added up",
             _blocking_time, ("long-tasks.length", "blocking-time.medium", "blocking-time.high"), LONG),
    Detector("uneven-workers", Kind.TIMELINE, "Uneven workers", "threads of one name of which one works far more",
             _uneven_workers, ("uneven-workers.ratio", "uneven-workers.workers", "several-ways.share"),
             ("Which threads are busy?",)),
    Detector("one-thread", Kind.TIMELINE, "One thread works", "programs with threads of which one does it all",
             _one_thread, ("one-thread.share",), ("Which threads are busy?",)),
    Detector("frame-jank", Kind.TIMELINE, "Late frames", "gaps between drawn frames", _frame_jank,
             ("frame-jank.interval", "frame-jank.late", "frame-jank.share", "frame-jank.steady",
              "frame-jank.pause"), LONG),
    Detector("network-bound", Kind.TIMELINE, "Waiting for the network", "an idle thread with requests under way",
             _network_bound, ("network-bound.share",), ("Is it the network?",)),
)  # fmt: skip
