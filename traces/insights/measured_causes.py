"""Causes that a measure of its own shows: cache misses, memory that is kept, file access below a handler."""

import re

import numpy as np
import numpy.typing as npt

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
from traces.insights.named_causes import is_event_loop, own_start
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import NONE
from traces.values import ProfileKind, Role, Unit

KEEPING = lazy_regex(
    r"(?:^|[_.:#$])(?:remember|keep|cache|store|register|subscribe|track|retain|record|history|memo\w*|enqueue|append|"
    r"add_?[Ll]istener|listen|on|hoard|collect|archive|save|intern)(?:_\w+|[A-Z]\w*)?$"
    r"|(?:make|create|new)_?(?:[A-Z]?\w*_?)?(?:[Ll]istener|[Hh]andler|[Ss]ubscription|[Cc]allback|[Oo]bserver|[Ss]ession)$"
)
"""Functions that keep what they are given, by their names."""
PAUSES = lazy_regex(r"^Pauses for collections$|^GC pauses?$", re.IGNORECASE)
COLLECTIONS = lazy_regex(r"^Garbage collections$", re.IGNORECASE)
"""Collections that stop the program: cycles that go on while it runs stand apart."""
HANDLER = lazy_regex(
    r"(?:^|[._:#])(?:on_\w+|on[A-Z]\w*|handle(?:_\w+|[A-Z]\w*)?|\w+_handler|\w+Handler|\w*_?(?:click|key)\w*)$"
)
"""Functions that answer an event, by their names."""
STORING = lazy_regex(
    r"\bf(?:data)?sync\b|\bFileDescriptor[:.]sync|\bforce0?$|(?:read|write|append)FileSync|\bpread|\bpwrite|"
    r"^(?:read|write|open)$|io\.open|TextIOWrapper|FileChannelImpl|RandomAccessFile|File(?:Input|Output)Stream|sqlite3"
)


def _cache_misses(subject: Subject) -> Verdict:
    profile = subject.profile
    columns = {value.name: index for index, value in enumerate(profile.values)}
    if not {"D1mr", "Dr"} <= columns.keys():
        return not_applicable("cache misses and reads were not both recorded")
    size = len(subject.trace.frames)
    misses, reads = (
        np.bincount(profile.tree.frame, profile.tree.self_values[columns[name]], minlength=size)
        for name in ("D1mr", "Dr")
    )
    total = float(misses.sum())
    worst = int(np.argmax(misses))
    part = float(misses[worst]) / total if total else 0.0
    rate = float(misses[worst]) / float(reads[worst]) if reads[worst] else 0.0
    few = misses[worst] < threshold("cache-misses.count")
    if few or part < threshold("cache-misses.part") or rate < threshold("cache-misses.rate"):
        return passed(f"no function misses the cache in many of its reads (the most {format_share(rate)})")
    return Verdict(
        State.FAIL,
        f"{{0}} misses the first-level cache in {format_share(rate)} of its reads ({int(misses[worst]):,} of "
        f"{int(reads[worst]):,}), {format_share(part)} of all such cache misses: it does not read in the order "
        "of memory.",
        Severity.HIGH if part >= threshold("hot-function.high") else Severity.MEDIUM,
        (Evidence(f"f{worst}", subject.trace.frame_name(worst), f"{int(misses[worst]):,} misses", part),),
        profile=profile.handle,
        share=part,
        advice="Read row by row, in the order of memory: swap the loops, or change the layout of the data.",
    )


def _kept_memory(subject: Subject) -> Verdict:
    """A function that keeps, in or near which most of the memory in use was allocated."""
    profile = subject.profile
    value = profile.values[profile.default_value]
    # V8's sampling heap profiler lists what is in use at its end, whatever its importer calls the column.
    of_v8 = value.name == "allocated" and _begins_as_v8(subject)
    in_use = of_v8 or not value.name.startswith("alloc")
    if value.unit is not Unit.BYTES or not in_use:
        return not_applicable("memory in use was not recorded")
    own, tree = subject.own, subject.heavy
    # Scripts without an address have no file in a heap profile of V8, as its own functions.
    program = own.frames | (subject.trace.frames.file == NONE) if of_v8 else own.frames
    rows = own.entering((own.named(KEEPING) | _piled_up(subject)) & program)
    kept = float(tree.total[rows].sum()) if len(rows) else 0.0
    share = kept / subject.total
    if share < threshold("keeping.share") or kept < threshold("keeping.bytes"):
        return passed(f"{format_share(share)} is in use by functions that keep, by their names", share=share)
    weight = np.bincount(tree.frame[rows], weights=tree.total[rows])
    frame = int(np.argmax(weight))
    # What is kept is also made by others below the same caller: they are no cause of their own.
    everything = format_value(subject.total, Unit.BYTES)
    return Verdict(
        State.FAIL,
        f"{{0}} has {subject.amount(kept)} ({format_share(share)}) of the {everything} in use: it keeps "
        "what it is given, which leaks if nothing removes it. One recording does not show growth: compare with a later "
        "one.",
        Severity.MEDIUM,
        (subject.evidence(frame, subject.frames.total_value),),
        profile=profile.handle,
        share=share,
        advice="Bound it: a limit, an expiry, eviction of the oldest, weak references, or remove what is done with.",
        confidence=Confidence.LOW,
    )


def _begins_as_v8(subject: Subject) -> bool:
    """Whether all stacks begin with V8's own root."""
    return {subject.trace.frame_name(int(f)) for f in subject.heavy.frame[subject.heavy.parent < 0]} == {"(root)"}


