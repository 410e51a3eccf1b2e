"""The longest task of the main thread and that of all threads: an answer says which of the two it is."""

from typing import Any

from server.analyst.evidence import Evidence, busy_of, lead_of
from server.analyst.figures import linked
from server.analyst.findings import distinct_findings, sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import single_events
from server.analyst.kinds.kind import Call
from server.analyst.kinds.moments_and_calls import NS_PER_MS, ranking_of, span_cited
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.overview import caveats
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_for_any, limit_asked, place_asked_for
from server.analyst.wording import amount, begins, cited, cited_profile, joined, own

_FORMS = forms("tasks_of_threads")
_SENTENCE_FORMS = forms("sentence_forms")
_EVENT_KINDS = forms("event_kinds")

LONGEST = "get_longest_calls"
OF_ALL_THREADS: Call = (LONGEST, {"outermost": True, "limit": 1, "profile": "all"})


def _of_tasks(evidence: Evidence) -> dict[str, Any]:
    """The busiest profile of spans of the thread that leads, where that was sampled, too."""
    main = evidence.profile((evidence.summary or {}).get("default_profile"))
    if main is None or main["kind"] == "evented":
        return {}
    spans = [
        row
        for row in evidence.profiles
        if row["kind"] == "evented"
        and (row["pid"], row["tid"]) == (main["pid"], main["tid"])
        and row["unit"] == main["unit"]
    ]
    return {"profile": max(spans, key=busy_of)["handle"]} if spans else {}


def _then_of_thread(question: Question, evidence: Evidence) -> list[Call]:
    if not evidence.called("get_longest_calls"):
        where = _of_tasks(evidence)
        longest: list[Call] = [("get_longest_calls", {"outermost": True, "limit": 5} | where)]
        return [*longest, ("get_longest_calls", {"limit": 8} | where)]
    rows = _outermost(evidence)
    if not rows:
        return []
    meant = rows[min(place_asked_for(question.text), len(rows) - 1)]
    start, end = meant["start"] / NS_PER_MS, meant["end"] / NS_PER_MS
    where = {"profile": meant["profile"]}
    return [
        (
            "get_top_functions",
            {"sort_by": "self", "limit": 5, "start_time_ms": round(start, 6), "end_time_ms": round(end, 6)} | where,
        )
    ]


def _outermost(evidence: Evidence) -> list[dict[str, Any]]:
    found = evidence.first("get_longest_calls", outermost=True)
    return found["rows"] if found and found["unit"] == "nanoseconds" else []


def _of_thread(question: Question, evidence: Evidence) -> list[str]:
    """The longest task and what fills it, the findings about tasks, and the next ones."""
    rows, found = _outermost(evidence), evidence.first("get_longest_calls", outermost=True)
    if not rows or found is None or evidence.finding("no-order"):
        none = "**Single calls are not in this trace**: it cannot say which one took long."
        return [none, leading(evidence, "Over all of it the hottest function is"), caveats(evidence)]
    place = min(place_asked_for(question.text), len(rows) - 1)
    longest, unit = rows[place], found["unit"]
    what = "task" if found["exact"] else "stretch of samples"
    findings = [row for row in distinct_findings(evidence) if row["kind"] in ("timeline", "page", "requests")]
    lines = [f"- {span_cited(row)}: {amount(row['duration'], unit)}, from {begins(row, unit)} on" for row in rows[:5]]
    deeper = [row for row in evidence.rows("get_longest_calls", limit=8) if row["depth"] > 0]
    below = joined([f"{span_cited(row)} ({amount(row['duration'], unit)})" for row in deeper[:3]])
    which = ("", "second ", "third ", "fourth ")[place]
    first = f"**The {which}longest {what} took {amount(longest['duration'], unit)}**: {span_cited(longest)}"
    if _FORMS.within.search(question.text) and (inside := _inside(longest, evidence, which, what)):
        return [inside, caveats(evidence)]
    return [
        f"{first}, from {begins(longest, unit)} on. {_filled(longest, evidence)}",
        leading(evidence, "Over all of the recording the hottest function is"),
        "\n".join(f"- {row['title']}: {sentence_of(row)} {row['advice']}".rstrip() for row in findings[:4]),
        "The longest ones:\n\n" + "\n".join(lines) if len(rows) > 1 else "",
        f"The longest below them: {below}." if below else "",
        caveats(evidence),
    ]


FILL = 3
"""Functions that are named of what fills a task."""


def _inside(longest: dict[str, Any], evidence: Evidence, which: str, what: str) -> str:
    """What fills the task that is meant, the most first; empty before it was looked up."""
    start = round(longest["start"] / NS_PER_MS, 6)
    inside = ranking_of(evidence, {"start_time_ms": start, "profile": longest["profile"]})
    rows = [row for row in (inside or {"rows": []})["rows"] if row["self_value"] > 0]
    if inside is None or not rows:
        return ""
    unit = inside["unit"]
    most, *others = [f"{cited(row)} with {own(row, unit)}" for row in rows[:FILL]]
    then_ = f", then {joined(others)}" if others else ""
    when = f"{amount(longest['duration'], unit)} long, from {begins(longest, unit)} on"
    return f"**In the {which}longest {what} ({when}) the most is in {most}**{then_}."


