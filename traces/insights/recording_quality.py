"""The verdict on the trace itself: whether it can answer at all, and how to record one that can."""

import numpy as np

from traces.analysis.quality import median, quality_of
from traces.analysis.thread_time import View, thread_time
from traces.analysis.time_axis import SUMS, what_it_is
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
from traces.losses import LOST, OVERFLOW, were_lost
from traces.values import Counts, ProfileKind, Unit

LOSSES = frozenset(
    {"unmatched_end", "unclosed", "orphan_chunk", "unterminated", "no_time", "clamped", "too_deep", LOST, OVERFLOW}
)
"""Codes of warnings that say that something recorded is missing or cut."""
UNCOUNTED = frozenset({"unterminated", OVERFLOW})
"""Those of which nobody knows how much is missing."""
NO_CLOCK = "the profile does not measure time along a clock"


def _few_samples(subject: Subject) -> Verdict:
    if subject.profile.samples is None:
        return not_applicable("calls were recorded, not samples")
    if subject.unit is Unit.BYTES:
        return not_applicable("allocations were recorded, not samples of time")
    if subject.profile.counts is Counts.CALLS:
        return not_applicable("calls were counted, no samples taken")
    if subject.profile.counts is not Counts.SAMPLES:
        return not_applicable(f"the file holds {SUMS}, not how many samples they were")
    count = int(subject.profile.tree.count.sum())
    if count >= threshold("few-samples.count"):
        return passed(f"{count:,} samples that are not idle")
    return Verdict(
        State.FAIL,
        f"{{0}} has only {count:,} samples that are not idle: small shares are chance.",
        Severity.MEDIUM if count * 3 < threshold("few-samples.count") else Severity.LOW,
        (Evidence(subject.profile.handle, subject.profile.name, f"{count:,} samples"),),
        advice="Record for longer, sample more often, or repeat the slow part.",
    )


def _short_recording(subject: Subject) -> Verdict:
    profile = subject.profile
    length = profile.axis_end - profile.axis_start
    if profile.samples is None or not profile.has_times:
        return not_applicable(NO_CLOCK if profile.samples is not None else "calls were recorded, not samples")
    said = format_value(length, profile.axis)
    if length >= threshold("short-recording.length"):
        return passed(f"{said} were recorded")
    return Verdict(
        State.FAIL,
        f"Only {said} were recorded in {{0}}: start-up and warm-up weigh more here than in daily use.",
        Severity.INFO,
        (Evidence(profile.handle, profile.name, said),),
        advice="Record several seconds of the slow part, after a warm-up.",
    )


def _irregular_sampling(subject: Subject) -> Verdict:
    profile = subject.profile
    samples = profile.samples
    if samples is None or not profile.has_times:
        return not_applicable(NO_CLOCK if samples is not None else "calls were recorded, not samples")
    steps = np.diff(samples.time).astype(np.float64)
    usual = median(steps) if len(steps) >= threshold("few-samples.count") else 0.0
    if usual <= 0:
        return not_applicable("too few samples to tell a rhythm")
    gaps = (steps > threshold("irregular-sampling.gap") * usual) & (samples.leaf[:-1] >= 0)
    if profile.unit is profile.axis:  # what a sample does not last for is idle
        gaps &= samples.weights[profile.default_value][:-1] >= steps / 2
    share = float(steps[gaps].sum() / steps.sum())
    if share < threshold("irregular-sampling.share"):
        return passed(f"a sample every {format_value(usual, profile.axis)} with few gaps", share=share)
    return Verdict(
        State.FAIL,
        f"Samples of {{0}} usually lie {format_value(usual, profile.axis)} apart, but {format_share(share)} of the "
        f"time lies in {int(gaps.sum()):,} longer gaps while it worked: what ran there is known by one sample only.",
        Severity.INFO,
        (Evidence(profile.handle, profile.name, format_share(share), share),),
        share=share,
        advice="Record on a quieter machine, or sample less often.",
        confidence=Confidence.MEDIUM,
    )