def _piled_up(subject: Subject) -> npt.NDArray[np.bool_]:
    """The function from which most of what is in use comes, if that are very many objects."""
    found = np.zeros(len(subject.trace.frames), np.bool_)
    counts = [index for index, value in enumerate(subject.profile.values) if value.name == "inuse_objects"]
    if not counts:
        return found
    objects = subject.profile.tree.self_values[counts[0]][subject.heavy.node]
    nearest = subject.own.nearest
    known = nearest >= 0
    by_frame = np.bincount(subject.heavy.frame[nearest[known]], objects[known], minlength=len(found))
    if by_frame.max(initial=0) >= threshold("keeping.objects"):
        found[int(np.argmax(by_frame))] = True
    return found


def _recorded_collections(subject: Subject) -> Verdict:
    """Pauses for collections that the recorder wrote down, and who allocates most."""
    trace = subject.trace
    timed = [p for p in trace.profiles if p.kind is ProfileKind.EVENTED and p.unit is Unit.NANOSECONDS]
    paused = [p for kind in (PAUSES, COLLECTIONS) for p in timed if kind.search(p.name)]
    length = max((float(p.axis_end - p.axis_start) for p in trace.profiles if p.has_times), default=0.0)
    if not paused or length <= 0:
        return not_applicable("no profile of collections was recorded")
    profile = paused[0]
    value = Subject(trace, profile).total
    share = value / length
    if share < threshold("collection-pressure.share"):
        return passed(f"the program stood still for collections {format_share(share)} of the time", share=share)
    assert profile.spans is not None
    lasted = np.asarray(profile.spans.end - profile.spans.start)[np.asarray(profile.spans.parent) < 0]
    allocated = next((Subject(trace, p) for p in trace.profiles if p.unit is Unit.BYTES), None)
    rows = np.arange(len(allocated.heavy)) if allocated else np.zeros(0, np.int64)
    culprit = allocated.own.weightiest(rows, allocated.heavy.own) if allocated else None
    evidence = (
        [] if allocated is None or culprit is None else [allocated.evidence(culprit, allocated.frames.total_value)]
    )
    number, longest = format(len(lasted), ","), format_value(float(lasted.max(initial=0)), profile.unit)
    who = "; {0} allocates most" if evidence else ""
    return Verdict(
        State.FAIL,
        f"Garbage collection stops the program for {format_value(value, profile.unit)} ({format_share(share)} of the "
        f"recording) in {number} pauses, the longest {longest}{who}.",
        Severity.HIGH if share >= threshold("hot-function.medium") else Severity.MEDIUM,
        tuple(evidence) or (Evidence(profile.handle, profile.name),),
        profile=profile.handle,
        share=min(share, 1.0),
        advice="Allocate less there: reuse objects, use plain arrays, preallocate; or give it more heap.",
    )


def _handler_access(subject: Subject) -> Verdict:
    """File access on a main thread below a function that answers events."""
    own, tree = subject.own, subject.heavy
    is_node = is_event_loop(subject)
    if not (is_node or subject.profile.role in (Role.MAIN, Role.UI)) or not subject.unit.is_time:
        return not_applicable("no main thread in time was recorded")
    handled = own.above(own.named(HANDLER)[tree.frame]) >= 0
    rows = own.entering(own.named(STORING) & ~own.frames)
    rows = rows[handled[rows] & ~own_start(subject)[rows] if is_node else handled[rows]]
    value = float(tree.total[rows].sum())
    share = value / subject.total
    if share < threshold("handler-access.share"):
        return passed(f"{format_share(share)} of the main thread is file access below handlers", share=share)
    culprit = own.weightiest(rows, tree.total[rows])
    heaviest = int(tree.frame[rows[np.argmax(tree.total[rows])]])
    frames = [heaviest] if culprit is None else [culprit, heaviest]
    return Verdict(
        State.FAIL,
        f"The main thread waits for the disk in {{0}} for {subject.amount(value)} ({format_share(share)})"
        + (", in {1}." if len(frames) > 1 else "."),
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames),
        profile=subject.profile.handle,
        share=share,
        advice="Write on a background thread, or asynchronously; buffer and batch what is written.",
        confidence=Confidence.MEDIUM,
    )


DETECTORS = (
    Detector("cache-misses", Kind.RUNTIME, "Cache misses", "reads that miss the first-level cache, by function",
             _cache_misses, ("cache-misses.part", "cache-misses.rate", "cache-misses.count", "hot-function.high"),
             ("How many cache misses are there?",), cause="cache_misses"),
    Detector("kept-memory", Kind.MEMORY, "Memory kept", "functions that keep what they are given, by their names",
             _kept_memory, ("keeping.share", "keeping.bytes", "keeping.objects"), ("Is it a leak?",),
             Confidence.LOW, "leak"),
    Detector("recorded-collections", Kind.RUNTIME, "GC pressure", "pauses for collections that were recorded, and who "
             "allocates", _recorded_collections, ("collection-pressure.share", "hot-function.medium"),
             ("Who allocates?",), cause="gc_pressure"),
    Detector("handler-access", Kind.REQUESTS, "Files on the main thread", "file access below a function that answers "
             "events", _handler_access, ("handler-access.share", "hot-function.high"),
             ("What blocks the main thread?",), Confidence.MEDIUM, "main_thread_io"),
)  # fmt: skip
