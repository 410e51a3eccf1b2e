"""All detectors, in the order in which they are run and listed; and what they find in a trace."""

from collections.abc import Sequence

from traces.errors import InvalidQuestion
from traces.handles import profile_at
from traces.insights import (
    code,
    comparison,
    inlined_causes,
    loading,
    lock_contention,
    locks_and_waits,
    measured_causes,
    memory,
    named_causes,
    overheads,
    page,
    page_experience,
    pytorch,
    repeated_calls,
    requests,
    runtime,
    single_calls,
    threads_together,
    timeline,
)
from traces.insights import recording_quality as quality
from traces.insights.insight import Confidence, Detector, Insight, Kind, Severity, State, insight_of, not_applicable
from traces.insights.judged_figures import RecordingFigure, judged_figures
from traces.insights.kept_findings import Findings, keep_findings, kept_findings
from traces.insights.subject import Subject
from traces.model import Trace

DETECTORS: tuple[Detector, ...] = (
    *quality.DETECTORS,
    *code.DETECTORS,
    *overheads.DETECTORS,
    *single_calls.DETECTORS,
    *named_causes.DETECTORS,
    *inlined_causes.DETECTORS,
    *runtime.DETECTORS,
    *lock_contention.DETECTORS,
    *threads_together.DETECTORS,
    *locks_and_waits.DETECTORS,
    *timeline.DETECTORS,
    *page.DETECTORS,
    *page_experience.DETECTORS,
    *loading.DETECTORS,
    *requests.DETECTORS,
    *repeated_calls.DETECTORS,
    *memory.DETECTORS,
    *measured_causes.DETECTORS,
    *pytorch.DETECTORS,
    *comparison.DETECTORS,
)
WORST = 5
"""How many findings open a conversation: as many as a person reads."""

FAMILIES = (
    ("forced-reflow", "layout-thrashing", "large-layout", "rendering"),
    ("slow-handler", "long-tasks", "blocking-time", "slow-interaction"),
    ("repeated-queries", "n-plus-one", "n-plus-one-calls", "serial-waits", "awaits-in-turn", "sequential-calls"),
    ("recorded-collections", "collection-pressure", "collection-pause", "garbage-collection"),
    ("kernel-gaps", "small-kernels", "small-operators"),
    ("largest-paint", "first-paint"),
    ("lock-contention", "one-at-a-time", "locks"),
    ("outlier-call", "uneven-calls"),
    ("growing-calls", "list-search", "linear-search"),
    ("regex-backtracking", "regular-expressions"),
    ("thrown-exceptions", "exceptions"),
    ("round-trip", "serialisation"),
    ("cold-start", "start-phase", "module-loading"),
)
"""Findings that are one story, the one nearest to the cause first."""

SEVERITIES = tuple(Severity)
CONFIDENCES = tuple(Confidence)


def insights(trace: Trace, *, profile: int | None = None, before: Trace | None = None) -> tuple[Insight, ...]:
    """What every detector says about a trace, in the registry's order; of the main profile it is looked for once.
    Raises UnknownHandle."""
    if profile is None and before is None:
        if "insights" not in trace.answers:
            findings = kept_findings(trace)
            if findings is None:
                subject = Subject(trace, profile_at(trace, None), None)
                detected = tuple(_detected(detector, subject) for detector in DETECTORS)
                findings = Findings(detected, judged_figures(subject))
                keep_findings(trace, findings)
            trace.answers["insights"], trace.answers["figures"] = findings.insights, findings.figures
        found: tuple[Insight, ...] = trace.answers["insights"]
        return found
    subject = Subject(trace, profile_at(trace, profile), before)
    return tuple(_detected(detector, subject) for detector in DETECTORS)


def figures_of(trace: Trace) -> tuple[RecordingFigure, ...]:
    """Figures of a trace as such that findings judge it by, of its main profile; made with its insights."""
    insights(trace)
    found: tuple[RecordingFigure, ...] = trace.answers["figures"]
    return found


def insight(trace: Trace, name: str, *, profile: int | None = None, before: Trace | None = None) -> Insight:
    """What one detector says. Raises InvalidQuestion for an unknown one, UnknownHandle."""
    for detector in DETECTORS:
        if detector.id == name:
            return _detected(detector, Subject(trace, profile_at(trace, profile), before))
    raise InvalidQuestion(f"there is no finding of that name: there are {', '.join(d.id for d in DETECTORS)}.")


def ranked(found: tuple[Insight, ...]) -> tuple[Insight, ...]:
    """Those that the trace has, worst first: by severity, then by confidence, then by the share at stake."""
    failed = [one for one in found if one.state is State.FAIL]
    failed.sort(
        key=lambda one: (SEVERITIES.index(one.severity), CONFIDENCES.index(one.confidence), -(one.share or 0.0))
    )
    return tuple(failed)


def distinct(ids: Sequence[str]) -> list[str]:
    """Of ranked findings the different stories: of each family the one nearest to the cause, where its first stood."""
    chosen: dict[str, None] = {}
    for one in ids:
        family = next((family for family in FAMILIES if one in family), (one,))
        chosen.setdefault(next(member for member in family if member in ids))
    return list(chosen)


def first_findings(trace: Trace, *, limit: int = WORST) -> tuple[Insight, ...]:
    """The worst few stories, for the opening of a conversation, the hottest function always among them; empty where
    nothing stands out."""
    known = {one.id: one for one in ranked(insights(trace))}
    found = tuple(known[name] for name in distinct(list(known)))
    hottest = [one for one in found if one.id == "hot-function"]
    worst = found[:limit]
    return worst if not hottest or hottest[0] in worst else (*worst[: limit - 1], *hottest)


def _detected(detector: Detector, subject: Subject) -> Insight:
    if subject.total <= 0 and detector.kind is not Kind.QUALITY:
        return insight_of(detector, not_applicable("nothing was measured"))
    if subject.total <= 0 and detector.id not in UNWEIGHED:
        return insight_of(detector, not_applicable("nothing was measured"))
    return insight_of(detector, detector.detect(subject))


UNWEIGHED = frozenset({"few-samples", "short-recording", "lost-events", "mostly-idle"})
"""What can be said of a profile without any weight."""
