"""What no recording of a program holds: versions, commits, money, energy, people. Asked for one of these, the answer
says that it is not there, and is not about something else.
"""

from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.question import Question

_FORMS = forms("not_recorded")

_OF_TALK = frozenset({Intent.CODE, Intent.SQL, Intent.SMALLTALK, Intent.SUMMARISE, Intent.DRAW})


def not_recorded(question: Question, opening: str) -> str:
    """What is asked for and never recorded; empty where the answer names it, or a function is named so."""
    found = _FORMS.never.search(question.text)
    if found is None or question.intent in _OF_TALK:
        return ""
    word = found[0].split()[-1].casefold().rstrip("s")
    named = " ".join(question.names).casefold()
    return "" if word in named or word in opening.casefold() else found[0]
