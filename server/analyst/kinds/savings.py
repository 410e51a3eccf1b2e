"""Questions for what to change first, and for what would be saved if functions cost nothing."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked, remainder
from server.analyst.findings import claimed, of_causes, sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import one_function, recorded_exceptions, ways_to_change
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.meant_functions import meant, still_to_find
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import overview
from server.analyst.kinds.overview import then as then_overview
from server.analyst.kinds.paths import LEADS, is_entry, parts_of
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Question
from server.analyst.sentence_forms import refers
from server.analyst.ways_out import BY_CACHE, SAME, SAVED, TO_FIX
from server.analyst.wording import CALLS, amount, cited, coded, in_calls, joined, own, share, total

_FORMS = forms("savings")

REPEATED = ("n-plus-one", "n-plus-one-calls", "repeated-calls", "repeated-work", "sequential-calls")
"""Findings of the same work done again."""
EVERYWHERE = "all"
OF_ALL = " of all threads together"
OVER = 1.001
"""How many times what the main profile has of a function all must have to be what is asked for."""


def first_to_fix(question: Question, evidence: Evidence) -> list[Call]:
    if _is_of_several(question):
        return [SUMMARY, ("find_frames", _search(question)), *one_function.first(question, evidence)]
    first = one_function.first(question, evidence) if _names(question) else [SUMMARY, BY_SELF]
    return [*first, FINDINGS] if _FORMS.together.search(question.text) or question.text in (TO_FIX, SAME) else first


def then_to_fix(question: Question, evidence: Evidence) -> list[Call]:
    """A function, or all of several, in every thread of the main one's kind."""
    if question.text in (TO_FIX, SAME) and (rows := _to_change(question, evidence)):
        where = {"profile": question.profile} if question.profile else {}
        return [*still_to_find(question, evidence), *ways_to_change.calls(rows[0], where, evidence)]
    if not _names(question):
        return then_overview(question, evidence)
    if missing := still_to_find(question, evidence):
        return missing
    if not evidence.runs_in_several:
        return _above(question, evidence) if not _is_of_several(question) else []
    if _is_of_several(question):
        return [("find_frames", _search(question) | {"profile": EVERYWHERE})]
    return [
        ("get_callers_callees", {"frame": row["handle"], "profile": EVERYWHERE})
        for row in meant(question, evidence)[:1]
    ]


def _around(handle: str, evidence: Evidence) -> dict[str, Any] | None:
    return evidence.first("get_callers_callees", frame=handle, profile=None)


def _above(question: Question, evidence: Evidence) -> list[Call]:
    """The calls for the function in question and for what calls it most."""
    for row in meant(question, evidence)[:1]:
        around = _around(row["handle"], evidence)
        ups = [row["handle"], *(one["handle"] for one in (around or {"callers": []})["callers"][:1] if one["handle"])]
        return [("get_callers_callees", {"frame": one}) for one in ups if _around(one, evidence) is None]
    return []


def _with_its_caller(row: dict[str, Any], evidence: Evidence) -> str:
    """What would be saved with the function that calls it over and over, where that takes much more; else empty."""
    around = _around(row["handle"], evidence)
    most = next((one for one in around["callers"] if one["handle"]), None) if around else None
    up = _around(most["handle"], evidence) if most else None
    if around is None or most is None or up is None or is_entry(up["frame"]["name"]):
        return ""
    caller, calls = up["frame"], most.get("direct_calls")
    is_much = row["total_share"] * MUCH_MORE < caller["total_share"] < NEARLY_ALL
    if not is_much or most["value"] < caller["total_value"] / FEW or most["value"] * MUCH_MORE < row["total_value"]:
        return ""
    each = calls / caller["count"] if calls and caller["count"] and up["counted"] == CALLS else 0
    often = f" {linked(f'{float(each):,.4g}', each)} times a call" if each > 1 else ""
    return f"; with {cited(caller)}, which calls it{often}, {total(caller, around['unit'])}"


