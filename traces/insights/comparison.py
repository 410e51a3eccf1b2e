"""What got slower since an earlier trace: detectors that apply only where there is one to compare with."""

from typing import TYPE_CHECKING

from traces.analysis.units import format_share, format_value
from traces.errors import InvalidQuestion
from traces.insights.insight import Detector, Evidence, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold

if TYPE_CHECKING:
    from traces.analysis.compare import ComparedFunction, Comparison

ALONE = "there is no earlier trace to compare with"
ROWS = 200


def _compared(subject: Subject) -> "Comparison | str":
    """Functions by change of self share, or why they cannot be compared."""
    if subject.before is None:
        return ALONE
    from traces.analysis.compare import compare_traces  # noqa: PLC0415 - 5 ms that one trace alone need not wait for

    try:
        found = compare_traces(subject.before, subject.trace, profile_after=subject.profile.index, limit=ROWS)
        return found if found.is_related else found.notes[0]
    except InvalidQuestion as error:
        return str(error)


def _evidence(subject: Subject, row: "ComparedFunction") -> Evidence:
    assert row.after is not None
    value = row.self_share_after * subject.total
    return Evidence(row.after, row.name, subject.amount(value), row.self_share_after)


def _regressions(subject: Subject) -> Verdict:
    found = _compared(subject)
    if isinstance(found, str):
        return not_applicable(found)
    grown = [
        row
        for row in found.rows
        if row.after is not None
        and row.before is not None
        and row.self_share_after >= threshold("regressions.floor")
        and row.self_share_before > 0
        and row.self_share_after > row.self_share_before * (1 + threshold("regressions.medium"))
    ]
    if not grown:
        return passed("no function's share grew by a tenth")
    first = max(grown, key=lambda row: row.self_share_after - row.self_share_before)
    growth = first.self_share_after / first.self_share_before - 1
    return Verdict(
        State.FAIL,
        f"{{0}} grew from {format_share(first.self_share_before)} to {format_share(first.self_share_after)} by itself.",
        Severity.HIGH if growth >= threshold("regressions.high") else Severity.MEDIUM,
        (_evidence(subject, first),),
        profile=subject.profile.handle,
        share=first.self_share_after - first.self_share_before,
        advice="See what changed in it and in how often it is called; repeat both recordings before blaming the code.",
    )


def _new_functions(subject: Subject) -> Verdict:
    found = _compared(subject)
    if isinstance(found, str):
        return not_applicable(found)
    new = [
        row for row in found.rows if row.status == "new" and row.self_share_after >= threshold("new-functions.share")
    ]
    if not new:
        return passed("no heavy function is new")
    first = max(new, key=lambda row: row.self_share_after)
    return Verdict(
        State.FAIL,
        f"{{0}} is new, with {format_share(first.self_share_after)} by itself.",
        Severity.MEDIUM,
        (_evidence(subject, first),),
        profile=subject.profile.handle,
        share=first.self_share_after,
        advice="Look for what now calls it; if it was renamed, compare it with its old name.",
    )


def _unlike_recordings(subject: Subject) -> Verdict:
    found = _compared(subject)
    if isinstance(found, str):
        return not_applicable(found)
    low, high = sorted((found.scope_total_before, found.scope_total_after))
    if high <= threshold("unlike-recordings.ratio") * low:
        return passed("both recordings hold about as much")
    before, after = (format_value(value, found.unit) for value in (found.scope_total_before, found.scope_total_after))
    return Verdict(
        State.FAIL,
        f"The earlier recording holds {before}, {{0}} {after}: compare shares, not amounts.",
        Severity.INFO,
        (Evidence(subject.profile.handle, subject.profile.name, after),),
        advice="Record the same work for the same time, several times each.",
    )


CHANGED = ("What got slower?",)
DETECTORS = (
    Detector("regressions", Kind.COMPARISON, "Slower than before", "functions whose share grew", _regressions,
             ("regressions.medium", "regressions.high", "regressions.floor"), CHANGED),
    Detector("new-functions", Kind.COMPARISON, "New functions", "heavy functions that were not there", _new_functions,
             ("new-functions.share",), CHANGED),
    Detector("unlike-recordings", Kind.COMPARISON, "Unlike recordings", "recordings of different length",
             _unlike_recordings, ("unlike-recordings.ratio",), CHANGED),
)  # fmt: skip
