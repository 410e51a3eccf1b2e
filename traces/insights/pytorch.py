"""PyTorch (Kineto) traces: the device's idle time, small kernels and operators, launches, copies, loading, waiting."""

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
from traces.insights.overheads import named_share
from traces.insights.subject import Subject, durations, root_spans
from traces.insights.thresholds import threshold
from traces.model import Int64, Profile
from traces.values import Role

NO_TORCH = "it is no trace of PyTorch"


def _of_category(subject: Subject, category: str) -> np.typing.NDArray[np.bool_]:
    frames = np.zeros(len(subject.trace.frames), np.bool_)
    for several in subject.named.values():
        for frame in several:
            frames[frame] = subject.category_of(frame) == category
    return frames


def _device(subject: Subject) -> tuple[Profile, Int64] | None:
    """The stream with most kernels, and its kernels."""
    kernels = _of_category(subject, "kernel")
    best: tuple[Profile, Int64] | None = None
    for profile in subject.timelines:
        rows = subject.spans_of(profile, kernels)
        if len(rows) and (best is None or len(rows) > len(best[1])):
            best = profile, rows
    return best


def _kernel_gaps(subject: Subject) -> Verdict:
    if not subject.is_torch:
        return not_applicable(NO_TORCH)
    found = _device(subject)
    if found is None:
        return not_applicable("no kernels of a device were recorded: it ran on the processor")
    profile, rows = found
    spans = profile.spans
    assert spans is not None
    first, last = int(spans.start[rows].min()), int(spans.end[rows].max())
    streams = [p for p in subject.timelines if p is profile or (p.role is Role.GPU and p.pid == profile.pid)]
    length = last - first
    idle = length - _covered([profile], first, last)
    of_device = (length - _covered(streams, first, last)) / max(length, 1)
    share = idle / max(length, 1)
    said = format_value(idle, profile.axis)
    if of_device < threshold("kernel-gaps.share"):
        shortest = format_value(round(of_device * length), profile.axis)
        return passed(f"the device was idle for {shortest} between kernels", share=of_device)
    together = f", all {len(streams)} streams of its device for {format_share(of_device)}" if len(streams) > 1 else ""
    return Verdict(
        State.FAIL,
        f"{{0}} was idle for {format_share(share)} ({said}) between its first and last kernel{together}: the host does "
        "not feed it fast enough.",
        Severity.HIGH if of_device >= 2 * threshold("kernel-gaps.share") else Severity.MEDIUM,
        (Evidence(profile.handle, profile.name, said, share),),
        profile=profile.handle,
        share=share,
        advice="Load data ahead, synchronise less, fuse operators (torch.compile), use CUDA graphs or larger batches.",
    )


def _covered(streams: list[Profile], first: int, last: int) -> int:
    """For how long at least one of a device's streams had a kernel or copy, between two moments (ns)."""
    begins, ends = (
        np.concatenate([getattr(p.spans, side)[root_spans(p)] for p in streams]).clip(first, last)
        for side in ("start", "end")
    )
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], np.maximum.accumulate(ends[order])
    before = np.concatenate((begins[:1], ends[:-1]))
    return int(np.maximum(ends - np.maximum(begins, before), 0).sum())


def _small_kernels(subject: Subject) -> Verdict:
    if not subject.is_torch:
        return not_applicable(NO_TORCH)
    found = _device(subject)
    if found is None:
        return not_applicable("no kernels of a device were recorded")
    profile, rows = found
    lasted = durations(profile, rows)
    usual = float(np.median(lasted))
    said = format_value(usual, profile.axis)
    if len(rows) < threshold("small-kernels.count") or usual >= threshold("small-kernels.length"):
        return passed(f"{len(rows):,} kernels, half of them up to {said}")
    return Verdict(
        State.FAIL,
        f"Half of the {len(rows):,} kernels on {{0}} take no more than {said}: about as long as launching one.",
        Severity.MEDIUM,
        (Evidence(profile.handle, profile.name),),
        profile=profile.handle,
        advice="Fuse operators (torch.compile), use larger batches, or CUDA graphs.",
    )