MUCH_MORE, NEARLY_ALL, FEW = 1.2, 0.95, 20
"""How many times as much a caller has to take for its saving to be given, too, up to which share of all, and which part
of it this function has to be."""


def _names(question: Question) -> bool:
    return bool(question.names or question.handle)


def _is_of_several(question: Question) -> bool:
    return len(question.names) > 1 and question.saves


def _search(question: Question) -> dict[str, Any]:
    return {"pattern": "|".join(re.escape(name) for name in question.names)[:200], "regex": True, "limit": 10}


def _saving(question: Question, evidence: Evidence) -> list[str]:
    """What would be gained at most if a function, or several, cost nothing, in all threads that run it."""
    rows = meant(question, evidence)
    if _is_of_several(question):
        pattern = _search(question)["pattern"]
        found = [evidence.first("find_frames", pattern=pattern, profile=which) for which in (None, EVERYWHERE)]
        ways = [one for one in found if one and one["total_value"] > 0]
        names = joined([coded(name) for name in question.names])
    else:
        around = evidence.first("get_callers_callees", profile=EVERYWHERE)
        ways = [*rows[:1], *([around["frame"]] if around else [])]
        names = cited(rows[0]) if rows else ""
    if not rows or not ways:
        return one_function.unknown(question, evidence)
    row, unit = ways[0], evidence.unit
    everywhere = ways[-1]["total_value"] > OVER * row["total_value"]
    row = ways[-1] if everywhere else row
    rest = ""
    if 0 < row["total_share"] < 1 and row["total_value"] > 0:
        left, left_share = remainder(row["total_value"], row["total_share"])
        rest = f" {amount(left, unit)} ({share(left_share)}) would be left."
    if _FORMS.half.search(question.text) and row["total_value"] > 0:
        half, of_all = amount(float(row["total_value"]) / 2, unit), share(float(row["total_share"]) / 2)
        kept = f"{share(1 - float(row['total_share']) / 2)} would be left"
        saved = f"**About {of_all} would be saved ({half}), if {names} took half as long, and {kept}**"
        return [f"{saved}: it takes {total(row, unit)} now.", leading(evidence, "What takes the most is")]
    once, calls = _FORMS.only_once.search(evidence.prompt), row.get("count")
    if once and calls and calls > 1 and evidence.counted == CALLS and not (everywhere or evidence.measures_waiting):
        less = float(row["total_value"]) * (1 - 1 / calls)
        rest = f" {amount(less, unit)} less if it is called once and not {calls:,} times.{rest}"
    what = "of waiting would be saved" if evidence.measures_waiting else "would be saved"
    cost = "and all that they call" if _is_of_several(question) else "and all that it calls"
    above = "" if everywhere else _with_its_caller(row, evidence)
    most = f"At most {total(row, unit)}{OF_ALL if everywhere else ''} {what}, if {names} {cost} cost nothing"
    if rest and _FORMS.left.search(evidence.prompt) and not evidence.measures_waiting:
        left, left_share = remainder(row["total_value"], row["total_share"])
        most = f"{amount(left, unit)} ({share(left_share)}) would be left at best, if {names} {cost} cost nothing"
        rest = f" That saves {total(row, unit)}{OF_ALL if everywhere else ''}."
    return [
        (f"**{most}**: {own(row, unit)} itself{above}.{rest}{CACHED if question.text == BY_CACHE else ''}"),
        WAITS_OVERLAP if evidence.measures_waiting else "",
        leading(evidence, "What takes the most is"),
    ]


SMALL = 0.05
"""Total share below which changing a function brings nearly nothing."""
KEPT = "If it is the same each time, work it out once before the loop and keep the result, or cache it"
NO_ARGUMENTS = "What each call was given, the recording does not show."
CACHED = " A cache saves what is worked out again of that: how much is the same, a recording does not show."
WAITS_OVERLAP = "Threads wait at the same time: the sum of their waiting is no time on the clock."


