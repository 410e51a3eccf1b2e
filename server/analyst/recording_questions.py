"""How a recording is made that is read here: the command of docs/formats.md, for the profiler or language that a
question names.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from server.analyst.forms import forms

_FORMS = forms("recording_questions")

FILE = Path(__file__).with_name("recording_recipes.toml")
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Recipe:
    """`record` is how, in the words of the chapter `heading` of docs/formats.md."""

    tool: str
    words: tuple[str, ...]
    heading: str
    record: str


@cache
def recipes() -> tuple[Recipe, ...]:
    """All of them, read once."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))["recipe"]
    return tuple(Recipe(one["tool"], tuple(one["words"]), one["heading"], one["record"]) for one in read)


def asked_recipes(prompt: str) -> list[Recipe]:
    """The recipes that a prompt asks for: those of the longest word it names; none where it asks something else."""
    text = " ".join(prompt.split()).casefold()
    if (
        len(text) > 300
        or not _FORMS.how.search(text)
        or not _FORMS.of_a_recording.search(text)
        or _FORMS.faster.search(text)
    ):
        return []
    named = [(max((len(word) for word in one.words if _has(text, word)), default=0), one) for one in recipes()]
    most = max(length for length, _ in named)
    exact = [one for length, one in named if length == most] if most else []
    return exact[:SHOWN]


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def recording_answer(found: list[Recipe]) -> str:
    """The commands, each with the chapter it is from."""
    first, *others = [f"with {one.tool}: {one.record}" for one in found]
    chapters = ", ".join(dict.fromkeys(one.heading.replace("`", "") for one in found))
    also = "".join(f"\n- {line[:1].upper()}{line[1:]}" for line in others)
    listed = f"\n\nOr:\n{also}" if others else ""
    return (
        f"**{first[:1].upper()}{first[1:]}.** Then drop the file here.{listed}\n\n`flamechat record -- COMMAND` runs "
        f"the profiler that fits a command, and answers at once. (From the documentation of formats: {chapters}.)"
    )
