"""Which tools the analyst calls next; an empty plan means that the report can be written."""

import re
from dataclasses import replace

from server.analyst.evidence import Evidence
from server.analyst.kinds.all_kinds import KINDS
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import is_named
from server.analyst.question import ABOUT_ONE_FUNCTION, Question, Topic
from server.analyst.topics import of_function

LOOKED_UP = ABOUT_ONE_FUNCTION | {Topic.OVERVIEW, Topic.TOP, Topic.RECURSION}
"""Topics of questions in which a plain word may be a function's name."""

MATCHES = 50
"""The function of that name may be light: those that hold the word in their name or file come before it."""
_WHY = re.compile(r"^(?:so |and |but )?(?:why|how come|what makes|how can|explain why)\b", re.IGNORECASE)


def next_calls(question: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    """The calls of the next round, only of tools that are offered, none twice."""
    if not offered:
        return []
    if not evidence.results and question.maybe and question.topic in LOOKED_UP:
        finds: list[Call] = [("find_frames", {"pattern": name, "limit": MATCHES}) for name in question.maybe]
        return [call for call in (SUMMARY, *finds, BY_SELF) if call[0] in offered]
    settled_one = settled(question, evidence)
    kind = KINDS[settled_one.topic]
    done = [(result.tool, result.arguments) for result in evidence.results]
    for plan in (kind.first, kind.then):
        calls = [call for call in plan(settled_one, evidence) if call[0] in offered and call not in done]
        first_of = {repr(call): call for call in calls}
        if first_of:
            return list(first_of.values())
    return []


def _no_such_thread(question: Question, evidence: Evidence) -> bool:
    """Whether a plain word (`slow threads`) was taken for the name of a thread, and there is none of that name."""
    listed, name = evidence.first("list_profiles"), question.thread or ""
    if not listed or not (name.isalpha() and name.islower()) or f"`{name}`" in question.text:
        return False
    return not any(name in row["name"].casefold() for row in listed["profiles"])


def settled(question: Question, evidence: Evidence) -> Question:
    """The question after its words were looked up: about a function that has one of them for its name, or not."""
    if question.topic is Topic.THREAD and _no_such_thread(question, evidence):
        return question.about(Topic.PROFILES)
    if not question.maybe or question.topic not in LOOKED_UP or not evidence.called("find_frames"):
        return question
    exact = [
        name
        for name in question.maybe
        if any(
            is_named(row, name)
            for result in evidence.all("find_frames")
            if result.arguments.get("pattern") == name
            for row in result.data["rows"]
        )
    ]
    if exact:
        topic = (
            question.topic if question.topic in ABOUT_ONE_FUNCTION | {Topic.RECURSION} else of_function(question.text)
        )
        return replace(question, topic=topic, names=tuple(exact), maybe=(), thread=None, understood=True)
    if question.topic is Topic.OVERVIEW and not question.understood and evidence.matches:
        return replace(question, topic=Topic.FUNCTION, understood=True)
    if question.topic in ABOUT_ONE_FUNCTION and not _WHY.search(question.text):
        return question
    return question.about(Topic.OVERVIEW if question.topic in ABOUT_ONE_FUNCTION else question.topic)
