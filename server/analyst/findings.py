"""What else stands out, in the analyst's words: the few findings that matter next to the leading function."""

from collections.abc import Collection
from typing import Any

from server.analyst.evidence import Evidence, Lead
from server.analyst.wording import cited, cited_profile, coded
from traces.insights.insight import PLACE
from traces.insights.registry import distinct
from traces.lazy_regex import lazy_regex
from traces.losses import LOST_CALLS, were_lost

MENTIONED = 3
"""Findings named in an answer: what a person can act on."""
LIMITS = 2
GUESS_SHARE = 0.1
"""Share from which a guess from names is worth a line."""
_OF_CALLS = lazy_regex(r"(?i)\d.*\b(?:calls?|called|itself|themselves|own)\b|\b(?:calls?|called|itself|own)\b.*\d")
SAID_ALREADY = frozenset(
    {"hot-function", "heaviest-path", "flat-profile", "mostly-idle", "lost-events", "irregular-sampling"}
)
"""What the answer says in its own place."""


def findings(evidence: Evidence, lead: Lead, *, said: str = "") -> str:
    """At most three findings of weight as a list, without the one `said` already; empty when nothing else is found."""
    found = [row for row in _found(evidence) if row["kind"] != "quality" and row["id"] != said]
    rows = {row["id"]: row for row in found if _matters(row, lead)}
    chosen = [rows[name] for name in distinct(list(rows))[:MENTIONED]]
    if not chosen:
        return ""
    lines = [f"- {row['title']}{_thread(evidence, lead, row)}: {sentence_of(row)}" for row in chosen]
    if chosen[0]["advice"]:
        lines[0] += f" {chosen[0]['advice']}"
    return "What else stands out:\n\n" + "\n".join(lines)


def _thread(evidence: Evidence, lead: Lead, row: dict[str, Any]) -> str:
    """The thread of a finding where it is another than the leading function's."""
    profile = evidence.profile(row["profile"])
    leads = evidence.profile(lead.profile)
    if not profile or not leads or (profile["pid"], profile["tid"]) == (leads["pid"], leads["tid"]):
        return ""
    return f" in {cited_profile(profile)}"


def limits(evidence: Evidence) -> list[str]:
    """What the way of recording hides, and how to record it, in a few sentences."""
    found = [row for row in _found(evidence) if row["kind"] == "quality"][:LIMITS]
    return [f"{sentence_of(row)} {row['advice']}".strip() for row in found]


def with_losses(text: str, evidence: Evidence) -> str:
    """An answer; one that begins with calls or own time says behind them what these are worth where calls were lost."""
    codes = [warning["code"] for warning in (evidence.summary or {}).get("warnings", ())]
    first, *rest = text.split("\n\n")
    if not were_lost(codes) or not (evidence.main or {}).get("span_count") or not _OF_CALLS.search(first):
        return text
    return "\n\n".join([f"{first}\n\n{LOST_CALLS[:1].upper()}{LOST_CALLS[1:]}.", *rest])


def _found(evidence: Evidence) -> list[dict[str, Any]]:
    return [row for row in evidence.found() if row["id"] not in SAID_ALREADY]


def _matters(row: dict[str, Any], lead: Lead) -> bool:
    """A guess from the leading function's name adds nothing to what is said of it."""
    guess = row["confidence"] == "low"
    about_lead = bool(row["evidence"]) and row["evidence"][0]["handle"] == lead.row["handle"]
    if row["id"] == "top-allocator" and about_lead:
        return False
    if guess and (about_lead or row["share"] < GUESS_SHARE):
        return False
    return str(row["severity"]) != "info"


def sentence_of(row: dict[str, Any]) -> str:
    """A finding's sentence with its evidence cited."""
    return PLACE.sub(lambda place: _shown(row["evidence"][int(place[1])]), row["template"])


def _shown(evidence: dict[str, Any]) -> str:
    return cited(evidence) if evidence["handle"] else coded(evidence["name"])


def distinct_findings(evidence: Evidence) -> list[dict[str, Any]]:
    """What the trace has, worst first, each story once, without flaws of the recording and guesses of little weight."""
    rows = {
        row["id"]: row
        for row in _found(evidence)
        if row["kind"] != "quality"
        and not (row["confidence"] == "low" and (row["share"] or 0) < GUESS_SHARE)
        and row["severity"] != "info"
    }
    return [rows[name] for name in distinct(list(rows))]


def of_causes(evidence: Evidence, causes: Collection[str]) -> list[dict[str, Any]]:
    """What the trace has of these classes of cause, worst first, without guesses of little weight."""
    return [
        row
        for row in _found(evidence)
        if row.get("cause") in causes and not (row["confidence"] == "low" and (row["share"] or 0) < GUESS_SHARE)
    ]


def claimed(row: dict[str, Any], before: str = "") -> str:
    """A finding as the answer: what it is, after a word `before`, the figures, what to do."""
    return f"**{before}{row['title']}**: {sentence_of(row)} {row['advice']}".rstrip()