def _truncated_stacks(subject: Subject) -> Verdict:
    if subject.profile.kind is not ProfileKind.SAMPLED:
        return not_applicable("calls were recorded: each knows its caller")
    tree = subject.profile.tree
    own = tree.self_values[subject.profile.default_value].astype(np.float64)
    by_depth = np.bincount(tree.depth, weights=own)
    deepest = len(by_depth) - 1
    share = float(by_depth[-1] / subject.total)
    # A limit shows as a heap of leaves at one depth; stacks that end by themselves thin out.
    thins_out = deepest + 1 < threshold("truncated-stacks.depth") or by_depth[-1] <= 2 * by_depth[-2]
    thins_out |= int(((tree.depth == deepest) & (own > 0)).sum()) < threshold("truncated-stacks.stacks")
    if thins_out or share < threshold("truncated-stacks.share"):
        return passed(f"stacks of up to {deepest + 1} frames end at different depths")
    return Verdict(
        State.FAIL,
        f"{format_share(share)} of {{0}} lies in stacks of exactly {deepest + 1} frames, the deepest there are: the "
        "profiler seems to have cut them, so callers and totals near the root are wrong.",
        Severity.MEDIUM,
        (Evidence(subject.profile.handle, subject.profile.name, format_share(share), share),),
        share=share,
        advice="Raise the profiler's stack depth and record again.",
        confidence=Confidence.MEDIUM,
    )


def _names(pattern: str, key: str, what: str, advice: str, subject: Subject) -> Verdict:
    found = subject.category(pattern, own=True)
    if found.share < threshold(key):
        return passed(f"{format_share(found.share)} lies in {what}", share=found.share)
    return Verdict(
        State.FAIL,
        f"{format_share(found.share)} of what {subject.profile.handle} measured lies in {what}, such as {{0}}.",
        Severity.MEDIUM,
        found.entries,
        share=found.share,
        advice=advice,
        confidence=Confidence.MEDIUM,
    )


def _unsymbolised(subject: Subject) -> Verdict:
    advice = "Install debug symbols, build with -g, or enable the runtime's perf map, and record again."
    return _names("unsymbolised", "unsymbolised.share", "code without symbols", advice, subject)


def _minified(subject: Subject) -> Verdict:
    advice = "Record a build that is not minified, or with source maps."
    return _names("minified", "minified.share", "minified or bundled files", advice, subject)


def _anonymous(subject: Subject) -> Verdict:
    advice = "Name these functions: file and line are all that tells them apart now."
    return _names("anonymous", "anonymous.share", "functions without a name", advice, subject)


def _lost_events(subject: Subject) -> Verdict:
    lost = [warning for warning in subject.trace.warnings if warning.code in LOSSES]
    everything = sum(len(p.spans) if p.spans is not None else len(p.samples or ()) for p in subject.trace.profiles)
    count = sum(warning.count for warning in lost)
    share = count / max(everything + count, 1)
    codes = {warning.code for warning in lost}
    if share < threshold("lost-events.share") and codes.isdisjoint(UNCOUNTED):
        return passed(f"{count:,} of {everything:,} events were dropped or repaired", share=share)
    why = f"While reading, {count:,} events ({format_share(share)}) were dropped or cut"
    if "unterminated" in codes:
        why = "While reading, the file breaks off"
    elif OVERFLOW in codes:
        why = f"While recording {next(one.text for one in lost if one.code == OVERFLOW)}"
    elif LOST in codes:
        why = f"While recording and reading, {count:,} events ({format_share(share)}) were lost, dropped or cut"
    picture = "what is missing can change the picture"
    if were_lost(codes) and subject.profile.spans is not None:
        picture = "counts are too small, and own time holds what lost calls took"
    return Verdict(
        State.FAIL,
        f"{why}{';' if OVERFLOW in codes else ':'} {picture}.",
        Severity.MEDIUM,
        (Evidence(subject.profile.handle, subject.profile.name),)
        if OVERFLOW in codes
        else (Evidence(subject.profile.handle, subject.profile.name, f"{count:,} events"),),
        advice="Use a larger trace buffer or a shorter recording, and let the recorder finish.",
    )


def _idle(subject: Subject) -> Verdict:
    profile = subject.profile
    time = thread_time(subject.trace, profile)
    if time is None or time.by is View.SUMS or not time.length:
        return not_applicable(NO_CLOCK)
    share = time.idle_share
    if share < threshold("idle.share"):
        return passed(f"idle {format_share(share)} of its time", profile=profile.handle)
    said = f"{{0}} did nothing for {format_share(share)} of its time, which shares leave out: "
    said += "if it felt slow, the cause is what it waited for."
    if not profile.tid and profile.kind is ProfileKind.EVENTED:  # collections, requests: nothing says it is a thread
        said = f"Nothing lies in {{0}} for {format_share(share)} of the time, which shares leave out."
    return Verdict(
        State.FAIL,
        said,
        Severity.INFO,
        (Evidence(profile.handle, profile.name, format_share(share), share),),
        profile=profile.handle,
        advice="Look at other threads and at what was waited for, or record wall-clock time.",
    )


