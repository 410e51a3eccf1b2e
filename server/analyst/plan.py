"""Which tools the analyst calls next; an empty plan means that the report can be written."""

from dataclasses import replace

from server.analyst.evidence import Evidence
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.kinds.all_kinds import KINDS
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import is_named
from server.analyst.question import OF_ALL, Question

NAMED_THERE = frozenset(
    {
        Intent.RECURSION,
        Intent.GROUP,
        Intent.SUSPECT,
        Intent.TIMELINE,
        Intent.DRAW,
        Intent.ARGUMENTS,
    }
)
"""Intents that can be about a function besides those that always are."""
LOOKED_UP = ABOUT_ONE_FUNCTION | NAMED_THERE | OF_ALL | {Intent.FIRST_FIX, Intent.HOT_PATH, Intent.CORRECTION}
"""Intents of questions in which a plain word may be a function's name."""

MUCH = 0.3
"""Total share from which functions that have a word in their name or file are what a question for a cause means."""
MATCHES = 50
"""The function of that name may be light: those that hold the word in their name or file come before it."""


def next_calls(question: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    """The calls of the next round, only of tools that are offered, none twice."""
    if not offered:
        return []
    if not evidence.results and question.maybe and question.intent in LOOKED_UP:
        finds: list[Call] = [("find_frames", {"pattern": name, "limit": MATCHES}) for name in question.maybe]
        return [call for call in (SUMMARY, *finds, BY_SELF) if call[0] in offered]
    if question.labels and not evidence.called("list_profiles"):
        asked: list[Call] = [SUMMARY, ("list_profiles", {"limit": 100}), ("search_findings", {"limit": 30})]
        return [call for call in asked if call[0] in offered]
    settled_one = settled(question, evidence)
    kind = KINDS[settled_one.intent]
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


def _labelled(question: Question, evidence: Evidence) -> Question:
    """About the thread or the other recording that a word with a hyphen names."""
    listed, others = evidence.first("list_profiles"), evidence.first("search_findings")
    for label in question.labels:
        known = label.casefold()
        if any(known in row["name"].casefold() for row in (listed or {"profiles": []})["profiles"]):
            return replace(question, intent=Intent.THREAD, thread=label, names=(), maybe=())
        if any(known in row["trace"].casefold() for row in (others or {"rows": []})["rows"]):
            return replace(question, intent=Intent.COMPARE, names=(label,), maybe=())
    return question


def settled(question: Question, evidence: Evidence) -> Question:
    """The question after its words were looked up: about functions that have one of them for a name, or hold it in
    their name or file, or about neither.
    """
    if question.labels:
        question = _labelled(question, evidence)
    if question.intent is Intent.TWO_FUNCTIONS and len(question.names) + len(question.maybe) > 2:
        question = question.about(Intent.GROUP)
    if question.intent is Intent.THREAD and _no_such_thread(question, evidence):
        return question.about(Intent.PROFILES)
    if not question.maybe or question.intent not in LOOKED_UP or not evidence.called("find_frames"):
        return question
    found = {name: evidence.first("find_frames", pattern=name) or {"rows": []} for name in question.maybe}
    exact = tuple(name for name, data in found.items() if any(is_named(row, name) for row in data["rows"]))
    partly = tuple(name for name, data in found.items() if data["rows"])
    stays = question.intent in ABOUT_ONE_FUNCTION | NAMED_THERE
    if exact:
        intent = question.intent if stays else Intent.FUNCTION
        return replace(
            question, intent=intent, names=exact, maybe=(), thread=None, handle=None, carried=None, understood=True
        )
    small = all(found[name].get("total_share", 0.0) < MUCH for name in partly)
    if partly and small and question.why:
        return replace(question, intent=Intent.OVERVIEW, maybe=())
    if partly and stays and not question.names and not question.handle:
        return replace(question, maybe=partly, thread=None, understood=True)
    if question.names:
        return question
    if question.placed and question.intent in ABOUT_ONE_FUNCTION and question.otherwise in ABOUT_ONE_FUNCTION:
        return replace(question, maybe=question.placed)
    return replace(question, intent=question.intent if question.handle else question.otherwise, maybe=())
