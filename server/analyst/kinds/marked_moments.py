"""What a recording has besides calls and samples: points in time that it names, events that the reader counted and drew
nothing of. They are looked at before a word or a cause is denied."""

import re

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
_CALLS_OF = forms("calls_of")
_OF_A_THING = ABOUT_ONE_FUNCTION | {Intent.BUSIEST, Intent.TIMELINE, Intent.OVERVIEW, Intent.WHY, Intent.SUSPECT}
"""Intents whose names may be those of such points."""
LONGEST_NAME = 80


def marked(question: Question, evidence: Evidence) -> list[Call]:
    """The query for points that are named as the prompt names something that no function is called; none else."""
    words = (question.unfound or _unknown(question, evidence))[:1]
    if not words or question.intent not in _OF_A_THING:
        return []
    text = words[0].casefold().replace("'", "''")[:LONGEST_NAME]
    return [("query_trace", {"sql": MARKED.format(words=text)})]


def _unknown(question: Question, evidence: Evidence) -> tuple[str, ...]:
    names = question.names or question.placed
    looked_up = names and evidence.first("find_frames", pattern=names[0]) is not None
    return names if looked_up and not question.handle and not meant(question, evidence) else ()


def said_of_marks(question: Question, evidence: Evidence) -> str:
    """When these points are, the first of them first; empty without any."""
    calls = marked(question, evidence)
    found = evidence.first("query_trace", sql=calls[0][1]["sql"]) if calls else None
    rows = (found or {"rows": []})["rows"]
    words = (question.unfound or _unknown(question, evidence))[:1]
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


def counted_events(question: Question, evidence: Evidence) -> str:
    """How many events of the kind that is asked for there are; empty where none was counted."""
    for warning in (evidence.summary or {}).get("warnings", ()):
        if warning["code"] in table()["counted_events"] and getattr(_COUNTED_EVENTS, warning["code"]).search(
            question.text
        ):
            count, (text, _, those) = warning["count"], warning["text"].removesuffix(".").partition(": ")
            yes = "Yes: " if question.is_yes_or_no else ""
            first = _NAME.search(those)
            such = f" One of them is {first[0]}." if first else ""
            said = text.removeprefix(f"{int(count):,} ").removeprefix(f"{int(count)} ")
            return f"**{yes}{linked(f'{int(count):,}', count)} {said}.**{such}"
    return ""
