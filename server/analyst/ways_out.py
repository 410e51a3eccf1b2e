"""Prompts that go on by asking what to do about what was spoken of, what that would bring, or which of several it is
worth: `fix?`, `how much would we win`, `lohnt sich da ein cache?`, `which of the two is worth it`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from server.analyst.forms import forms, word_list
from server.analyst.intent import Intent
from server.analyst.measured import Measured
from server.analyst.nearest_intent import vocabulary
from server.analyst.question import Question, alone
from server.analyst.spoken_of import SpokenOf
from server.analyst.subjects import CODE, IDENTIFIER

_FORMS = forms("ways_out")
_GOING_ON = forms("going_on")
_OF_A_WAY = word_list("of_a_way")
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]+")

TO_FIX, BY_CACHE, SAVED = "how to fix it", "what would be saved by a cache", "what would be saved"
SAME = "how to keep what is the same each time"
WHICH = "which of the two takes more"
"""What is asked, in words that the answers know."""
COMPARED = ("total", "compared")
MOST_WORDS = 14
"""Of a prompt that goes on: a longer one has a subject."""
DENIED = re.compile(r"\W*(?:No|Hardly|Not mainly|This trace has no)\b")
"""How an answer begins that what it names is not it."""


def of_a_way_out(prompt: str, spoken_of: SpokenOf | None, openings: Sequence[str]) -> Question | None:
    """The question for the fix of what was spoken of, or for what can be saved there; None for any other prompt."""
    text = " ".join(prompt.split())
    gains, fixes = _FORMS.gains.search(text), _GOING_ON.can_be_fixed.match(text)
    if not openings or not (gains or fixes) or len(text.split()) > MOST_WORDS:
        return None
    question = alone(prompt, {}, None)
    known = question.saves and not fixes  # how savings are asked for otherwise, perhaps without one part
    known = known or bool(
        fixes and question.intent is Intent.FIRST_FIX and question.understood and question.refers and not question.stems
    )
    if known or question.names or question.handle or question.labels or question.time_ranges:
        return None
    asked = TO_FIX if fixes else BY_CACHE if _FORMS.caches.search(text) else SAVED
    return _about(asked, question, spoken_of, openings)


def of_another_way(prompt: str, spoken_of: SpokenOf | None, openings: Sequence[str]) -> Question | None:
    """The question for another way to do what was spoken of, or what it names; None where that is not asked for, or
    words are left that may mean something else."""
    text = " ".join(prompt.split())
    if openings and spoken_of and _FORMS.the_same.search(text) and not _FORMS.asks_of_the_same.search(text):
        return _about(SAME, alone(text, {}, None), spoken_of, openings)
    if not _FORMS.a_way.search(text) or _FORMS.no_way.search(text) or len(text.split()) > MOST_WORDS:
        return None
    question = alone(text, {}, None)
    rest = {word.casefold() for word in _WORD.findall(IDENTIFIER.sub(" ", CODE.sub(" ", text)))} - _OF_A_WAY
    known = vocabulary() - {one.casefold() for one in question.placed}
    maybe = tuple(one for one in question.maybe if one.casefold() in rest and one.casefold() not in known)
    left = rest - {word for one in (*question.names, *maybe) for word in _WORD.findall(one.casefold())}
    names = question.names or maybe
    narrows = question.handle or question.labels or question.time_ranges or question.thread
    if narrows or left or len(names) > 1 or not (openings or names):
        return None
    if names:
        return Question(intent=Intent.FIRST_FIX, text=TO_FIX, names=names, note=question.note)
    return _about(TO_FIX, question, spoken_of, openings)


def _about(asked: str, question: Question, spoken_of: SpokenOf | None, openings: Sequence[str]) -> Question:
    """What is asked, of what was spoken of, or of what leads where that is none of it."""
    about = Question(intent=Intent.FIRST_FIX, text=asked, note=question.note)
    if spoken_of is None or spoken_of.handle[:1] != "f" or DENIED.match(openings[-1]):
        return about
    is_before = spoken_of.is_aside and len(spoken_of.pair) > 1
    handle = spoken_of.pair[1] if is_before else spoken_of.handle
    return replace(about, handle=handle, profile=None if is_before else spoken_of.profile)


def of_several(prompt: str, spoken_of: SpokenOf) -> Question | None:
    """The question which of those spoken of last takes more; where that is not known, for nothing that is known."""
    found = _FORMS.which_of_them.search(" ".join(prompt.split()))
    if found is None or (read := alone(prompt, {}, None)).names:
        return None
    of_it = Question(intent=Intent.FUNCTION, text="what about it", note=read.note)
    if not (found["two"] or found["both"] or found["either"]) or len(spoken_of.pair) < len(COMPARED):
        return of_it
    asked = Measured(COMPARED, ())
    return replace(of_it, intent=Intent.TWO_FUNCTIONS, text=WHICH, handles=spoken_of.pair, measured=asked)
