"""What is answered in place of a question that this recording cannot answer, where its words do not ask for exactly
that: an honest no to what nobody asked helps nobody.
"""

from dataclasses import replace

from server.analyst.chosen_intent import NAMES_AN_INTENT, OF_A_CAUSE, OF_ALL, UNLIKELY
from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.kinds.meant_functions import meant
from server.analyst.kinds.savings import REPEATED
from server.analyst.nearest_intent import nearest
from server.analyst.question import Question
from server.analyst.subjects import subjects

_FORMS = forms("answerable")
_GOING_ON = forms("going_on")

_SHORT = 4
"""Words of a prompt that says nothing without the answer before."""
_LISTS = frozenset({Intent.PROFILES, Intent.RECORDING, Intent.ABILITIES, Intent.LIBRARIES, Intent.TOP})
"""Intents whose answers say what there is, and not what is wrong with it."""
_OF_NOTHING_ELSE = OF_ALL | OF_A_CAUSE - {Intent.PAGE, Intent.QUERIES} | {Intent.HOT_PATH, Intent.ANYTHING_WRONG}
"""Intents that need no name, no time range and no second recording."""


def answerable(question: Question, evidence: Evidence) -> Question:
    """The question; where this recording cannot answer it, and no word asks for exactly that, the one for the function
    that it names, else for the thread that was spoken of, else the next nearest intent that can be answered."""
    if _is_of_tasks(question, evidence):
        return question.about(Intent.LONG_TASKS)
    if not _cannot_be(question, evidence):
        return question
    looked_up = question.handle or not question.names or evidence.first("find_frames", pattern=question.names[0])
    if looked_up is None:
        return question.about(Intent.FUNCTION)  # it is looked up first
    if meant(question, evidence) and (question.names or question.maybe or question.handle):
        intent = Intent.SUSPECT if _FORMS.slow.search(question.text) and not question.handle else Intent.FUNCTION
        return replace(question, intent=intent, understood=True)
    spoken_of = evidence.spoken_of
    if spoken_of and spoken_of.threads and len(question.text.split()) <= _SHORT:
        return Question(intent=Intent.THREAD, text=question.text, thread=spoken_of.threads[0], note=question.note)
    near = nearest(subjects(question.text).masked).intents
    ways = [Intent(name) for name, sure in near if sure >= NAMES_AN_INTENT and Intent(name) in _OF_NOTHING_ELSE]
    ways = [one for one in ways if not (_FORMS.of_trouble.search(question.text) and one in _LISTS)]
    intent = next((one for one in ways if one is not question.intent and one not in UNLIKELY), Intent.OVERVIEW)
    return replace(question, intent=intent, maybe=(), placed=(), stems=())


def _is_of_tasks(question: Question, evidence: Evidence) -> bool:
    """Whether it asks for one call of no function, where samples lead, and what was recorded call by call are tasks."""
    main = evidence.main
    if question.intent not in (Intent.CALLS_OF, Intent.ARGUMENTS) or main is None or main["kind"] == "evented":
        return False
    alike = (one for one in evidence.profiles if (one["pid"], one["tid"]) == (main["pid"], main["tid"]))
    has_tasks = any(one["kind"] == "evented" and one["unit"] == main["unit"] for one in alike)
    return has_tasks and not (question.handle or question.handles or question.names or meant(question, evidence))


def _cannot_be(question: Question, evidence: Evidence) -> bool:
    """Whether the recording has not what the intent needs, and the prompt has no word that asks for it."""
    main, text = evidence.main, question.text
    if main is None or not (text.isascii() or question.intent is Intent.REPEATED):
        return False
    if question.intent in (Intent.CALLS_OF, Intent.ARGUMENTS):
        is_guessed = question.intent is Intent.ARGUMENTS and not question.understood
        return (is_guessed or main["kind"] != "evented") and not _FORMS.of_one_call.search(text)
    if question.intent is Intent.COMPARE:
        others = evidence.first("search_findings")
        alone = others is not None and not others["rows"] and not evidence.called("compare_traces")
        asks = _GOING_ON.of_recordings.search(text) or _FORMS.of_a_change.search(text) or question.profiles
        return alone and not (asks or question.labels)
    if question.intent is Intent.TWO_FUNCTIONS:
        return not (question.names or question.maybe or question.placed or question.handle)
    if question.intent is Intent.REPEATED and (question.names or question.handle):
        found = any(evidence.finding(name) for name in REPEATED)
        return evidence.counted != "calls" and not (found or _FORMS.of_repetition.search(text))
    return False
