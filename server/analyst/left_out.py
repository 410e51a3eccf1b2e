"""The last look at an answer: what its question names besides the subject (a time, a thread, what is to be left out, a
change that is only thought of), and the answer does not take up. It then begins by saying so.
"""

import re

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.evidence import Evidence
from server.analyst.exclusions import exclusion
from server.analyst.forms import forms
from server.analyst.intent import Intent, intents
from server.analyst.question import Question
from server.analyst.sentence_forms import judges
from server.analyst.unread_words import admitted, is_of_asking
from server.analyst.wording import coded
from traces.lazy_regex import lazy_regex

_FORMS = forms("left_out")

_OF_TIMES = frozenset({Intent.WINDOW, Intent.COMPARE, Intent.CODE, Intent.USAGE, Intent.ABILITIES, Intent.SQL})
"""Intents that a time range narrows, or that have none."""
_OF_THREADS = frozenset({Intent.THREAD, Intent.PROFILES, Intent.PARALLEL, Intent.COMPARE, Intent.SQL, Intent.SUMMARISE})
_OF_CHANGES = intents("first_fix repeated parallel correction abilities smalltalk")
"""Intents that answer what would be, or say that nobody knows."""
_SAYS_SO = lazy_regex(r"\bcan(?:not|'t)\b|\bnothing (?:runs|ran|happens)\b|\bdoes not run\b|\bwhole recording\b")


def left_out(question: Question, evidence: Evidence, opening: str, text: str) -> str:
    """The sentence before an answer that leaves something of its question out; empty before any other."""
    first = without_addresses(opening).partition("\n")[0]
    if words := admitted(question, text, is_first=not evidence.openings):
        return words
    if question.measured or _SAYS_SO.search(first):
        return ""
    ways = (_recording, _time, _thread, _exclusion, _division, _change, _norm)
    return next((said for way in ways if (said := way(question, evidence, first))), "")


def _recording(question: Question, evidence: Evidence, first: str) -> str:
    if question.intent in (Intent.COMPARE, Intent.SQL, Intent.SUMMARISE) or not _FORMS.other_recording.search(
        question.text
    ):
        return ""
    return "**This is of the recording that is open, and not of the other one**: "


def _division(question: Question, evidence: Evidence, first: str) -> str:
    """What something is to be divided by: `calls of it per document`."""
    found = _FORMS.per.search(question.text)
    if (
        found is None
        or question.saves
        or re.search(rf"\b(?:per|each|a) {found[1]}", first)
        or is_of_asking(found[1].casefold())
    ):
        return ""
    return f"**Divided by {coded(found[1])} I cannot give it; undivided**: "


def _time(question: Question, evidence: Evidence, first: str) -> str:
    if not question.time_ranges or question.intent in _OF_TIMES or question.saves:
        return ""
    return "**This is of the whole recording, and not of that time alone**: "


def _thread(question: Question, evidence: Evidence, first: str) -> str:
    """A thread that is named, and neither what the answer is about nor in its first paragraph."""
    name = question.on_thread
    if not name or question.intent in _OF_THREADS or name in (*question.names, *question.maybe):
        return ""
    named = evidence.profile(question.profile)
    if named or name.casefold() in first.casefold():
        return ""
    return f"**This is not of {coded(name)} alone**: "


def _exclusion(question: Question, evidence: Evidence, first: str) -> str:
    what = exclusion(question.text)[1]
    if not what or question.excluded or question.saves or what.casefold() in first.casefold():
        return ""
    return f"**I could not leave {coded(what)} out, so this counts it, too**: "


def _change(question: Question, evidence: Evidence, first: str) -> str:
    if question.intent in _OF_CHANGES or question.saves or not _FORMS.supposes.search(question.text):
        return ""
    return "**What would be then, a recording cannot show; what is now**: "


def _norm(question: Question, evidence: Evidence, first: str) -> str:
    """Whether a figure is a good one: a recording has nothing to judge it by."""
    if not judges(question.text) or question.intent is Intent.FIRST_FIX:
        return ""
    return "**Whether that is normal, one recording cannot say; what it shows**: "
