"""Questions for how often: of one function, or which function is called most."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.device import number_of_kernels
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import around_of
from server.analyst.kinds.one_function import MOST_CALLED, calls_itself, leading, unknown
from server.analyst.kinds.one_function import then as then_of_one
from server.analyst.question import Question
from server.analyst.wording import CALLS, amount, cited, cited_profile, coded, counted, listed, located, own, total

_FORMS = forms("call_counts")
_KNOWN_FORMS = forms("known_forms")
_GOING_ON = forms("going_on")
_SENTENCE_FORMS = forms("sentence_forms")

HOW_TO_COUNT = (
    "To count calls, record with an instrumenting profiler (cProfile, viztracer, uftrace, callgrind), which costs more "
    "than sampling."
)


def times(calls: int) -> str:
    return "once" if calls == 1 else f"{calls:,} times"


def _most_called(question: Question, evidence: Evidence) -> list[str]:
    """The functions with the most calls, where no function is named and calls were counted."""
    found = evidence.first("query_trace", sql=MOST_CALLED)
    what = str((evidence.main or {}).get("counted") or "")
    is_asked = evidence.counted == CALLS or _FORMS.most_of.search(question.text)
    is_of_one = question.names or question.maybe or question.handle or _FORMS.of_the_heaviest.search(question.text)
    if is_of_one or not (is_asked and what and found):
        return []
    rows = [(frame["name"], name["name"], calls["value"]) for frame, name, calls in found["rows"]]
    first_, *others = [
        f"[{coded(name)}](#{frame}), with {linked(f'{int(calls):,}', calls)} {what}" for frame, name, calls in rows
    ]
    return [
        f"**The most {what} {'go to' if what == CALLS else 'are of'} {first_}.**",
        f"After it: {'; '.join(others)}." if others else "",
    ]


_IN_ENGLISH = {
    **dict.fromkeys(("muestras", "échantillons", "stichproben", "proben"), "samples"),
    **dict.fromkeys(("instrucciones", "instruktionen", "befehle", "istruzioni"), "instructions"),
    **dict.fromkeys(("llamadas", "appels", "aufrufe", "chiamate"), "calls"),
}
OF_CALLS = frozenset({"times", "fois", "male", "veces", "volte", "vezes"})
"""Words by which calls are counted."""


def counted_in_all(question: Question, evidence: Evidence) -> list[str]:
    """How many of what the recording counts there are in all; what it does not count cannot be said, unless a function
    is meant."""
    found, main = _FORMS.of_what.search(question.text), evidence.main
    things = (found[1] or found[2]).casefold() if found else ""
    if not things or question.names or question.handle or main is None or things in OF_CALLS:
        return []
    things = _IN_ENGLISH.get(things, things)
    if things == "instructions" and evidence.unit == "count":
        return [f"**{amount(main['total'], 'count')} instructions were counted in {cited_profile(main)}.**"]
    if things in ("functions", "methods") and evidence.summary:
        return [f"**This recording has {evidence.summary['frame_count']:,} functions.**"]
    thing, what = things.rstrip("s"), str(main.get("counted") or "")
    if what and thing == what.rstrip("s") and main.get("count"):
        number = linked(f"{int(main['count']):,}", main["count"])
        return [f"**{number} {what} were recorded in {cited_profile(main)}.**", leading(evidence, "The most is in")]
    if question.maybe or question.stems:
        return []
    return [f"**How many {things} there were, I cannot say**: {coded(thing)} is nothing that this recording counts."]


def _each(row: dict[str, Any], unit: str, what: str | None) -> str:
    """What one call takes on average, as a sentence; empty where nothing was counted but samples."""
    if what in (None, "samples") or not row["count"]:
        return ""
    mean = f"**{amount(row['total_value'] / row['count'], unit)} for each of the {counted(row, what)} of {cited(row)}**"
    alone = row["self_value"] / row["count"]
    itself = f", {amount(alone, unit)} of it itself" if row["self_value"] < row["total_value"] else ""
    return f"{mean} on average{itself}."


def _of_all(question: Question, evidence: Evidence) -> list[str]:
    """What is asked of no function: which is called most, how many of what is counted there are."""
    ways = (
        (counted_in_all, _most_called) if _KNOWN_FORMS.in_all.search(question.text) else (_most_called, counted_in_all)
    )
    return next((said for way in ways if (said := way(question, evidence))), [])


def _how_often(question: Question, evidence: Evidence) -> list[str]:
    if of_all := _of_all(question, evidence):
        return of_all
    around = around_of(question, evidence)
    if around is None:
        return unknown(question, evidence)
    row, unit, what = around["frame"], around["unit"], around["counted"]
    rankings = [result.data for result in evidence.all("get_top_functions") if "filter" in result.arguments]
    timed = [one for data in rankings for one in data["rows"] if one["handle"] == row["handle"] and "durations" in one]
    cost = f"It takes {total(row, unit)} in total and {own(row, unit)} itself."
    if _GOING_ON.per_call.search(question.text) and (each := _each(row, unit, what)):
        return [f"{each} {cost}", calls_itself(around)]
    if timed:
        took = timed[0]["durations"]
        single = (
            f"A call took {amount(took['least'], unit)} at least, {amount(took['median'], unit)} in the middle and "
            f"{amount(took['longest'], unit)} at most."
        )
        said = f"**{cited(row)} was called {times(took['calls'])}**{located(row)}. {single} {cost}"
        return [said, calls_itself(around)]
    if what == CALLS:
        each = f", {amount(row['total_value'] / row['count'], unit)} each on average" if row["count"] > 1 else ""
        return [f"**{cited(row)} was called {times(row['count'])}**{each}{located(row)}. {cost}", calls_itself(around)]
    counted_below = [
        one
        for result in evidence.all("get_top_functions")
        if result.arguments.get("value") == what
        for one in result.data["rows"]
        if one["handle"] == row["handle"]
    ]
    if what and counted_below:
        number = linked(f"{int(counted_below[0]['total_value']):,}", counted_below[0]["total_value"])
        return [f"**{number} {what} lie in {cited(row)} and what it calls**{located(row)}. {cost}"]
    if what and re.search(rf"\b{re.escape(what.rstrip('s'))}s?\b", question.text, re.IGNORECASE):
        return [f"**{counted(row, what)} ended in {cited(row)}**{located(row)}. {cost}"]
    unknown_ = f"**How often {cited(row)} was called cannot be said**"
    if what is None:
        return [f"{unknown_}: the recording has sums, not counts. {cost}", HOW_TO_COUNT]
    why = "samples were taken, calls were not counted" if what == "samples" else f"{what} were counted, not calls"
    return [f"{unknown_}: {why}. {counted(row, what)} ended in it. {cost}", HOW_TO_COUNT]


def then(question: Question, evidence: Evidence) -> list[Call]:
    if sql := _of_kernels(question, evidence):
        return [("query_trace", {"sql": sql})]
    return then_of_one(question, evidence)


def _of_kernels(question: Question, evidence: Evidence) -> str:
    return number_of_kernels(evidence) if _FORMS.kernels.search(question.text) else ""


def how_often(question: Question, evidence: Evidence) -> list[str]:
    """How often a function is called, and by whom where that is asked with it."""
    found = evidence.first("query_trace", sql=sql) if (sql := _of_kernels(question, evidence)) else None
    if found and found["rows"]:
        number = found["rows"][0][0]["value"]
        ran = linked(f"{int(number):,}", number)
        return [f"**{ran} kernels ran on the device**, copies and fills of memory not counted."]
    first, *others = _how_often(question, evidence)
    around = around_of(question, evidence) if _SENTENCE_FORMS.who_and_how_often.search(question.text) else None
    rows = [row for row in around["callers"] if row["handle"]] if around else []
    if not around or not rows:
        return [first, *others]
    return [f"{first} It is called from {listed(rows, around['unit'])} (what each brings in brackets).", *others]
