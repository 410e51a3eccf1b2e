"""Findings of a trace in words and as JSON values: for tools, the page and programs."""

from typing import Any

from server.quoting import plain, quoted
from traces.analysis.window import Window
from traces.handles import profile_index
from traces.insights.insight import Evidence, Insight
from traces.model import Profile, Trace
from traces.roles import TASKS


def said(found: Insight) -> str:
    """The sentence of a finding, the trace's words in it quoted, each with its handle."""
    return found.said(lambda evidence: evidence.with_handle(quoted(evidence.name, 80)))


def thread_of(trace: Trace, one: Insight, asked: int) -> str | None:
    """The name of the thread that a finding is of, asked for a profile; None where the trace has only one."""
    if len(trace.profiles) < 2:
        return None
    profile = trace.profiles[asked if one.profile is None else profile_index(trace, one.profile)]
    return plain(profile.name.removesuffix(TASKS), 120)


def profile_of(trace: Trace, one: Insight) -> Profile:
    """The profile that a finding is of. Raises UnknownHandle."""
    return trace.profiles[trace.default_profile if one.profile is None else profile_index(trace, one.profile)]


def insight_data(trace: Trace, one: Insight) -> dict[str, Any]:
    """A finding as JSON values; the window is on its profile's axis, from the profile's start. In `template` `{0}`
    stands where `detail` quotes the first evidence."""
    profile = profile_of(trace, one)
    return {
        "id": one.id,
        "kind": str(one.kind),
        "title": one.title,
        "state": str(one.state),
        "severity": str(one.severity),
        "confidence": str(one.confidence),
        "detail": said(one),
        "template": one.detail,
        "share": None if one.share is None else float(one.share),
        "profile": one.profile,
        "window": None if one.window is None else _window(one.window, profile),
        "evidence": [_evidence(evidence) for evidence in one.evidence],
        "advice": one.advice,
        "cause": one.cause,
        "questions": list(one.questions),
    }


def _window(window: Window, profile: Profile) -> dict[str, Any]:
    return {"start": float(window.start - profile.axis_start), "end": float(window.end - profile.axis_start)}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    share = None if evidence.share is None else float(evidence.share)
    return {"handle": evidence.handle, "name": evidence.name, "amount": evidence.value, "share": share}
