"""Measures of functions that a prompt names, or that were spoken of: self, total, calls, one call, threads, callers."""

import re
from dataclasses import replace
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds import by_query, call_counts, calls_of, one_function, suspects, who_calls
from server.analyst.kinds.asked_of_one import OF_ALL_CALLS, OF_ONE_CALL, cost, figures_of, of_one_call, row_of
from server.analyst.kinds.in_other_profiles import around_function, further_places, place_of
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import which_of
from server.analyst.kinds.spoken_names import MATCHES, handle_named, pattern_of
from server.analyst.kinds.two_functions import part_of, set_against
from server.analyst.measured import Measured
from server.analyst.question import Intent, Question
from server.analyst.subjects import HANDLE
from server.analyst.wording import CALLS, amount, cited, cited_profile, few, joined, own, total
from traces.analysis.waiting_names import waits

LISTED = 4
NAMED = 3
"""Threads up to which a sum says what each of them has; of more it names the first."""
TOGETHER = "together"
"""How an answer ends that is of all threads, and no longer of the one that was spoken of."""
BY_THREAD = (
    "SELECT profile, sum(total_value) FILTER (outermost) AS total_{unit}, sum(self_value) AS self_{unit}, "
    "sum(count) AS calls FROM nodes WHERE frame = '{frame}' GROUP BY profile ORDER BY 2 DESC"
)
FROM_ITSELF = (
    "SELECT coalesce((SELECT sum(calls) FROM edges WHERE caller = '{frame}' AND callee = '{frame}'), "
    "(SELECT sum(below.count) FROM nodes below JOIN nodes above ON below.parent = above.node "
    "WHERE below.frame = '{frame}' AND above.frame = '{frame}')) AS calls"
)
"""How many calls a function makes of itself."""
_BY_ANOTHER_KIND = {
    "weighs": Intent.SUSPECT,
    "callers": Intent.CALLERS,
    "callees": Intent.CALLEES,
    "longest": Intent.CALLS_OF,
    "when": Intent.CALLS_OF,
    "first": Intent.TIMELINE,
}
_THREAD_SCOPE = forms("thread_scope")
_OF_THREADS = ("threads", "one_thread", "all_threads", "several_threads")
_ANSWERS = {
    Intent.SUSPECT: suspects.suspect,
    Intent.CALLERS: who_calls.callers,
    Intent.CALLEES: one_function.callees,
    Intent.CALLS_OF: calls_of.calls_of,
    Intent.TIMELINE: by_query.timeline,
    Intent.HOW_OFTEN: call_counts.how_often,
}
_THEN = {
    Intent.SUSPECT: suspects.then,
    Intent.CALLERS: who_calls.then,
    Intent.CALLEES: one_function.then,
    Intent.CALLS_OF: calls_of.then,
    Intent.TIMELINE: by_query.then_timeline,
    Intent.HOW_OFTEN: call_counts.then,
}


def resolved(question: Question, evidence: Evidence) -> Question | None:
    """The question with the functions that it names; None where the trace has one of them not, or several fit alike."""
    asked = question.measured
    if asked is None or (question.is_known_otherwise and not (asked.asks("total") and evidence.runs_in_several)):
        return None
    if asked.asks("waiting") and not (evidence.waiting_profiles and len(asked.measures) == 1):
        return None
    handles = question.handles
    if asked.runs:
        rows = [handle_named(run, evidence) for run in asked.runs]
        handles = tuple(row for row in rows if row)
        if len(handles) != len(asked.runs):
            return None
        if asked.sets_one_more_against and len(handles) == 1 and question.handles:
            handles = (*[one for one in question.handles if one not in handles][:1], *handles)
    if asked.asks("compared", "each", "part") != (len(handles) == 2):
        return None
    carried = None if asked.runs else question.carried  # what is named goes before what was spoken of
    found = replace(question, handles=handles, handle=handles[0], carried=carried)
    return replace(found, names=(), maybe=(), placed=(), stems=())