def _slow_launches(subject: Subject) -> Verdict:
    if not subject.is_torch:
        return not_applicable(NO_TORCH)
    launching = np.zeros(len(subject.trace.frames), np.bool_)
    for name, frames in subject.named.items():
        if name.startswith(("cudaLaunch", "hipLaunch", "cuLaunch")):
            launching[frames] = True
    found = [(p, rows) for p in subject.timelines if len(rows := subject.spans_of(p, launching))]
    if not found:
        return not_applicable("no launches of kernels were recorded")
    profile, rows = max(found, key=lambda pair: len(pair[1]))
    lasted = durations(profile, rows)
    slow = lasted > threshold("slow-launches.length")
    share = float(slow.mean())
    if share < threshold("slow-launches.share"):
        return passed(f"{format_share(share)} of {len(rows):,} launches are slow")
    return Verdict(
        State.FAIL,
        f"{int(slow.sum()):,} of {len(rows):,} launches ({format_share(share)}) take longer than 50 µs on the host; "
        "the longest is {0}.",
        Severity.MEDIUM,
        (subject.span_evidence(profile, int(rows[np.argmax(lasted)])),),
        profile=profile.handle,
        advice="The launch queue is full or the host is busy: synchronise less, use CUDA graphs.",
    )


def _by_name(subject: Subject, pattern: str, what: str, advice: str) -> Verdict:
    if not subject.is_torch:
        return not_applicable(NO_TORCH)
    return named_share(subject, pattern, what, advice, f"{pattern}.share", "overhead.high", is_specific=True)


def _copies(subject: Subject) -> Verdict:
    advice = "Keep tensors on their device, pin memory and copy without blocking, avoid needless casts."
    return _by_name(subject, "device-copies", "copying and casting tensors", advice)


def _loading(subject: Subject) -> Verdict:
    advice = "Use more DataLoader workers, pinned memory and prefetching; decode and augment ahead."
    return _by_name(subject, "data-loading", "loading data", advice)


def _synchronising(subject: Subject) -> Verdict:
    advice = "Do not read values (item, cpu, print) in the step; log every so many steps."
    return _by_name(subject, "device-synchronisation", "waiting for the device", advice)


def _small_operators(subject: Subject) -> Verdict:
    if not subject.is_torch:
        return not_applicable(NO_TORCH)
    operators = np.zeros(len(subject.trace.frames), np.bool_)
    for name, frames in subject.named.items():
        operators[frames] = name.startswith("aten::")
    count = int(subject.frames.count[operators].sum())
    spent = float(subject.frames.self_value[operators].sum())
    mean = spent / count if count else 0.0
    if count < threshold("small-operators.calls") or mean >= threshold("small-operators.mean"):
        return passed(f"{count:,} operators, {subject.amount(mean)} each by itself")
    chosen = np.flatnonzero(operators)
    often = int(chosen[np.argmax(subject.frames.count[chosen])])
    return Verdict(
        State.FAIL,
        f"{count:,} operators take {subject.amount(mean)} each by itself; the most frequent is {{0}}, "
        f"{int(subject.frames.count[often]):,} times: dispatching them is much of the cost.",
        Severity.LOW,
        (subject.evidence(often, subject.frames.self_value),),
        profile=subject.profile.handle,
        share=spent / subject.total if subject.total else None,
        advice="Use larger batches, fused operators or torch.compile.",
        confidence=Confidence.MEDIUM,
    )


STEP = ("What does a training step spend its time on?",)
DETECTORS = (
    Detector("kernel-gaps", Kind.PYTORCH, "Idle device", "gaps between the device's kernels", _kernel_gaps,
             ("kernel-gaps.share",), STEP),
    Detector("small-kernels", Kind.PYTORCH, "Small kernels", "kernels about as short as their launch", _small_kernels,
             ("small-kernels.length", "small-kernels.count"), STEP),
    Detector("slow-launches", Kind.PYTORCH, "Slow launches", "launches that take long on the host", _slow_launches,
             ("slow-launches.length", "slow-launches.share"), STEP),
    Detector("device-copies", Kind.PYTORCH, "Copies", "copying and casting tensors", _copies,
             ("device-copies.share", "overhead.high"), STEP, Confidence.MEDIUM),
    Detector("data-loading", Kind.PYTORCH, "Loading data", "waiting for the data loader", _loading,
             ("data-loading.share", "overhead.high"), STEP, Confidence.MEDIUM),
    Detector("device-synchronisation", Kind.PYTORCH, "Waiting for the device", "the host waits for the device",
             _synchronising, ("device-synchronisation.share", "overhead.high"), STEP, Confidence.MEDIUM),
    Detector("small-operators", Kind.PYTORCH, "Small operators", "very many very short operators", _small_operators,
             ("small-operators.calls", "small-operators.mean"), STEP),
)  # fmt: skip