def first_fix(question: Question, evidence: Evidence) -> list[str]:
    """What to change, by what it could save at most."""
    if question.text in (TO_FIX, SAME) and (way_out := _way_out(question, evidence)):
        return way_out
    if question.text in (BY_CACHE, SAVED) and evidence.lead:
        return _saving(question, evidence)
    serial = of_causes(evidence, ("serial_waits",)) if _FORMS.together.search(question.text) else []
    if serial:
        return [claimed(serial[0]), *(_saving(question, evidence) if _names(question) else ())]
    if _names(question):
        return _saving(question, evidence)
    lead = evidence.lead
    parts = overview(question, evidence)
    again = next((row for name in REPEATED if (row := evidence.finding(name))), None)
    if again and _FORMS.once.search(question.text):
        share_of = f": at most {share(again['share'])}" if again["share"] else ""
        return [f"**What is done again could be saved{share_of}.** {sentence_of(again)} {again['advice']}", *parts]
    if lead is None:
        return parts
    if lead.row["self_share"] < LEADS:
        return [_largest_part(evidence, lead.unit), *parts]
    own_lead, row = evidence.own_lead, lead.row
    behind = (
        own_lead is not None and own_lead.row["self_share"] > row["self_share"] and not is_entry(own_lead.row["name"])
    )
    start = own_lead.row if own_lead is not None and behind else row
    return [f"**Start with {cited(start)}.** {_what_to_do(evidence, start)}{parts[0]}", *parts[1:]]


def _to_change(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The function in question; what leads in place of a small one that was spoken of, where no word points at that."""
    rows, lead = meant(question, evidence)[:1], evidence.lead
    is_small = rows and question.handle and rows[0]["total_share"] < SMALL
    return [lead.row] if is_small and lead and not refers(evidence.prompt) and not question.profile else rows


def _way_out(question: Question, evidence: Evidence) -> list[str]:
    """What is changed about the function in question, and what that can save at most."""
    for row in _to_change(question, evidence):
        around = evidence.first("get_callers_callees", frame=row["handle"]) or {}
        thrown = recorded_exceptions.recorded_in(evidence)
        is_thrown = thrown is not None and around.get("profile") == thrown["handle"]
        found, unit = ways_to_change.way(row, evidence, is_thrown=is_thrown), around.get("unit", evidence.unit)
        most = f"At most {total(row, unit)} can be saved there, with all that it calls."
        most = "" if found.names_it else most  # the finding has figures of its own
        if question.text == SAME:
            most = f"At most {total(row, unit)} can be saved{in_calls(row, evidence.counted)}"
            return [f"**{cited(row)}: {KEPT}. {most}.** {NO_ARGUMENTS}", leading(evidence, "What takes the most is")]
        reason = f"{found.reason.rstrip('.')}. " if found.reason else ""
        return [
            f"**{cited(found.at)}: {found.advice.rstrip('.')}.** {reason}{most}".rstrip(),
            leading(evidence, "What takes the most is"),
        ]
    return []


def _what_to_do(evidence: Evidence, start: dict[str, Any]) -> str:
    """The heaviest kind of work in a function, by names, with what is done about it; empty where none is most of it."""
    works = [one for one in evidence.found() if one["kind"] == "overhead" and one["advice"]]
    fitting = [one for one in works if start["total_share"] / 2 <= (one["share"] or 0.0) <= start["total_share"]]
    most = max(fitting, key=lambda one: one["share"], default=None)
    return f"{sentence_of(most)} {most['advice']} " if most else ""


def _largest_part(evidence: Evidence, unit: str) -> str:
    """Where to begin when no function leads; empty where one way holds nearly everything."""
    parts = parts_of(evidence)
    if not parts:
        return ""
    part = next((one for one in parts if not is_pseudo(one)), parts[0])
    inside = "".join(f" In it {cited(one)} holds the most: {total(one, unit)}." for one in part["inside"][:1])
    return (
        f"**Start with {cited(part)}, the largest part: {total(part, unit)}.**{inside} Nothing else can save more: "
        "look whether it must run at all, as often, and over as much."
    )