_A_NUMBER = re.compile(r"\bhow many (?!calls|times)|\bwie viele (?!aufrufe)|\bcuánt[ao]s\b|\bcombien d", re.IGNORECASE)
"""Words that ask how many there are of something, which need be no function."""


def unfound(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """The names that the trace has not, once they were looked for."""
    if question.measured is None or not evidence.called("find_frames") or _A_NUMBER.search(question.text):
        return ()
    return tuple(run for run in question.measured.runs if handle_named(run, evidence) is None)


def _other(question: Question, evidence: Evidence) -> Intent | None:
    """Another kind that has this measure; what else than calls was counted is named with the number of calls."""
    asked = question.measured
    assert asked is not None
    around = around_function(question.handle or "", evidence)
    counted = around["counted"] if around else evidence.counted
    if asked.asks("calls") and not asked.asks("compared", "from_itself") and counted != CALLS:
        return Intent.HOW_OFTEN
    if asked.asks("when") and not asked.asks("longest") and (evidence.main or {}).get("kind") == "sampled":
        return Intent.TIMELINE
    return next((_BY_ANOTHER_KIND[one] for one in asked.measures if one in _BY_ANOTHER_KIND), None)


def _as_other(question: Question, intent: Intent, evidence: Evidence) -> Question:
    """The question for another kind, in the profile that holds the function where that is of another kind, too."""
    around, first = around_function(question.handle or "", evidence), _where(question, evidence)
    place = place_of(around, first) if around else first
    profile = place.get("profile") if place != first else None
    return replace(question, intent=intent, measured=None, profile=profile)


def _where(question: Question, evidence: Evidence) -> dict[str, Any]:
    """Every thread; or the profile of another kind (allocations, waits) that was spoken of."""
    spoken_of, main = evidence.profile(question.profile), evidence.main
    if spoken_of and main and (spoken_of["kind"], spoken_of["unit"]) != (main["kind"], main["unit"]):
        return {"profile": question.profile}
    return {"profile": "all"} if evidence.runs_in_several else {}


def calls(question: Question, evidence: Evidence) -> list[Call]:
    """What is asked next of the functions that are known."""
    if evidence.summary is None:
        return [SUMMARY, BY_SELF]
    if intent := _other(question, evidence):
        first = further_places(question.handle or "", _where(question, evidence), evidence)
        return first or _THEN[intent](_as_other(question, intent, evidence), evidence)
    if question.measured and question.measured.asks("waiting"):
        where = {"profile": evidence.waiting_profiles[0]}
        return [("get_callers_callees", {"frame": question.handle} | where)]
    further: list[Call] = []
    if question.measured and question.measured.asks("from_itself"):
        further.append(("query_trace", {"sql": FROM_ITSELF.format(frame=question.handle)}))
    for handle in question.handles:
        everywhere = _where(question, evidence)
        further += further_places(handle, everywhere, evidence)
        if around := around_function(handle, evidence):
            name, where = around["frame"]["name"][:100], place_of(around, everywhere)
            further.append(("get_top_functions", {"filter": name, "limit": MATCHES} | where))
        if evidence.runs_in_several or (around and _is_elsewhere(around, evidence)):
            unit = "ns" if evidence.unit == "nanoseconds" else evidence.unit
            further.append(("query_trace", {"sql": BY_THREAD.format(unit=unit, frame=handle)}))
    return further


def write(question: Question, evidence: Evidence) -> list[str]:
    """The figure that is asked for first, then what belongs to it."""
    asked = question.measured
    assert asked is not None
    if intent := _other(question, evidence):
        other = _as_other(question, intent, evidence)
        first, *others = _ANSWERS[intent](other, evidence)
        besides = "" if intent is Intent.HOW_OFTEN else _besides(asked, question, evidence)
        return [f"{besides}{first}", *others]
    found = [around for handle in question.handles if (around := around_function(handle, evidence))]
    if len(found) < len(question.handles):
        return ["**That function could not be looked up.**"]
    if len(found) == 2:
        return _of_two(question, asked, found)
    around = found[0]
    if asked.asks("waiting"):
        return [_waits(around, evidence)]
    if asked.asks(*_OF_THREADS):
        return [
            *_threads(asked, around, evidence, is_least=_THREAD_SCOPE.least.search(question.text) is not None),
            cost(around),
        ]
    if asked.asks("from_itself"):
        return [_from_itself(question, around, evidence), cost(around)]
    if one := next((one for one in asked.measures if one in OF_ONE_CALL), None):
        first = of_one_call(one, around, evidence)
    else:
        first = _of_all_waits(around, evidence, is_total=asked.asks("total", "everywhere"))
        if first:
            return [f"{_namesakes(question, evidence)}{first}"]
        first = figures_of(asked, around)
    return [f"{_namesakes(question, evidence)}{first}{_spread(around, evidence)}"]


def _besides(asked: Measured, question: Question, evidence: Evidence) -> str:
    """The figure of all calls of the function that is asked for with one of them: `total and longest`."""
    around = around_function(question.handle or "", evidence)
    of_all = asked.asks(*OF_ALL_CALLS) and asked.asks("longest", "when")
    return f"{figures_of(asked, around, in_short=True)} " if around and of_all else ""


def _of_two(question: Question, asked: Measured, found: list[dict[str, Any]]) -> list[str]:
    """The two set against each other, the share of one in the other, or the figure of each."""
    if asked.asks("compared"):
        return set_against(question, asked, found)
    return [part_of(*found)] if asked.asks("part") else [" ".join(figures_of(asked, one) for one in found)]


def _waits(around: dict[str, Any], evidence: Evidence) -> str:
    """What of the waiting that was recorded lies in a function."""
    row, unit = row_of(around), around["unit"]
    profile = evidence.profile(around["profile"])
    where = f" in {cited_profile(profile)}" if profile else ""
    if row["total_value"] <= 0:
        return f"**No: no wait was recorded in {cited(row)}**, nor in what it calls{where}."
    waited = f"{total(row, unit)} of the waiting{where} lies in {cited(row)} and what it calls"
    return f"**Yes: {waited}**, {own(row, unit)} in it itself."


def _from_itself(question: Question, around: dict[str, Any], evidence: Evidence) -> str:
    row, whether = row_of(around), question.asks_whether
    yes = "Yes: " if whether else ""
    found = evidence.first("query_trace", sql=FROM_ITSELF.format(frame=row["handle"]))
    number = found["rows"][0][0].get("value") if found and found["rows"] and around["counted"] == CALLS else None
    if number:
        of_all = f" of its {row['count']:,} calls" if row["count"] else " calls"
        many = linked(f"{int(number):,}", number)
        return f"**{yes}{many}{of_all} come from {cited(row)} itself**: it is recursive."
    if around["recursive"]:
        how_often = "calls itself, but how often cannot be said"
        return f"**{yes}{cited(row)} {how_often}**: single calls are not in this trace."
    return f"**{'No' if whether else 'None'}: {cited(row)} does not call itself.**"


def _is_elsewhere(around: dict[str, Any], evidence: Evidence) -> bool:
    """Whether its figures are of a profile of another kind than the main one, of which there may be one a thread."""
    main, profile = evidence.main, evidence.profile(around["profile"])
    if main is None or profile is None:
        return False
    return (main["kind"], main["unit"]) != (profile["kind"], profile["unit"])


ALIKE = 0.001
"""Part by which two sums of the same may differ."""


def _of_all_waits(around: dict[str, Any], evidence: Evidence, *, is_total: bool) -> str:
    """What a wait, or what is in profiles of another kind, takes in all of them; empty where that is one."""
    is_of_all = _is_elsewhere(around, evidence) or (is_total and waits(row_of(around)["name"]))
    found = _apart(_by_thread(around, evidence)) if is_of_all else []
    if len(found) < 2:
        return ""
    shown = NAMED if len(found) <= NAMED else 1
    unit, together = around["unit"], sum(float(values["total"]) for _, values in found)
    each = joined([f"{amount(values['total'], unit)} in {cited_profile(one)}" for one, values in found[:shown]])
    more = f" and {few(len(found) - shown)} more" if len(found) > shown else ""
    takes = f"{cited(row_of(around))} takes {amount(together, unit)} in {few(len(found))} threads {TOGETHER}"
    return f"**{takes}**: {each}{more}."


def _apart(found: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The profiles without the one that has the sum of all others: the same waits, counted for all threads together."""
    if len(found) < 3:
        return found
    first, *others = sorted(found, key=lambda one: -float(one[1]["total"]))
    summed = sum(float(values["total"]) for _, values in others)
    return others if abs(summed - float(first[1]["total"])) <= ALIKE * summed else found


def _by_thread(around: dict[str, Any], evidence: Evidence) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The profiles that hold a function, with its figures there, the heaviest first."""
    handle = row_of(around)["handle"]
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for result in evidence.all("query_trace"):
        if f"frame = '{handle}'" not in result.arguments["sql"]:
            continue
        for profile, *cells in result.data["rows"]:
            row = evidence.profile(profile["name"])
            values = {
                cell["column"].partition("_")[0]: cell.get("value_ns", cell.get("value_bytes", cell.get("value")))
                for cell in cells
            }
            if row is not None and row["unit"] == around["unit"] and values["total"]:
                found.append((row, values))
    return found


def _threads(asked: Measured, around: dict[str, Any], evidence: Evidence, *, is_least: bool = False) -> list[str]:
    row, unit = row_of(around), around["unit"]
    found = _by_thread(around, evidence)[:: -1 if is_least else 1]
    main = evidence.main
    if not evidence.runs_in_several and main:
        of_it = evidence.profile(around["profile"]) or main
        return [f"**{cited(row)} is in {cited_profile(of_it)} alone**, which is not divided by thread here."]
    if not found or main is None:
        return [f"**In which thread {cited(row)} runs cannot be said.**"]
    lines = [f"{cited_profile(one)} ({amount(values['total'], unit)}{_times(around, values)})" for one, values in found]
    profiles = (evidence.summary or {})["profiles"]
    alike = sum((one["kind"], one["unit"]) == (main["kind"], main["unit"]) for one in profiles)
    holds = {"one_thread": len(found) == 1, "all_threads": len(found) == alike, "several_threads": len(found) > 1}
    yes = next(("Yes: " if holds[one] else "No: " for one in asked.measures if one in holds), "")
    if len(found) == 1:
        return [f"**{yes}{cited(row)} runs only in {lines[0]}**, of {few(alike)} threads."]
    more = f" and {few(len(found) - LISTED)} more" if len(found) > LISTED else ""
    of_all = "all" if len(found) == alike else f"{few(len(found))} of"
    order = ", the least of it first" if is_least else ""
    return [f"**{yes}{cited(row)} runs in {of_all} {few(alike)} threads{order}: {joined(lines[:LISTED])}{more}.**"]


def _times(around: dict[str, Any], values: dict[str, Any]) -> str:
    return f", {values['calls']:,} calls" if around["counted"] == CALLS and values.get("calls") else ""


def _spread(around: dict[str, Any], evidence: Evidence) -> str:
    """Where it runs, where that may be in several threads."""
    found = _by_thread(around, evidence)
    if not found:
        return ""
    if len(found) == 1:
        return f" All of it is in {cited_profile(found[0][0])}."
    most, values = found[0]
    there = amount(values["total"], around["unit"])
    return f" It runs in {few(len(found))} threads, most in {cited_profile(most)}: {there}."


def _namesakes(question: Question, evidence: Evidence) -> str:
    """The question back where other functions of the name weigh, too."""
    asked = question.measured
    runs = [run for run in (asked.runs if asked else ()) if not HANDLE.fullmatch(run)]
    found = evidence.first("find_frames", pattern=pattern_of(runs[0])) if len(runs) == 1 else None
    rows = (found or {"rows": []})["rows"]
    return which_of(rows, runs[0]) if rows else ""
