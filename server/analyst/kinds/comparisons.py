"""Is this slower than before: against another of the person's traces, or one profile against another."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.kinds.reasons import asks_why
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, share
from traces.lazy_regex import lazy_regex

NOTHING_TO_COMPARE = (
    "**One trace alone cannot say: there is no other recording here to compare with.** Load the other one too, "
    "recorded the same way and under the same load, and compare the two (or use `flamechat compare`)."
)
_PROFILES = lazy_regex(r"(?<![\w])#?(p\d+)\b")
GROUPS = (("grew", "Slower or larger"), ("new", "New"), ("vanished", "Gone"), ("shrank", "Faster or smaller"))
_WORD = lazy_regex(r"[^\W_]+")
LONG_WORD = 4
_NEWEST = lazy_regex(r"\b(?:previous|last|yesterday|newest|latest|earlier|before)\b", re.IGNORECASE)
LATEST: Call = ("search_findings", {"limit": 30})
_COMPARES = lazy_regex(r"\b(?:slower|faster|speed-?up|quicker|how much)\b", re.IGNORECASE)
TIMES = 1.2
"""How many times as much one total must be as the other to be worth a word."""
SHOWN = 5
MUCH = 0.02
"""Change of a share from which a function is worth naming first."""


def first(question: Question, evidence: Evidence) -> list[Call]:
    profiles = _PROFILES.findall(question.text)
    if len(profiles) > 1:
        return [SUMMARY, ("compare_traces", {"others": [profiles[0]], "profile": profiles[1]})]
    if question.names:
        return [SUMMARY, BY_SELF, LATEST, ("compare_traces", {"others": [question.names[0]]})]
    return [SUMMARY, BY_SELF, LATEST]


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
    if not others and asks_why(question) and not question.names:
        return then_overview(question, evidence)
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
        if asks_why(question):
            return [*overview(question, evidence), NOTHING_TO_COMPARE]
        return [NOTHING_TO_COMPARE, leading(evidence, "In this one the heaviest function is")]
    if not found["related"]:
        note, other = found["notes"][0], _other(question, evidence)
        with_ = f" with {coded(other['trace'])}" if other else ""
        open_it = " Open that one to ask about it." if other else ""
        return [
            f"**This one cannot be compared{with_}: {note}.**{open_it}",
            leading(evidence, "In this one the heaviest function is"),
        ]
    other = _other(question, evidence)
    against = f" (before: {coded(other['trace'])}, of {other['created']})" if other else ""
    totals = _totals(found, coded(other["trace"]) if other else "the other")
    lists = [_group(title, [row for row in found["rows"] if row["status"] == status]) for status, title in GROUPS]
    notes = " ".join(f"{note[:1].upper()}{note[1:]}." for note in found["notes"])
    first_ = f"{_spoken(found, evidence) or _verdict(found)} {totals}{against}."
    if _COMPARES.search(question.text) and "times as much" in totals:
        first_ = f"**{totals}.** {_verdict(found)}"
    return [first_, *lists, notes and f"Keep in mind: {notes}"]


def _other(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """The other recording that was compared with, where it is known."""
    asked = next((result.arguments["others"][0] for result in evidence.all("compare_traces")), "").casefold()
    rows = list(_others(evidence).values())
    named = [
        row for key, row in _others(evidence).items() if asked and (asked == key or asked in row["trace"].casefold())
    ]
    return next(iter(named or (rows if not question.names else [])), None)


def _totals(found: dict[str, Any], other: str) -> str:
    """The two wholes, and how many times as much one is."""
    unit, before, after = found["unit"], found["before"]["whole"], found["after"]["whole"]
    said = f"In {other} it is {amount(before, unit)} in all, here {amount(after, unit)}"
    more, less = max(before, after), min(before, after)
    if less <= 0 or more < TIMES * less:
        return said
    return f"{said}: {more / less:.1f} times {'as much' if after > before else 'as much there'}"


def _spoken(found: dict[str, Any], evidence: Evidence) -> str:
    """What the function that was spoken of takes in both."""
    handle = evidence.spoken_of.handle if evidence.spoken_of else ""
    row = next((one for one in found["rows"] if one["handle"] == handle), None)
    return f"**{_named(row)}: {_shares(row)} of self value.**" if row else ""


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
    lines = "\n".join(f"- {_named(row)}: {_listed_shares(row)}" for row in rows[:SHOWN])
    return f"{title}:\n\n{lines}"


def _listed_shares(row: dict[str, Any]) -> str:
    """Of self value; of total value, by which a row has its place in the lists, where that went the other way."""
    own = _change(row)
    total = float(row["after"]["total_share"] - row["before"]["total_share"])
    if own * total >= 0:
        return _shares(row)
    before, after = (share(row[side]["total_share"]) for side in ("before", "after"))
    return f"{before} before, {after} now of total value, with what it calls"
