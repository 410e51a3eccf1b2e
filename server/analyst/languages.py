"""The sentence for a person who did not ask in English: answers are in English, whatever the prompt's language."""

import tomllib
from functools import cache
from pathlib import Path

NOTES = Path(__file__).with_suffix(".toml")


@cache
def _notes() -> dict[str, str]:
    return {language: str(words["note"]) for language, words in tomllib.loads(NOTES.read_text("utf-8")).items()}


OTHER_LETTERS = frozenset({"zh", "ja", "ko", "ru", "uk", "ar", "hi"})
"""Languages that are not written in the letters of English."""
SURE = 0.7
"""Probability from which a prompt in letters that English has, too, is in another language."""


def note_in(language: str, probability: float, prompt: str) -> str | None:
    """That the answer is in English, in the prompt's language (`de`, ...); None for English."""
    letters = _is_foreign(prompt)
    if language == "en" or not (letters or (probability >= SURE and language not in OTHER_LETTERS)):
        return None
    return _notes().get(language)


def _is_foreign(prompt: str) -> bool:
    """Whether it has letters of a script that English is never written in."""
    return any(letter >= "\u0400" and letter.isalpha() for letter in prompt)
