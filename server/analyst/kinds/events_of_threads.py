"""One of the calls that began by themselves in a thread: its outlier, its longest, the average without that."""

from typing import Any

from server.analyst.evidence import Evidence, busy_of
from server.analyst.kinds import single_events, threads
from server.analyst.kinds.kind import Call
from server.analyst.question import Question


def then_one(question: Question, evidence: Evidence) -> list[Call]:
    """What is asked next of a thread, and the query for its events where one of these is asked for."""
    calls = threads.then_one(question, evidence)
    single = single_events.of_thread(_profiles(question, evidence), question.text)
    return [*calls, single] if single else calls


def one(question: Question, evidence: Evidence) -> list[str]:
    """The event that is asked for, then what the thread does."""
    parts = threads.one(question, evidence)
    single = single_events.of_thread(_profiles(question, evidence), question.text)
    events = single_events.found(single, evidence) if single else None
    return [single_events.said(events, "call", question.text, evidence), *parts] if events else parts


def _profiles(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles of the thread that is named, the busiest first."""
    name = (question.thread or "").casefold()
    rows = (evidence.first("list_profiles") or {"profiles": []})["profiles"]
    exact = [row for row in rows if name in (row["handle"], row["name"].casefold())]
    found = exact or [row for row in rows if name and name in row["name"].casefold()]
    return sorted(found, key=lambda row: -busy_of(row))
