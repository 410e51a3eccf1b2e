"""What the language's runtime and the kernel take: collection, compilation, allocators."""

import numpy as np

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.overheads import named_detectors, named_share
from traces.insights.subject import Subject, durations
from traces.insights.thresholds import threshold
from traces.model import Int64, Profile

COLLECTING = (
    "Allocate less on the hot path: reuse buffers, avoid short-lived objects. Its allocation profile says where."
)


def _collection(subject: Subject) -> Verdict:
    if subject.unit.value == "bytes":
        return not_applicable("it measures memory, not time")
    what, limits = "garbage collection", ("collection.low", "collection.high")
    return named_share(subject, "garbage-collection", what, COLLECTING, *limits, is_specific=True)


def collections_in(subject: Subject, profile: Profile) -> Int64:
    """The calls of a timeline in which garbage was collected, those within others too."""
    collecting = np.zeros(len(subject.trace.frames), np.bool_)
    for name, frames in subject.named.items():
        if name in PAUSES or name.startswith("V8.GC"):
            collecting[frames] = True
    return subject.spans_of(profile, collecting)


def _collection_pause(subject: Subject) -> Verdict:
    if not subject.timelines:
        return not_applicable("no timeline of single calls was recorded")
    longest, where = 0, None
    for profile in subject.timelines:
        rows = collections_in(subject, profile)
        if len(rows):
            lasted = durations(profile, rows)
            worst = int(np.argmax(lasted))
            if lasted[worst] > longest:
                longest, where = int(lasted[worst]), (profile, int(rows[worst]))
    if where is None or longest < threshold("collection-pause.length"):
        return passed("no collection lasted long enough to be felt")
    profile, row = where
    assert profile.spans is not None
    start = float(profile.spans.start[row])
    first = subject.span_evidence(profile, row)
    begins = format_value(start - profile.axis_start, profile.axis)
    return Verdict(
        State.FAIL,
        f"{{0}} lasted {first.value} without a break, from {begins} on.",
        Severity.HIGH if longest >= threshold("collection-pause.high") else Severity.MEDIUM,
        (first,),
        profile=profile.handle,
        window=Window(start, start + longest),
        advice=COLLECTING,
    )


PAUSES = frozenset({"MajorGC", "MinorGC", "GCMajor", "GCMinor", "GCSlice", "GarbageCollect", "gc", "GC", "gc.collect"})


def _explicit_collection(subject: Subject) -> Verdict:
    found = subject.category("explicit-collection")
    called = subject.frames.count[subject.matching("explicit-collection")].sum()
    if not found.entries or called + found.value <= 0:
        return passed("no function asks for a collection")
    return Verdict(
        State.FAIL,
        f"The program itself asks for garbage collection: {{0}} takes {format_share(found.share)}.",
        Severity.MEDIUM if found.share >= threshold("collection.low") else Severity.INFO,
        found.entries,
        profile=subject.profile.handle,
        share=found.share,
        advice="Leave it to the runtime, unless a measurement shows that the call helps.",
        confidence=Confidence.MEDIUM,
    )


def _compilation(subject: Subject) -> Verdict:
    found = subject.category("compilation")
    much = (
        found.value >= threshold("compilation.length")
        if subject.unit.is_time
        else found.share >= threshold("compilation.share")
    )
    if not much:
        return passed(f"{format_share(found.share)} is compiling by name", share=found.share)
    matters = found.share >= threshold("compilation.share")
    return Verdict(
        State.FAIL,
        f"{format_share(found.share)} ({subject.amount(found.value)}) is compiling at run time, most of it {{0}}.",
        Severity.MEDIUM if found.share >= threshold("overhead.high") else Severity.LOW if matters else Severity.INFO,
        found.entries,
        profile=subject.profile.handle,
        share=found.share,
        advice="Warm up before measuring; ship less code; keep compiled code between runs.",
    )


def _native_code(subject: Subject) -> Verdict:
    frames = subject.matching("native-placeholder")
    if not frames.any():
        return not_applicable("this profiler has no frame for what it cannot name")
    found = subject.category("native-placeholder", own=True)
    if found.share < threshold("native-code.share"):
        return passed(f"{format_share(found.share)} is native code without a name", share=found.share)
    return Verdict(
        State.FAIL,
        f"{format_share(found.share)} ({subject.amount(found.value)}) is {{0}}: native code or waiting that the "
        "profiler does not name.",
        Severity.INFO,
        found.entries,
        profile=subject.profile.handle,
        share=found.share,
        advice="Record a Chrome trace or use perf with --perf-basic-prof to see inside.",
    )


ALLOCATING = "Reuse memory, allocate in bulk, or try another allocator; an allocation profile says who asks."
NAMED = (
    ("allocator", Kind.RUNTIME, "Allocating and freeing", "memory-allocation", "allocating and freeing memory",
     ALLOCATING, "allocator.share"),
    ("kernel-time", Kind.RUNTIME, "Time in the kernel", "kernel", "the operating system's kernel",
     "Make fewer, larger system calls; look at which calls lead there.", "kernel.share"),
)  # fmt: skip
DETECTORS = (
    Detector("garbage-collection", Kind.RUNTIME, "Garbage collection", "time in garbage collectors", _collection,
             ("collection.low", "collection.high"), ("Is garbage collection a problem?",), Confidence.MEDIUM),
    Detector("collection-pause", Kind.RUNTIME, "Long collection", "single collections that people feel",
             _collection_pause, ("collection-pause.length", "collection-pause.high"), ("Is it GC?",)),
    Detector("explicit-collection", Kind.RUNTIME, "Collection on request", "calls that ask for a collection",
             _explicit_collection, ("collection.low",), ("Who asks for collection?",)),
    Detector("compilation", Kind.RUNTIME, "Compiling at run time", "just-in-time and other compilers by name",
             _compilation, ("compilation.length", "compilation.share", "overhead.high"), (), Confidence.MEDIUM),
    Detector("native-code", Kind.RUNTIME, "Code without a name", "what V8 reports as (program)", _native_code,
             ("native-code.share",)),
    *named_detectors(NAMED),
)  # fmt: skip
