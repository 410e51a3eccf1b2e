"""Measures of functions that a prompt names, or that were spoken of: self, total, calls, one call, threads, callers."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from server.agent.memory.word_stem import SHORTEST, stem
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.kinds import call_counts, calls_of, suspects, who_calls
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import which_of
from server.analyst.kinds.two_functions import part_of, set_against
from server.analyst.measured import Measured
from server.analyst.question import Intent, Question
from server.analyst.subjects import HANDLE
from server.analyst.topic_words import parts_of
from server.analyst.wording import CALLS, amount, cited, cited_profile, few, joined, located, own, share, total, verb

MATCHES = 50
LISTED = 4
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
OF_ONE_CALL = ("longest", "shortest", "median", "p99", "when")
_BY_ANOTHER_KIND = {
    "weighs": Intent.SUSPECT,
    "callers": Intent.CALLERS,
    "longest": Intent.CALLS_OF,
    "when": Intent.CALLS_OF,
}
_OF_THREADS = ("threads", "one_thread", "all_threads", "several_threads")
_ANSWERS = {
    Intent.SUSPECT: suspects.suspect,
    Intent.CALLERS: who_calls.callers,
    Intent.CALLS_OF: calls_of.calls_of,
    Intent.HOW_OFTEN: call_counts.how_often,
}
_WRITERS = {
    Intent.SUSPECT: suspects,
    Intent.CALLERS: who_calls,
    Intent.CALLS_OF: calls_of,
    Intent.HOW_OFTEN: call_counts,
}


def finds(asked: Measured) -> list[Call]:
    """The searches for its names; a name of several words is searched by the first of them that is long."""
    return [
        ("find_frames", {"pattern": _pattern(run), "regex": True, "limit": MATCHES, "profile": "all"})
        for run in asked.runs
        if not HANDLE.fullmatch(run)
    ]


def _pattern(run: str) -> str:
    words = run.split()
    if len(words) == 1:
        return rf"(?i)(?:^|[^A-Za-z0-9]){re.escape(words[0])}(?:$|[^A-Za-z0-9])"
    return "(?i)" + "|".join(re.escape(stem(word)) for word in words)


def resolved(question: Question, evidence: Evidence) -> Question | None:
    """The question with the functions that it names; None where the trace has one of them not, or several fit alike."""
    asked = question.measured
    if asked is None or (question.is_known_otherwise and not (asked.asks("total") and evidence.runs_in_several)):
        return None
    if asked.asks("waiting") and not (evidence.waiting_profiles and len(asked.measures) == 1):
        return None
    handles = question.handles
    if asked.runs:
        rows = [_handle_of(run, evidence) for run in asked.runs]
        handles = tuple(row for row in rows if row)
        if len(handles) != len(asked.runs):
            return None
        if asked.asks("compared") and len(handles) == 1 and question.handles:
            handles = (*[one for one in question.handles if one not in handles][:1], *handles)
    if asked.asks("compared", "each", "part") != (len(handles) == 2):
        return None
    return replace(question, handles=handles, handle=handles[0], names=(), maybe=(), placed=(), stems=())


def unfound(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """The names that the trace has not, once they were looked for."""
    if question.measured is None or not evidence.called("find_frames"):
        return ()
    return tuple(run for run in question.measured.runs if _handle_of(run, evidence) is None)


def _handle_of(run: str, evidence: Evidence) -> str | None:
    if HANDLE.fullmatch(run):
        return run
    rows = (evidence.first("find_frames", pattern=_pattern(run)) or {"rows": []})["rows"]
    ways = {run, run.replace(" ", "_"), run.replace(" ", "")}
    exact = [row for row in rows if any(is_named(row, way) for way in ways)]
    if exact:
        return str(next((row for row in exact if row["name"] == run), exact[0])["handle"])
    stems = {stem(word) for word in run.split()}
    if len(stems) == 1 or min(map(len, stems)) < SHORTEST:
        return None
    fits = [row for row in rows if all(_has(row, one) for one in stems)]
    fits.sort(key=lambda row: (len(parts_of(row["name"])), -row["total_value"]))
    return str(fits[0]["handle"]) if fits else None


def _has(row: dict[str, Any], said: str) -> bool:
    """Whether one of the words of a name begins like this stem, or this stem like it."""
    return any(one.startswith(said) or (said.startswith(one) and len(one) > SHORTEST) for one in parts_of(row["name"]))


def _other(question: Question, evidence: Evidence) -> Intent | None:
    """Another kind that has this measure; what else than calls was counted is named with the number of calls."""
    asked = question.measured
    assert asked is not None
    if asked.asks("calls") and not asked.asks("compared", "from_itself") and evidence.counted != CALLS:
        return Intent.HOW_OFTEN
    return next((_BY_ANOTHER_KIND[one] for one in asked.measures if one in _BY_ANOTHER_KIND), None)


def _as_other(question: Question, intent: Intent) -> Question:
    return replace(question, intent=intent, measured=None, profile=None)


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
        other = _as_other(question, intent)
        writer = _WRITERS[intent]
        first = [("get_callers_callees", {"frame": question.handle} | _where(question, evidence))]
        return [*first, *writer.then(other, evidence)] if evidence.called("get_callers_callees") else first
    if question.measured and question.measured.asks("waiting"):
        where = {"profile": evidence.waiting_profiles[0]}
        return [("get_callers_callees", {"frame": question.handle} | where)]
    further: list[Call] = []
    if question.measured and question.measured.asks("from_itself"):
        further.append(("query_trace", {"sql": FROM_ITSELF.format(frame=question.handle)}))
    for handle in question.handles:
        around = evidence.first("get_callers_callees", frame=handle)
        further.append(("get_callers_callees", {"frame": handle} | _where(question, evidence)))
        if around is not None:
            name = around["frame"]["name"][:100]
            further.append(("get_top_functions", {"filter": name, "limit": MATCHES} | _where(question, evidence)))
        if evidence.runs_in_several:
            unit = "ns" if evidence.unit == "nanoseconds" else evidence.unit
            further.append(("query_trace", {"sql": BY_THREAD.format(unit=unit, frame=handle)}))
    return further


def write(question: Question, evidence: Evidence) -> list[str]:
    """The figure that is asked for first, then what belongs to it."""
    asked = question.measured
    assert asked is not None
    if intent := _other(question, evidence):
        other = _as_other(question, intent)
        first, *others = _ANSWERS[intent](other, evidence)
        return [f"{_besides(asked, question, evidence)}{first}", *others]
    found = [around for handle in question.handles if (around := evidence.first("get_callers_callees", frame=handle))]
    if len(found) < len(question.handles):
        return ["**That function could not be looked up.**"]
    if len(found) == 2:
        return _of_two(question, asked, found)
    around = found[0]
    if asked.asks("waiting"):
        return [_waits(around, evidence)]
    if asked.asks(*_OF_THREADS):
        return [*_threads(asked, around, evidence), _cost(around)]
    if asked.asks("from_itself"):
        return [_from_itself(question, around, evidence), _cost(around)]
    if one := next((one for one in asked.measures if one in OF_ONE_CALL), None):
        first = _one_call(one, around, evidence)
    else:
        first = _way(asked)(around)
    return [f"{_namesakes(question, evidence)}{first}{_spread(around, evidence)}"]


def _besides(asked: Measured, question: Question, evidence: Evidence) -> str:
    """The figure of all calls of the function that is asked for with one of them: `total and longest`."""
    around = evidence.first("get_callers_callees", frame=question.handle)
    of_all = asked.asks("calls", "self", "share", "mean", "total") and asked.asks("longest", "when")
    return f"{_way(asked)(around)} " if around and of_all else ""


def _of_two(question: Question, asked: Measured, found: list[dict[str, Any]]) -> list[str]:
    """The two set against each other, the share of one in the other, or the figure of each."""
    if asked.asks("compared"):
        return set_against(question, asked, found)
    return [part_of(*found)] if asked.asks("part") else [" ".join(map(_way(asked), found))]


def _way(asked: Measured) -> Callable[[dict[str, Any]], str]:
    """How the first of the measures is written that has a sentence of its own; else the total is."""
    ways = {"calls": _calls, "self": _self, "share": _share, "mean": _mean}
    return next((ways[one] for one in asked.measures if one in ways), _total)


def _row(around: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = around["frame"]
    return row


def _calls(around: dict[str, Any]) -> str:
    row, unit, what = _row(around), around["unit"], around["counted"]
    if what == CALLS and row["count"] is not None:
        return f"**{cited(row)} was called {row['count']:,} times**{located(row)}. {_cost(around)}"
    why = f"{what} were counted, not calls" if what else "the recording has sums, not counts"
    seen = f" {row['count']:,} {what} ended in it." if what and row["count"] is not None else ""
    return f"**How often {cited(row)} was called cannot be said**: {why}.{seen} It takes {total(row, unit)} in total."


def _self(around: dict[str, Any]) -> str:
    row, unit = _row(around), around["unit"]
    return f"**{cited(row)} takes {own(row, unit)} itself**{located(row)}, and {total(row, unit)} with what it calls."


def _total(around: dict[str, Any]) -> str:
    row, unit = _row(around), around["unit"]
    counted = f", in {row['count']:,} calls" if around["counted"] == CALLS and (row["count"] or 0) > 1 else ""
    return f"**{cited(row)} takes {total(row, unit)} in total{counted}**{located(row)}, {own(row, unit)} of it itself."


def _share(around: dict[str, Any]) -> str:
    row, unit = _row(around), around["unit"]
    return (
        f"**{cited(row)} takes {share(row['total_share'])} of all that is {verb(unit)}** "
        f"({amount(row['total_value'], unit)}), {share(row['self_share'])} itself."
    )


def _mean(around: dict[str, Any]) -> str:
    row, unit = _row(around), around["unit"]
    if around["counted"] != CALLS or not row["count"]:
        return f"**What one call of {cited(row)} takes cannot be said**: calls were not counted. {_cost(around)}"
    each = amount(row["total_value"] / row["count"], unit)
    return f"**{cited(row)} takes {each} a call on average**, in {row['count']:,} calls. {_cost(around)}"


def _one_call(measure: str, around: dict[str, Any], evidence: Evidence) -> str:
    row, unit = _row(around), around["unit"]
    rankings = [one.data for one in evidence.all("get_top_functions") if "filter" in one.arguments]
    took = next(
        (
            one["durations"]
            for data in rankings
            for one in data["rows"]
            if one["handle"] == row["handle"] and one.get("durations")
        ),
        None,
    )
    if took is None:
        return f"{calls_of.NO_SINGLE_CALLS} {cited(row)} takes {total(row, unit)} in total and {own(row, unit)} itself."
    key, words = {
        "shortest": ("least", "The shortest call"),
        "median": ("median", "The middle call"),
        "p99": ("p99", "The 99th percentile of calls"),
    }[measure]
    others = [
        f"{amount(took[one], unit)} {said}"
        for one, said in (("least", "at least"), ("median", "in the middle"), ("longest", "at most"))
        if one != key
    ]
    return f"**{words} of {cited(row)} took {amount(took[key], unit)}**; {joined(others)}, in {took['calls']:,} calls."


def _cost(around: dict[str, Any]) -> str:
    row, unit = _row(around), around["unit"]
    return f"It takes {total(row, unit)} in total and {own(row, unit)} itself."


def _waits(around: dict[str, Any], evidence: Evidence) -> str:
    """What of the waiting that was recorded lies in a function."""
    row, unit = _row(around), around["unit"]
    profile = evidence.profile(around["profile"])
    where = f" in {cited_profile(profile)}" if profile else ""
    if row["total_value"] <= 0:
        return f"**No: no wait was recorded in {cited(row)}**, nor in what it calls{where}."
    waited = f"{total(row, unit)} of the waiting{where} lies in {cited(row)} and what it calls"
    return f"**Yes: {waited}**, {own(row, unit)} in it itself."


def _from_itself(question: Question, around: dict[str, Any], evidence: Evidence) -> str:
    row, whether = _row(around), question.asks_whether
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


def _by_thread(around: dict[str, Any], evidence: Evidence) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The profiles that hold a function, with its figures there, the heaviest first."""
    handle = _row(around)["handle"]
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for result in evidence.all("query_trace"):
        if f"frame = '{handle}'" not in result.arguments["sql"]:
            continue
        for profile, *cells in result.data["rows"]:
            row = evidence.profile(profile["name"])
            values = {cell["column"].partition("_")[0]: cell.get("value_ns", cell.get("value")) for cell in cells}
            if row is not None and row["unit"] == evidence.unit and values["total"]:
                found.append((row, values))
    return found


def _threads(asked: Measured, around: dict[str, Any], evidence: Evidence) -> list[str]:
    row, unit = _row(around), around["unit"]
    found = _by_thread(around, evidence)
    main = evidence.main
    if not evidence.runs_in_several and main:
        return [f"**{cited(row)} runs in {cited_profile(main)}**, the only thread that this trace has of its kind."]
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
    return [f"**{yes}{cited(row)} runs in {of_all} {few(alike)} threads: {joined(lines[:LISTED])}{more}.**"]


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
    rows = (evidence.first("find_frames", pattern=_pattern(runs[0])) or {"rows": []})["rows"] if len(runs) == 1 else []
    return which_of(rows, runs[0]) if rows else ""
