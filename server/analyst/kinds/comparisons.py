"""Is this slower than before: against another of the person's traces, or one profile against another."""

from dataclasses import replace
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.changes_between import Change, calls_or_cost, cited_row, explained, most, only_in_one
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.other_recording import is_asked_of, is_newer, is_of_this_one, leads, plain, turned
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.kinds.reasons import asks_why
from server.analyst.question import Question
from server.analyst.sentence_forms import is_yes_or_no
from server.analyst.wording import amount, cited, coded, share
from traces.lazy_regex import lazy_regex

_FORMS = forms("comparisons")
_KNOWN_FORMS = forms("known_forms")
_UNDERSTANDING = forms("understanding")

NOTHING_TO_COMPARE = (
    "**One trace alone cannot say: there is no other recording here to compare with.** Load the other one too, "
    "recorded the same way and under the same load, and compare the two (or use `flamechat compare`)."
)
_PROFILES = lazy_regex(r"(?<![\w])#?(p\d+)\b")
GROUPS = (("grew", "Slower or larger"), ("new", "New"), ("vanished", "Gone"), ("shrank", "Faster or smaller"))
_WORD = lazy_regex(r"[^\W_]+")
LONG_WORD = 4
COMPARED = 499
"""Functions that are looked at for the one that is asked about."""
LATEST: Call = ("search_findings", {"limit": 30})
TIMES = 1.2
"""How many times as much one total must be as the other to be worth a word."""
SHOWN = 5


def first(question: Question, evidence: Evidence) -> list[Call]:
    profiles = _PROFILES.findall(question.text)
    if len(profiles) > 1:
        return [SUMMARY, ("compare_traces", {"others": [profiles[0]], "profile": profiles[1]})]
    return [
        SUMMARY,
        BY_SELF,
        LATEST,
        *(("find_frames", {"pattern": name}) for name in _may_be_named(question, evidence)),
    ]


