"""What a prompt leaves out: `apart from fetch_logo, what is slow` asks for a ranking without that function."""

from dataclasses import replace
from typing import Any

from server.analyst.chosen_intent import OF_ALL
from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.pseudo_frames import collects
from server.analyst.question import Question
from server.analyst.topic_words import parts_of
from traces.analysis.waiting_names import waits

_FORMS = forms("exclusions")

RANKED = OF_ALL | {Intent.FIRST_FIX, Intent.FUNCTION, Intent.HOT_PATH, Intent.GROUP, Intent.SUSPECT, Intent.WAITING}
"""Intents that ask what takes the most, or are near to that once a name is left out."""
_WAITING = "waiting"
FURTHER = 20
"""Rows of a ranking from which some are left out."""


def exclusion(prompt: str) -> tuple[str, str]:
    """The prompt without what it leaves out, and the name of that; the prompt and an empty name without one."""
    found = _FORMS.leaves_out.search(prompt)
    if found is None:
        return ("", _WAITING) if _FORMS.only_waits.search(prompt) else (prompt, "")
    rest = f"{prompt[: found.start()]} {prompt[found.end() :]}".strip(" ,;:")
    return rest, found["what"].strip("`").removesuffix("()")


def leaving_out(question: Question, what: str, spoken_of: str) -> Question | None:
    """The ranking without what is named, or without what was spoken of; None where it asks for no ranking."""
    name = spoken_of if _FORMS.pronoun.match(what) else what
    if not name or question.intent not in RANKED or question.names or question.handle or question.time_ranges:
        return None
    ranked = replace(question, intent=Intent.TOP, names=(), maybe=(), placed=(), stems=(), carried=None)
    return replace(ranked, excluded=name, limit=FURTHER, understood=True)


def is_excluded(row: dict[str, Any], name: str) -> bool:
    """Whether a function is what is left out: by its name, or by the words that it is made of."""
    if (collects(f"{name} collector") and collects(row["name"])) or (name == _WAITING and waits(row["name"])):
        return True
    parts = parts_of(name)
    return name.casefold() in row["name"].casefold() or (bool(parts) and parts <= parts_of(row["name"]))
