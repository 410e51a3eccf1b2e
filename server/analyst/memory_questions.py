"""Prompts that ask for something that people said, in this conversation or to be remembered; and those that ask
whether a limit of theirs is kept.
"""

from dataclasses import dataclass
from typing import Literal

from server.analyst.forms import forms

_FORMS = forms("memory_questions")


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """`said` asks for what the person said themselves, `ours` for what holds for them, `kept` whether a limit is."""

    kind: Literal["said", "ours", "kept"]


def memory_question(prompt: str) -> MemoryQuestion | None:
    """What a prompt asks of what people said; None for one about the trace alone."""
    text = " ".join(prompt.split())
    if len(text) > 400:
        return None
    if _FORMS.said.search(text) and (_FORMS.asks.match(text) or text.endswith(("?", "？"))):
        return MemoryQuestion("said")
    if _FORMS.kept.search(text):
        return MemoryQuestion("kept")
    if _FORMS.ours.match(text) and not _FORMS.of_time.match(text):
        return MemoryQuestion("ours")
    return None