def _may_be_named(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """What may be the name of a function: in a conversation an ordinary word, too."""
    return (*question.names, *question.maybe) if evidence.spoken_of else question.names


def _function(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """The function of this recording that the prompt names; None where its names are those of recordings."""
    for name in _may_be_named(question, evidence):
        rows = evidence.rows("find_frames", pattern=name)
        if row := next((one for one in rows if is_named(one, name)), None):
            return dict(row)
    return None


def _recording(question: Question, evidence: Evidence) -> str:
    """The name of the other recording in the prompt; empty where it names a function alone."""
    known = _function(question, evidence)
    named = [name for name in question.names if known is None or not is_named(known, name)]
    return named[0] if named else ""


def _others(evidence: Evidence) -> dict[str, dict[str, Any]]:
    """The person's other traces by their id, the newest first."""
    rows = evidence.rows("search_findings")
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
    return (
        len(_others(evidence)) == 1
        or bool(_meant(question, evidence))
        or _FORMS.newest.search(question.text) is not None
    )


def then(question: Question, evidence: Evidence) -> list[Call]:
    """The other trace that is meant, where none was named."""
    others, named = list(_others(evidence)), _recording(question, evidence)
    if not others and asks_why(question) and not question.names:
        return then_overview(question, evidence)
    if evidence.called("compare_traces") or not (named or (others and _is_clear(question, evidence))):
        return []
    meant = [named] if named else [*_meant(question, evidence), *others]
    return [("compare_traces", {"others": meant[:1], "limit": COMPARED, "absolute": True})]


def compare(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("compare_traces")
    if found is None:
        failed = next(
            (result for result in evidence.results if result.tool == "compare_traces" and result.failed), None
        )
        if failed and (name := _recording(question, evidence)):
            known = f"**There is no other trace here that is named like {coded(name)}.**"
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
    name = coded(other["trace"]) if other else "the other"
    against = f" (before: {name}, of {other['created']})" if other else ""
    totals = _totals(found, name)
    of_other = question.is_of_the_other or is_asked_of(question, other)
    of_other = of_other or (_is_of_the_other(question) and leads(question, other, evidence))
    if of_other and (there := _there(found, question, evidence, name)):
        return there
    change = Change(found, name, "this one")
    if is_newer(other, evidence) and not is_of_this_one(question):
        found, against = turned(found), f" (before: this one, now: {name})"
        change = Change(found, "this one", name)
    lists = [
        _group(title, change, [row for row in found["rows"] if row["status"] == status]) for status, title in GROUPS
    ]
    notes = " ".join(f"{note[:1].upper()}{note[1:]}." for note in found["notes"])
    first_ = _opening(change, question, evidence, f"{totals}{against}.")
    return [first_, *lists, notes and f"Keep in mind: {notes}"]


def _there(found: dict[str, Any], question: Question, evidence: Evidence, name: str) -> list[str]:
    """What the other recording has of the function that is named, in all, or what takes the most in it."""
    if named := _function(question, evidence):
        row = next((one for one in found["rows"] if one["handle"] == named["handle"]), None)
        if row is None:
            return []
        there, here = (
            f"{amount(row[side]['total_value'], found['unit'])} in total ({share(row[side]['total_share'])})"
            for side in ("before", "after")
        )
        own = amount(row["before"]["self_value"], found["unit"])
        return [f"**In {name} {cited_row(row)} takes {there}, {own} itself**; here {here}."]
    if _FORMS.in_all.search(question.text):
        return [f"**{_totals(found, name)}.**"]
    said = most(Change(turned(found), "this one", name))
    return [f"{said} {_totals(found, name)}."] if said else []


def _opening(change: Change, question: Question, evidence: Evidence, totals: str) -> str:
    """What is asked for first: one function, what only one of them has, or what makes the difference of all."""
    found, why = change.found, explained(change)
    row, spoken = _spoken(found, question, evidence)
    question = replace(question, text=plain(question, _other(question, evidence)))
    if only := _FORMS.only_in_one.search(question.text):
        return f"{only_in_one(change, is_new=only[0].casefold() in ('new', 'appeared', 'added'))} {totals}"
    if _FORMS.who_changed.search(question.text):
        return f"**Who changed what, recordings cannot say**; what they show: {spoken or why} {totals}"
    if _FORMS.of_calls.search(evidence.prompt):
        known = "**Counts and single calls are not in a comparison**; what it shows:"
        return (
            f"{calls_or_cost(change, row)} {totals}" if row and "count" in row["after"] else f"{known} {why} {totals}"
        )
    of_any = _FORMS.any_function.search(evidence.prompt)
    if not spoken and not of_any and _FORMS.compares.search(question.text) and "times as much" in totals:
        return f"**{_changed(found, evidence.prompt)}{totals.partition(' (before')[0]}.** {why}"
    is_of_a_gain = _FORMS.of_a_gain.search(evidence.prompt)
    return f"{why if is_of_a_gain else spoken or why} {totals}"


def _other(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """The other recording that was compared with, where it is known."""
    asked = next((result.arguments["others"][0] for result in evidence.all("compare_traces")), "").casefold()
    rows = list(_others(evidence).values())
    named = [
        row for key, row in _others(evidence).items() if asked and (asked == key or asked in row["trace"].casefold())
    ]
    return next(iter(named or (rows if not question.names else [])), None)


def _changed(found: dict[str, Any], text: str) -> str:
    """Yes or no where it is asked whether all of it takes more now, or less."""
    asked = _FORMS.slower.search(text)
    before, now = found["before"]["whole"], found["after"]["whole"]
    return "" if not asked or not is_yes_or_no(text) else "Yes: " if bool(asked[1]) == (now > before) else "No: "


def _totals(found: dict[str, Any], other: str) -> str:
    """The two wholes, and how many times as much one is."""
    unit, before, after = found["unit"], found["before"]["whole"], found["after"]["whole"]
    said = f"In {other} it is {amount(before, unit)} in all, here {amount(after, unit)}"
    more, less = max(before, after), min(before, after)
    if less <= 0 or more < TIMES * less:
        return said
    return f"{said}: {more / less:.1f} times {'as much' if after > before else 'as much there'}"


_THAN = 1.1
"""How many times as much a function must take to be called slower."""
MOSTLY_BELOW = 2.0
"""Times its self value that a function's total must be to be compared by that."""


def _spoken(found: dict[str, Any], question: Question, evidence: Evidence) -> tuple[dict[str, Any] | None, str]:
    """The function that is named, or was spoken of, and what it takes in both."""
    named, before = _function(question, evidence), evidence.spoken_of.handle if evidence.spoken_of else ""
    before = "" if _FORMS.of_any.search(evidence.prompt) else before
    handle = named["handle"] if named else before
    name = named["name"] if named else evidence.spoken_of.name if before and evidence.spoken_of else ""
    rows = [one for one in found["rows"] if one["handle"] == handle or one["name"] == name]
    row = next(iter(rows), None)
    if row is None:
        return None, f"**{cited(named)} is not among the functions that differ most.**" if named else ""
    below = max(row[side]["total_value"] > MOSTLY_BELOW * row[side]["self_value"] for side in ("before", "after"))
    key, what = ("total", "in total") if below and "self" not in question.text else ("self", "of self value")
    old, new = (
        f"{share(row[side][f'{key}_share'])} ({amount(row[side][f'{key}_value'], found['unit'])})"
        for side in ("before", "after")
    )
    sides = f"{old} there, {new} here" if _is_of_the_other(question) else f"{old} before, {new} now"
    return row, f"**{_slower(question, row, key)}{cited_row(row)}: {sides} {what}.**"


def _is_of_the_other(question: Question) -> bool:
    """Whether it asks how it is in the other recording, and not how it is in this one against that."""
    text = question.text
    points = _KNOWN_FORMS.other_recording.search(text) or _UNDERSTANDING.there.search(text)
    return bool(points) and _FORMS.than.search(text) is None


def _slower(question: Question, row: dict[str, Any], key: str) -> str:
    """Yes or no where it is asked whether a function takes more now, or less."""
    asked = _FORMS.slower.search(question.text)
    before, now = (row[side][f"{key}_value"] for side in ("before", "after"))
    if not asked or not question.is_yes_or_no:
        return ""
    before, now = (now, before) if _is_of_the_other(question) else (before, now)
    more, less = (now, before) if asked[1] else (before, now)
    return "Yes: " if more > _THAN * less else "No: "


def _which(others: dict[str, dict[str, Any]]) -> str:
    named = dict.fromkeys(coded(row["trace"]) for row in others.values())
    listed, more = list(named)[:SHOWN], len(named) - SHOWN
    rest = f" and {more} more" if more > 0 else ""
    return f"**Compared with which recording?** There are {', '.join(listed)}{rest}: name one of them."


def _group(title: str, change: Change, rows: list[dict[str, Any]]) -> str:
    """By self value; by total value, by which a row has its place in the lists, where that went the other way."""
    lines = []
    for row in rows[:SHOWN]:
        own, total = (row["after"][key] - row["before"][key] for key in ("self_value", "total_value"))
        pair = change.pair(row, "total_value" if own * total < 0 else "self_value")
        lines.append(f"- {cited_row(row)}: {pair}, {'with what it calls' if own * total < 0 else 'itself'}")
    return "\n".join([f"{title}:\n", *lines]) if lines else ""