def _filled(longest: dict[str, Any], evidence: Evidence) -> str:
    """What leads within the longest task."""
    start = round(longest["start"] / NS_PER_MS, 6)
    inside = ranking_of(evidence, {"start_time_ms": start, "profile": longest["profile"]})
    lead = lead_of(inside) if inside else None
    if inside is None or lead is None:
        return ""
    return (
        f"In it {cited(lead.row)} leads: {own(lead.row, inside['unit'])} of {amount(inside['whole'], inside['unit'])}."
    )


def then_long(question: Question, evidence: Evidence) -> list[Call]:
    """What is asked of the main thread, and the longest task of all."""
    calls = [*_then_of_thread(question, evidence), *_number_of(question, evidence)]
    if question.profile:
        there = {"profile": question.profile}
        return [(tool, arguments | there) if tool == LONGEST else (tool, arguments) for tool, arguments in calls]
    return [*calls, OF_ALL_THREADS] if evidence.runs_in_several else calls


def _number_of(question: Question, evidence: Evidence) -> list[Call]:
    """The query for the tasks of the thread that is asked about, where a number of them is."""
    listed = next((one.data for one in evidence.all(LONGEST) if one.arguments.get("profile") != "all"), None)
    asks = limit_asked(question.text) or _SENTENCE_FORMS.how_many.search(question.text) or asks_for_any(question.text)
    if not (asks and listed and listed["exact"] and listed["rows"]):
        return []
    return [single_events.of_tasks(question.profile or listed["rows"][0]["profile"], _with_limit(question.text))]


def _with_limit(text: str) -> str:
    """The text with the length from which tasks are long, where it asks for such and names no other."""
    is_of_long = asks_for_any(text) or _EVENT_KINDS.tasks.search(text)
    return f"{text} > {LONG_MS:g} ms" if is_of_long and not limit_asked(text) else text


LONG_MS = 50.0
"""From which a task is long (W3C Long Tasks)."""


def _whether_any(question: Question, evidence: Evidence) -> str:
    """Yes or no where it is asked whether there are long tasks, longer than it says or than 50 ms."""
    is_anywhere = _FORMS.anywhere.search(question.text) is not None
    asked = [one for one in evidence.all(LONGEST) if is_anywhere or one.arguments.get("profile") != "all"]
    of_main = [one.data for one in asked if one.data["rows"] and one.data["exact"]]
    if not (asks_for_any(question.text) and of_main) or of_main[0]["unit"] != "nanoseconds":
        return ""
    found = _FORMS.ms.search(question.text)
    limit = (float(found[1]) * (1_000 if found[2].casefold() == "s" else 1) if found else LONG_MS) * NS_PER_MS
    longest = max(row["duration"] for data in of_main for row in data["rows"])
    than = f"than {found[0]}" if found else "than 50 ms"
    calls = [] if is_anywhere else _number_of(question, evidence)
    if calls and (tasks := single_events.found(calls[0], evidence)):
        many = linked(f"{int(tasks.longer):,}", tasks.longer) if tasks.longer else "none"
        of_all = linked(f"{int(tasks.count):,}", tasks.count)
        return f"**{'Yes' if tasks.longer else 'No'}: {many} of {of_all} tasks took longer {than}.** "
    return f"**{'Yes' if longest > limit else 'No'}: {'some are' if longest > limit else 'none is'} longer {than}.** "


def long_tasks(question: Question, evidence: Evidence) -> list[str]:
    """The answer about the main thread; first what is longer elsewhere, where it is asked for anywhere."""
    first, *others = _long_tasks(question, evidence)
    of_thread = (one.data["rows"] for one in evidence.all(LONGEST) if one.arguments.get("profile") != "all")
    listed: list[dict[str, Any]] = next(of_thread, [])
    if listed and place_asked_for(question.text) >= len(listed):
        first = f"**There are no more than {len(listed)} of them.** {first}"
    calls = _number_of(question, evidence)
    if calls and not asks_for_any(question.text) and (tasks := single_events.found(calls[0], evidence)):
        return [single_events.said(tasks, "task", _with_limit(question.text), evidence), first, *others]
    return [f"{_whether_any(question, evidence)}{first}", *others]


def _long_tasks(question: Question, evidence: Evidence) -> list[str]:
    first, *others = _of_thread(question, evidence)
    if question.profile and (one := evidence.profile(question.profile)):
        return [f"{first} That is in {cited_profile(one)}.", *others]
    of_all = evidence.first("get_longest_calls", profile="all")
    of_main = next(
        (one.data for one in evidence.all("get_longest_calls") if one.arguments.get("profile") != "all"), None
    )
    rows = of_all["rows"] if of_all else []
    mine = of_main["rows"] if of_main else []
    if not of_all or not rows or not mine or rows[0]["duration"] <= mine[0]["duration"]:
        return [first, *others]
    where, here = evidence.profile(rows[0]["profile"]), evidence.profile(mine[0]["profile"])
    if where is None or here is None:
        return [first, *others]
    longest = f"{cited(rows[0] | {'frame_handle': None})} with {amount(rows[0]['duration'], of_all['unit'])}"
    if _FORMS.anywhere.search(question.text):
        return [f"**The longest of all threads is {longest}**, in {cited_profile(where)}.", first, *others]
    elsewhere = f"That is in {cited_profile(here)}; of all threads the longest is {longest}, in {cited_profile(where)}."
    return [f"{first} {elsewhere}", *others]
