"""Causes that a measure of its own shows: cache misses, memory that is kept, file access below a handler."""

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
from traces.values import Role, Unit

KEEPING = re.compile(
    r"(?:^|[_.:#$])(?:remember|keep|cache|store|register|subscribe|track|retain|record|history|memo\w*|enqueue|append|"
    r"add_?[Ll]istener|listen|on|hoard|collect|archive|save|intern)(?:_\w+|[A-Z]\w*)?$"
    r"|(?:make|create|new)_?(?:[A-Z]?\w*_?)?(?:[Ll]istener|[Hh]andler|[Ss]ubscription|[Cc]allback|[Oo]bserver|[Ss]ession)$"
)
"""Functions that keep what they are given, by their names."""
HANDLER = re.compile(r"(?:^|[._:#])(?:on_\w+|on[A-Z]\w*|handle_?\w*|\w+_handler|\w+Handler|\w*_?(?:click|key)\w*)$")
"""Functions that answer an event, by their names."""
STORING = re.compile(
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
    if value.unit is not Unit.BYTES or value.name.startswith(("alloc", "allocated")):
        return not_applicable("memory in use was not recorded")
    own, tree = subject.own, subject.heavy
    rows = own.entering(own.named(KEEPING) & own.frames)
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


def _handler_access(subject: Subject) -> Verdict:
    """File access on a main thread below a function that answers events."""
    if subject.profile.role not in (Role.MAIN, Role.UI) or not subject.unit.is_time:
        return not_applicable("no main thread in time was recorded")
    own, tree = subject.own, subject.heavy
    handled = own.above(own.named(HANDLER)[tree.frame]) >= 0
    rows = own.entering(own.named(STORING) & ~own.frames)
    rows = rows[handled[rows]]
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
             _kept_memory, ("keeping.share", "keeping.bytes"), ("Is it a leak?",), Confidence.LOW, "leak"),
    Detector("handler-access", Kind.REQUESTS, "Files on the main thread", "file access below a function that answers "
             "events", _handler_access, ("handler-access.share", "hot-function.high"),
             ("What blocks the main thread?",), Confidence.MEDIUM, "main_thread_io"),
)  # fmt: skip
