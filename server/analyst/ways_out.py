"""Prompts that go on by asking what to do about what was spoken of, what that would bring, or which of several it is
worth: `fix?`, `how much would we win`, `lohnt sich da ein cache?`, `which of the two is worth it`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.measured import Measured
from server.analyst.question import Question, alone
from server.analyst.spoken_of import SpokenOf

_FORMS = forms("ways_out")
_GOING_ON = forms("going_on")

TO_FIX, BY_CACHE, SAVED = "how to fix it", "what would be saved by a cache", "what would be saved"
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
