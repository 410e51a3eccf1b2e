"""What a recording has besides calls and samples: points in time that it names, events that the reader counted and drew
nothing of. They are looked at before a word or a cause is denied."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms, table
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import meant
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, cited_profile, coded, joined

MARKED = query("marked")
REQUESTED = query("requested")
_FILE = re.compile(r"[\w-]\.[a-z]\w{1,4}$|^https?:", re.IGNORECASE)
ROUTE = 120
PAIR = 2
_CALLS_OF = forms("calls_of")
_OF_A_FILE = {
    Intent.GROUP,
    Intent.REQUESTS,
    Intent.STARTUP,
    Intent.PAGE,
    Intent.COMPARE,
    Intent.LONG_TASKS,
    Intent.WINDOW,
}
"""Intents of prompts for a file that a page loaded."""
_OF_A_THING = ABOUT_ONE_FUNCTION | {Intent.BUSIEST, Intent.TIMELINE, Intent.OVERVIEW, Intent.WHY, Intent.SUSPECT}
"""Intents whose names may be those of such points."""
LONGEST_NAME = 80


def marked(question: Question, evidence: Evidence) -> list[Call]:
    """The query for points that are named as the prompt names something that no function is called; none else."""
    words = _words(question, evidence)
    files = [_asked_for(REQUESTED, word) for word in words[:1] if _FILE.search(word)]
    is_pair = question.intent is Intent.GROUP and len(words) == PAIR
    if question.intent not in _OF_A_THING and not is_pair:
        return files if question.intent in _OF_A_FILE else []
    return [_asked_for(MARKED, word) for word in words] + files


def _words(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """What the prompt names and no function is called, as it is spelled where it is a file's name."""
    unknown = _unknown(question, evidence)
    return (unknown if any(map(_FILE.search, unknown)) else question.unfound or unknown)[:PAIR]


def _asked_for(sql: str, word: str) -> Call:
    text = word.casefold().replace("'", "''")[:LONGEST_NAME]
    return ("query_trace", {"sql": sql.format(words=text)})


def _rows(call: Call, evidence: Evidence) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = (evidence.first("query_trace", sql=call[1]["sql"]) or {"rows": []})["rows"]
    return found


def _of_a_request(calls: list[Call], evidence: Evidence) -> str:
    """When a file was requested and for how long, where it is one that the page loaded; empty for any other."""
    rows = _rows(calls[-1], evidence) if calls and "FROM requests" in calls[-1][1]["sql"] else []
    if not rows:
        return ""
    url, start, took, server, found_in = rows[0]
    when, length = (amount(one["value_ns"], "nanoseconds") for one in (start, took))
    waited = f", {amount(server['value_ns'], 'nanoseconds')} of it for the server" if server.get("value_ns") else ""
    where = f" It was found in {coded(found_in['name'], ROUTE)}." if found_in.get("name") else ""
    return f"**{coded(url['name'], ROUTE)} was requested from {when} on and took {length}**{waited}.{where}"


def _between(calls: list[Call], evidence: Evidence) -> str:
    """The time between two points that are marked; empty where not both are."""
    rows = [_rows(call, evidence) for call in calls[:PAIR] if "instants" in call[1]["sql"]]
    if len(rows) < PAIR or any(not one or one[0][2].get("value_ns") is None for one in rows):
        return ""
    first, last = sorted((one[0] for one in rows), key=lambda one: float(one[2]["value_ns"]))
    took = amount(last[2]["value_ns"] - first[2]["value_ns"], "nanoseconds")
    (at, until), (one, other) = (
        [amount(row[2]["value_ns"], "nanoseconds") for row in (first, last)],
        [coded(row[0]["name"]) for row in (first, last)],
    )
    return f"**From {one}, marked at {at}, to {other}, at {until}, it is {took}.**"


def _unknown(question: Question, evidence: Evidence) -> tuple[str, ...]:
    names = question.names or question.placed
    looked_up = names and evidence.first("find_frames", pattern=names[0]) is not None
    return names if looked_up and not question.handle and not meant(question, evidence) else ()


def said_of_marks(question: Question, evidence: Evidence) -> str:
    """When these points are, the first of them first; empty without any."""
    calls = marked(question, evidence)
    if text := _of_a_request(calls, evidence) or _between(calls, evidence):
        return text
    found = evidence.first("query_trace", sql=calls[0][1]["sql"]) if calls else None
    rows = (found or {"rows": []})["rows"]
    words = _words(question, evidence)
    if not rows or not _is_that(rows[0][0]["name"], words[0], question.text):
        return ""
    name, profile, at, took, count = rows[0]
    one = evidence.profile(profile.get("name"))
    where = f", in {cited_profile(one)}" if one else ""
    length = f", for {amount(took['value_ns'], 'nanoseconds')}" if took.get("value_ns") else ""
    further = [amount(row[2]["value_ns"], "nanoseconds") for row in rows[1:] if row[2].get("value_ns") is not None]
    again = f" and again at {joined(further)}" if further else ""
    more = f", {count['value']} times in all" if count["value"] > len(rows) else ""
    if at.get("value_ns") is None:
        return f"**{coded(name['name'])} is recorded without a moment**{where}."
    when = amount(at["value_ns"], "nanoseconds")
    said = f"**{coded(name['name'])} is marked at {when}{length}{again}{more}**{where}"
    return f"{said}: it is no function but a point in time."


def _is_that(name: str, word: str, text: str) -> bool:
    """Whether a moment is what is asked for: named so and little else, or by a prompt that asks when."""
    return 2 * len(word) >= len(name) or _CALLS_OF.at_what_time.search(text) is not None


_COUNTED_EVENTS = forms("counted_events")
_NAME = re.compile(r"`[^`]+`")
_COUNTED_LENGTHS = forms("counted_lengths")


def counted_events(question: Question, evidence: Evidence) -> str:
    """How many events of the kind that is asked for there are; empty where none was counted."""
    for warning in (evidence.summary or {}).get("warnings", ()):
        code, known = warning["code"], table()["counted_events"]
        is_of_it = code == "recorded_collections" and question.intent is Intent.GARBAGE
        if is_of_it or (code in known and getattr(_COUNTED_EVENTS, code).search(question.text)):
            count, (text, _, those) = warning["count"], warning["text"].removesuffix(".").partition(": ")
            yes = "Yes: " if question.is_yes_or_no else ""
            first, most = _NAME.search(those), those.partition("; the most are of ")[2]
            such = f" The most are of {coded(most)}." if most else f" One of them is {first[0]}." if first else ""
            such += (
                " How long they took, and which of them the longest, is not read."
                if _COUNTED_LENGTHS.lengths.search(question.text)
                else ""
            )
            said = text.removeprefix(f"{int(count):,} ").removeprefix(f"{int(count)} ")
            return f"**{yes}{linked(f'{int(count):,}', count)} {said}.**{such}"
    return ""
