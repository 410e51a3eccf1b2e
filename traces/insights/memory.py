"""Allocations and memory levels: who allocates, how small, what is still live, what grows."""

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share, format_value
from traces.equal_rows import distinct
from traces.insights.code import graded
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
from traces.model import NONE, Profile
from traces.values import Unit

NO_BYTES = "it does not measure memory"
HEAP = ("heap", "memory", "rss", "bytes", "usedjsheapsize", "resident")


def _allocations(subject: Subject) -> tuple[Profile, int] | None:
    """The main profile's column of allocated bytes, else that of the first profile that has one."""
    for profile in (subject.profile, *subject.trace.profiles):
        for index, value in enumerate(profile.values):
            if value.unit is Unit.BYTES and "inuse" not in value.name:
                return profile, index
    return None


def _by_frame(subject: Subject, profile: Profile, value: int) -> npt.NDArray[np.float64]:
    own = profile.tree.self_values[value]
    by_frame = np.bincount(profile.tree.frame, own, minlength=len(subject.trace.frames))
    return by_frame.astype(np.float64)


def _top_allocator(subject: Subject) -> Verdict:
    found = _allocations(subject)
    if found is None:
        return not_applicable(NO_BYTES)
    profile, value = found
    own = _by_frame(subject, profile, value)
    everything = float(own.sum())
    order = np.argsort(-own, kind="stable")[:3].tolist()
    share = float(own[order[0]] / everything) if everything else 0.0
    severity = graded(share, "top-allocator.medium", "top-allocator.high", Severity.HIGH)
    if severity is None:
        return passed(f"the first allocator has {format_share(share)}", share=share)
    rows = tuple(
        Evidence(f"f{f}", subject.trace.frame_name(f), format_value(own[f], Unit.BYTES), float(own[f]) / everything)
        for f in order
        if own[f] > 0
    )
    return Verdict(
        State.FAIL,
        f"{{0}} itself allocates {rows[0].value} of {format_value(everything, Unit.BYTES)} ({format_share(share)}).",
        severity,
        rows,
        profile=profile.handle,
        share=share,
        advice="Reuse buffers, allocate once, or keep less: its callers say where from.",
    )


def _small_objects(subject: Subject) -> Verdict:
    found = _allocations(subject)
    if found is None:
        return not_applicable(NO_BYTES)
    profile, value = found
    counted_name = profile.values[value].name.replace("space", "objects")
    counts = [
        k for k, v in enumerate(profile.values) if v.unit is Unit.COUNT and v.name in (counted_name, "allocations")
    ]
    if not counts:
        return not_applicable("how many allocations there were is not recorded")
    size, number = (_by_frame(subject, profile, k) for k in (value, counts[0]))
    small = (number >= threshold("small-objects.count")) & (size < threshold("small-objects.mean") * number)
    if not small.any():
        return passed("no function allocates very many very small objects")
    chosen = np.flatnonzero(small)
    worst = int(chosen[np.argmax(number[chosen])])
    mean = format_value(float(size[worst] / number[worst]), Unit.BYTES)
    return Verdict(
        State.FAIL,
        f"{{0}} makes {int(number[worst]):,} allocations of {mean} on average: bookkeeping costs more than the data.",
        Severity.LOW,
        (Evidence(f"f{worst}", subject.trace.frame_name(worst), f"{int(number[worst]):,} allocations"),),
        profile=profile.handle,
        share=float(number[worst] / number.sum()),
        advice="Allocate in bulk, use arrays of plain values, or reuse objects.",
    )


def _live_memory(subject: Subject) -> Verdict:
    for profile in subject.trace.profiles:
        names = {value.name: index for index, value in enumerate(profile.values)}
        if "inuse_space" not in names or "alloc_space" not in names:
            continue
        live = _by_frame(subject, profile, names["inuse_space"])
        allocated = float(profile.tree.self_values[names["alloc_space"]].sum())
        share = float(live.sum()) / allocated if allocated else 0.0
        if share < threshold("held-memory.share"):
            return passed(f"{format_share(share)} of what was allocated is still held", share=share)
        worst = int(np.argmax(live))
        said = format_value(float(live[worst]), Unit.BYTES)
        return Verdict(
            State.FAIL,
            f"{format_share(share)} of all that was allocated is still held "
            f"({format_value(float(live.sum()), Unit.BYTES)}), most of it by {{0}} ({said}).",
            Severity.LOW,
            (Evidence(f"f{worst}", subject.trace.frame_name(worst), said),),
            profile=profile.handle,
            share=share,
            advice="Compare with a later heap profile: what grows between them is a leak.",
            confidence=Confidence.MEDIUM,
        )
    return not_applicable("what is held and what was allocated are not both recorded")


def _growing_memory(subject: Subject) -> Verdict:
    counters = subject.trace.counters
    looked = 0
    for series in distinct(counters.name).tolist():
        name = subject.trace.strings[series]
        rows = np.flatnonzero(counters.name == series)
        if not any(word in name.lower() for word in HEAP) or len(rows) < threshold("growing-memory.readings"):
            continue
        looked += 1
        rows = rows[np.argsort(counters.time[rows], kind="stable")]
        first, _, last = (part for part in np.array_split(counters.value[rows], 3))
        # The lowest levels: what is left after collections is the live set.
        low, high = float(first.min()), float(last.min())
        if low > 0 and high > low * (1 + threshold("growing-memory.growth")) and last.min() > first.max():
            index = int(counters.profile[rows[0]])
            profile = subject.trace.profiles[index] if index != NONE else subject.profile
            return Verdict(
                State.FAIL,
                f"A memory level recorded for {{0}} grows all along: its lowest is {format_value(low, Unit.BYTES)} in "
                f"the first third of the recording and {format_value(high, Unit.BYTES)} in the last.",
                Severity.MEDIUM,
                (Evidence(profile.handle, profile.name),),
                profile=profile.handle,
                advice="Take heap profiles at both ends and compare them: what grows is held by someone.",
                confidence=Confidence.MEDIUM,
            )
    if not looked:
        return not_applicable("no level of memory over time is in the trace's columns")
    return passed(f"{looked} levels of memory do not grow all along")


MEMORY = ("Which functions allocate most?",)
DETECTORS = (
    Detector("top-allocator", Kind.MEMORY, "Hot allocator", "the function that allocates most bytes", _top_allocator,
             ("top-allocator.medium", "top-allocator.high"), MEMORY),
    Detector("small-objects", Kind.MEMORY, "Many small objects", "very many very small allocations", _small_objects,
             ("small-objects.mean", "small-objects.count"), MEMORY),
    Detector("held-memory", Kind.MEMORY, "Held memory", "how much of what was allocated is still held", _live_memory,
             ("held-memory.share",), MEMORY),
    Detector("growing-memory", Kind.MEMORY, "Growing memory", "levels of memory that only grow", _growing_memory,
             ("growing-memory.growth", "growing-memory.readings"), MEMORY, cause="leak"),
)  # fmt: skip
