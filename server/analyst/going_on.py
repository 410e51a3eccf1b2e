"""How prompts are put that go on: corrections, comparisons, what would be saved, the same of something else."""

import re

from server.analyst.forms import forms

_FORMS = forms("going_on")

LETTERS = 4
"""Of the longest word that is none of a name."""


def corrected(prompt: str) -> str:
    """What a person says that they meant; the prompt where it is no correction."""
    found = _FORMS.corrects.match(" ".join(prompt.split()))
    return (found["after"] or found["before"]) if found else prompt


def long_words(text: str) -> tuple[str, ...]:
    """Words that may be part of the name of a thread or of another recording."""
    return tuple(word for word in re.findall(r"[\w.-]+", text) if len(word) > LETTERS)
