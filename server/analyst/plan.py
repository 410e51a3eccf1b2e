"""Which tools the analyst calls next; an empty plan means that the report can be written."""

from server.analyst.evidence import Evidence
from server.analyst.kinds import spoken_names
from server.analyst.kinds.all_kinds import kind_of
from server.analyst.kinds.kind import BY_SELF, OWN_CODE, SUMMARY, Call
from server.analyst.kinds.marked_moments import marked
from server.analyst.kinds.paths import OF_AN_ORDER
from server.analyst.measured import Measured
from server.analyst.preempted import rankings_again
from server.analyst.question import Question
from server.analyst.report import written
from server.analyst.settled_question import AS_PEOPLE_SPEAK, LOOKED_UP, settled
from server.analyst.topic_words import pattern_of
from server.analyst.unplaced import about_the_word, look_for, word_left

MATCHES = 50
"""The function of that name may be light: those that hold the word in their name or file come before it."""
TREE: Call = ("get_call_tree", {"max_nodes": OF_AN_ORDER})
SEARCHES = 6
"""Of the first round, which takes eight calls."""


def next_calls(question: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    """The calls of the next round, only of tools that are offered, none twice."""
    if not offered:
        return []
    if question.place is not None and not evidence.results:
        return [call for call in (SUMMARY, BY_SELF, OWN_CODE, TREE) if call[0] in offered]
    if not evidence.results and (finds := _finds(question)):
        return [call for call in (SUMMARY, *finds[:SEARCHES], BY_SELF) if call[0] in offered]
    if question.labels and not evidence.called("list_profiles"):
        asked: list[Call] = [SUMMARY, ("list_profiles", {"limit": 100}), ("search_findings", {"limit": 30})]
        return [call for call in asked if call[0] in offered]
    if again := [call for call in rankings_again(evidence) if call[0] in offered]:
        return again
    settled_one = settled(question, evidence)
    calls = _of_kind(settled_one, evidence, offered)
    if calls or not (word := word_left(question, written(settled_one, evidence))):
        return calls
    about = about_the_word(settled_one, word, evidence)
    calls = _of_kind(about[0], evidence, offered) if about else [look_for(word)]
    done = [(result.tool, result.arguments) for result in evidence.results]
    return [call for call in calls if call[0] in offered and call not in done]


def _of_kind(settled_one: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    """The next calls of what answers it."""
    kind = kind_of(settled_one)
    done = [(result.tool, result.arguments) for result in evidence.results]
    for plan in (kind.first, kind.then):
        calls = [call for call in plan(settled_one, evidence) if call[0] in offered and call not in done]
        first_of = {repr(call): call for call in calls}
        if first_of:
            return list(first_of.values())
    return [call for call in marked(settled_one, evidence) if call[0] in offered and call not in done]


def _finds(question: Question) -> list[Call]:
    """The searches for words of the prompt that the trace may know."""
    names = question.maybe if question.intent in LOOKED_UP or question.against else ()
    finds: list[Call] = [("find_frames", {"pattern": name, "limit": MATCHES}) for name in names]
    finds += spoken_names.finds(question.measured) if question.measured else []
    if names and (question.intent in AS_PEOPLE_SPEAK or question.saves):
        finds += spoken_names.finds(Measured(("total",), names))
    if question.stems:
        by_stems = {"pattern": pattern_of(question.stems), "regex": True, "limit": 2 * MATCHES}
        finds.insert(min(len(finds), SEARCHES - 1), ("find_frames", by_stems))
    return finds
