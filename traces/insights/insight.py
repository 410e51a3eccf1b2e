"""What a detector says, and what an insight reports to people and models."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from traces.analysis.window import Window

if TYPE_CHECKING:
    from traces.insights.subject import Subject

PLACE = re.compile(r"\{(\d+)\}")
CAUSES = frozenset(
    {
        "n_plus_one",
        "lock_contention",
        "blocked_event_loop",
        "serial_waits",
        "regex_backtracking",
        "superlinear_growth",
        "repeated_work",
        "gc_pressure",
        "cold_start",
        "outlier_call",
        "exceptions_as_control_flow",
        "logging",
        "serialisation",
        "oversubscription",
        "cache_misses",
        "leak",
        "layout_thrashing",
        "long_task",
        "main_thread_io",
    }
)
"""The classes of cause; evals/cause_classes.toml has for each how an answer names it and which changes fit it."""


class State(StrEnum):
    """`fail`: the trace has it. `pass`: looked for and not found. `not_applicable`: this trace cannot answer."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105 - a state, no secret
    NOT_APPLICABLE = "not_applicable"


class Severity(StrEnum):
    """How much it matters when the state is `fail`: `info` limits what can be concluded, or points the way."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


class Confidence(StrEnum):
    """`high` is arithmetic on what was recorded, `medium` a rule that seldom errs, `low` a guess from names."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Kind(StrEnum):
    """What a detector looks at; the registry's order."""

    QUALITY = "quality"
    CODE = "code"
    OVERHEAD = "overhead"
    RUNTIME = "runtime"
    WAITING = "waiting"
    TIMELINE = "timeline"
    PAGE = "page"
    REQUESTS = "requests"
    MEMORY = "memory"
    PYTORCH = "pytorch"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that shows it. `name` is the trace's own word: quote it. `value` is formatted with its unit. `handle`
    is empty for what has none, such as a request; the first of several always has one.
    """

    handle: str
    name: str
    value: str = ""
    share: float | None = None

    def with_handle(self, name: str) -> str:
        """The name as it was made fit to show, with the handle where there is one."""
        return f"{name} ({self.handle})" if self.handle else name


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a detector found. `detail` is one or two sentences in which `{0}` stands for `evidence[0]`; `share` is the
    part of the profile's total that is at stake, at most; `advice` is what to do, or how to record a better trace."""

    state: State
    detail: str
    severity: Severity = Severity.INFO
    evidence: tuple[Evidence, ...] = ()
    profile: str | None = None
    window: Window | None = None
    share: float | None = None
    advice: str = ""
    confidence: Confidence | None = None
    names_cause: bool = True


@dataclass(frozen=True, slots=True)
class Detector:
    """`about` says in a line what it looks for, `thresholds` are keys of the table, `questions` what a person may ask
    next. `confidence` is that of a verdict which does not say its own. `cause` is the class of cause that its findings
    claim, unless a verdict is only informative or says that it names none."""

    id: str
    kind: Kind
    title: str
    about: str
    detect: Callable[["Subject"], Verdict] = field(repr=False)
    thresholds: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    confidence: Confidence = Confidence.HIGH
    cause: str | None = None

    def __post_init__(self) -> None:
        if self.cause is not None and self.cause not in CAUSES:
            raise ValueError(f"{self.id}: {self.cause} is no class of cause")


@dataclass(frozen=True, slots=True)
class Insight:
    """A detector's verdict on one trace. `cause` is the class of cause that it claims (one of `CAUSES`): None where it
    did not find any, and where it only describes."""

    id: str
    kind: Kind
    title: str
    state: State
    severity: Severity
    detail: str
    evidence: tuple[Evidence, ...]
    profile: str | None
    window: Window | None
    share: float | None
    confidence: Confidence
    advice: str
    questions: tuple[str, ...]
    cause: str | None = None

    def said(self, name: Callable[[Evidence], str]) -> str:
        """The detail with each piece of evidence named as the reader needs it: quoted, cited or plain."""
        return PLACE.sub(lambda place: name(self.evidence[int(place[1])]), self.detail)


def insight_of(detector: Detector, verdict: Verdict) -> Insight:
    """The insight that a verdict is."""
    claims = verdict.state is State.FAIL and verdict.severity is not Severity.INFO and verdict.names_cause
    return Insight(
        id=detector.id,
        kind=detector.kind,
        title=detector.title,
        state=verdict.state,
        severity=verdict.severity,
        detail=verdict.detail,
        evidence=verdict.evidence,
        profile=verdict.profile,
        window=verdict.window,
        share=verdict.share,
        confidence=verdict.confidence or detector.confidence,
        advice=verdict.advice,
        questions=detector.questions,
        cause=detector.cause if claims else None,
    )


def passed(detail: str, *, profile: str | None = None, share: float | None = None) -> Verdict:
    """Looked for and not found, or below what is worth a word."""
    return Verdict(State.PASS, detail, profile=profile, share=share)


def not_applicable(why: str) -> Verdict:
    """This trace cannot answer, and why."""
    return Verdict(State.NOT_APPLICABLE, why)