def _waiting_invisible(subject: Subject) -> Verdict:
    profile = subject.profile
    if profile.unit is Unit.BYTES:
        return not_applicable("it does not measure time")
    if not quality_of(subject.trace, profile).only_running:
        return passed("it is not limited to time on a processor")
    return Verdict(
        State.FAIL,
        "{0} measures time on a processor only: what waits for disk, network, locks or other threads is not in it.",
        Severity.INFO,
        (Evidence(profile.handle, profile.name),),
        advice="For latency record wall-clock time, by `flamechat record --what wall -- COMMAND` or with py-spy record "
        "--idle, async-profiler -e wall, Go's block and mutex profiles, perf with off-CPU events, or a timeline.",
    )


def _no_order(subject: Subject) -> Verdict:
    if subject.profile.has_times:
        return passed("what happened when is known")
    return Verdict(
        State.FAIL,
        f"{{0}} is {what_it_is(subject.profile)}. What happened when, bursts and single slow calls cannot be seen.",
        Severity.INFO,
        (Evidence(subject.profile.handle, subject.profile.name),),
        advice="Record a timeline (trace events, speedscope, Firefox or Chrome profiles) to ask about moments.",
    )


def _profiler_cost(subject: Subject) -> Verdict:
    found = subject.category("instrumentation")
    if found.share < threshold("profiler-cost.share"):
        return passed("profilers and telemetry take next to nothing by name", share=found.share)
    return Verdict(
        State.FAIL,
        f"{format_share(found.share)} ({subject.amount(found.value)}) is profiling and telemetry by name, such as "
        "{0}: part of the picture is the measuring.",
        Severity.MEDIUM if found.share >= threshold("overhead.high") else Severity.LOW,
        found.entries,
        share=found.share,
        advice="Sample telemetry, or switch it off where it is hot.",
    )


RECORDING = ("What can this trace answer?", "What can this trace not answer?")
DETECTORS = (
    Detector("few-samples", Kind.QUALITY, "Few samples", "too few samples to trust small shares", _few_samples,
             ("few-samples.count",), RECORDING),
    Detector("short-recording", Kind.QUALITY, "Short recording", "recordings of start-up only", _short_recording,
             ("short-recording.length",), RECORDING),
    Detector("irregular-sampling", Kind.QUALITY, "Irregular sampling", "long gaps between samples of a busy thread",
             _irregular_sampling, ("irregular-sampling.gap", "irregular-sampling.share", "few-samples.count"),
             RECORDING),
    Detector("truncated-stacks", Kind.QUALITY, "Truncated stacks", "a heap of stacks at the deepest level",
             _truncated_stacks, ("truncated-stacks.depth", "truncated-stacks.share", "truncated-stacks.stacks"),
             RECORDING),
    Detector("unsymbolised", Kind.QUALITY, "Code without symbols", "addresses in place of names", _unsymbolised,
             ("unsymbolised.share",), RECORDING),
    Detector("minified", Kind.QUALITY, "Minified code", "names that a bundler shortened", _minified,
             ("minified.share",), RECORDING),
    Detector("anonymous", Kind.QUALITY, "Functions without a name", "anonymous functions that hold much", _anonymous,
             ("anonymous.share",), RECORDING),
    Detector("lost-events", Kind.QUALITY, "Lost events", "what was dropped, cut or repaired while reading",
             _lost_events, ("lost-events.share",), RECORDING),
    Detector("mostly-idle", Kind.QUALITY, "Mostly idle", "a thread that did nothing most of the time", _idle,
             ("idle.share",), ("Which threads are busy?", "What did it wait for?")),
    Detector("waiting-not-recorded", Kind.QUALITY, "Waiting is not recorded", "profiles of processor time",
             _waiting_invisible, (), RECORDING),
    Detector("no-order", Kind.QUALITY, "No moments", "files that hold sums instead of a timeline", _no_order, (),
             RECORDING),
    Detector("profiler-cost", Kind.QUALITY, "Measuring itself", "profilers and telemetry by name", _profiler_cost,
             ("profiler-cost.share", "overhead.high"), ("Who calls the telemetry?",), Confidence.LOW),
)  # fmt: skip
