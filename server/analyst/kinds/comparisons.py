"""Is this slower than before: against another of the person's traces, or one profile against another."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, share

NOTHING_TO_COMPARE = (
    "**One trace alone cannot say: there is no other recording here to compare with.** Load the other one too, "
    "recorded the same way and under the same load, and compare the two (or use `flamechat compare`)."
)
_PROFILES = re.compile(r"(?<![\w])#?(p\d+)\b")
GROUPS = (("grew", "Slower or larger"), ("new", "New"), ("vanished", "Gone"), ("shrank", "Faster or smaller"))
_WORD = re.compile(r"[^\W_]+")
LONG_WORD = 4
_NEWEST = re.compile(r"\b(?:previous|last|yesterday|newest|latest|earlier|before)\b", re.IGNORECASE)
SHOWN = 5
MUCH = 0.02
"""Change of a share from which a function is worth naming first."""


def first(question: Question, evidence: Evidence) -> list[Call]:
    profiles = _PROFILES.findall(question.text)
    if len(profiles) > 1:
        return [SUMMARY, ("compare_traces", {"others": [profiles[0]], "profile": profiles[1]})]
    if question.names:
        return [SUMMARY, BY_SELF, ("compare_traces", {"others": [question.names[0]]})]
    return [SUMMARY, BY_SELF, ("search_findings", {"limit": 30})]


def _others(evidence: Evidence) -> dict[str, dict[str, Any]]:
    """The person's other traces by their id, the newest first."""
    rows = (evidence.first("search_findings") or {"rows": []})["rows"]
    return {row["trace_id"]: row for row in rows}


def _meant(question: Question, evidence: Evidence) -> list[str]:
    """Ids of the other traces of which the prompt has a word that no other's name has."""
    words = {word for word in _WORD.findall(question.text.casefold()) if len(word) >= LONG_WORD}
    named: dict[str, set[str]] = {
        trace: {word for word in _WORD.findall(row["trace"].casefold()) if word in words}
        for trace, row in _others(evidence).items()
    }
    most = max((len(found) for found in named.values()), default=0)
    best = [trace for trace, found in named.items() if found and len(found) == most]
    return best if len(best) == 1 else []


def _is_clear(question: Question, evidence: Evidence) -> bool:
    """Whether one of several recordings is meant: the newest before this one, or the only one there is."""
    return len(_others(evidence)) == 1 or bool(_meant(question, evidence)) or _NEWEST.search(question.text) is not None


def then(question: Question, evidence: Evidence) -> list[Call]:
    """The other trace that is meant, where none was named."""
    others = list(_others(evidence))
    if evidence.called("compare_traces") or not others or not _is_clear(question, evidence):
        return []
    return [("compare_traces", {"others": [*_meant(question, evidence), *others][:1]})]


def compare(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("compare_traces")
    if found is None:
        failed = next(
            (result for result in evidence.results if result.tool == "compare_traces" and result.failed), None
        )
        if failed and question.names:
            known = f"**There is no other trace here that is named like {coded(question.names[0])}.**"
            return [known, NOTHING_TO_COMPARE, leading(evidence, "In this one the heaviest function is")]
        if others := _others(evidence):
            return [_which(others), leading(evidence, "In this one the heaviest function is")]
        return [NOTHING_TO_COMPARE, leading(evidence, "In this one the heaviest function is")]
    if not found["related"]:
        note = found["notes"][0]
        return [f"**These two cannot be compared: {note}.**", leading(evidence, "In this one the heaviest function is")]
    rows = (evidence.first("search_findings") or {"rows": []})["rows"]
    against = f" (before: {coded(rows[0]['trace'])}, of {rows[0]['created']})" if rows and not question.names else ""
    unit = found["unit"]
    totals = (
        f"the whole was {amount(found['before']['whole'], unit)} and is {amount(found['after']['whole'], unit)} now"
    )
    lists = [_group(title, [row for row in found["rows"] if row["status"] == status]) for status, title in GROUPS]
    notes = " ".join(f"{note[:1].upper()}{note[1:]}." for note in found["notes"])
    return [f"{_verdict(found)} {totals[:1].upper()}{totals[1:]}{against}.", *lists, notes and f"Keep in mind: {notes}"]


def _which(others: dict[str, dict[str, Any]]) -> str:
    named = dict.fromkeys(coded(row["trace"]) for row in others.values())
    listed, more = list(named)[:SHOWN], len(named) - SHOWN
    rest = f" and {more} more" if more > 0 else ""
    return f"**Compared with which recording?** There are {', '.join(listed)}{rest}: name one of them."


def _verdict(found: dict[str, Any]) -> str:
    changed = [row for row in found["rows"] if row["status"] != "same" and abs(_change(row)) >= MUCH]
    if not changed:
        return "**No function takes a clearly different share than before.**"
    grown = [row for row in changed if _change(row) > 0]
    most = max(grown or changed, key=lambda row: abs(_change(row)))
    went = "takes more than before" if _change(most) > 0 else "takes less than before"
    return f"**{_named(most)} {went}: {_shares(most)} of self value.**"


def _change(row: dict[str, Any]) -> float:
    return float(row["after"]["self_share"] - row["before"]["self_share"])


def _named(row: dict[str, Any]) -> str:
    return cited(row) if row["handle"] else coded(row["name"])


def _shares(row: dict[str, Any]) -> str:
    return f"{share(row['before']['self_share'])} before, {share(row['after']['self_share'])} now"


def _group(title: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    lines = "\n".join(f"- {_named(row)}: {_shares(row)}" for row in rows[:SHOWN])
    return f"{title}:\n\n{lines}"
