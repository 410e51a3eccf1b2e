"""Prompts in other languages than English: their words, as the English ones that the rules know (`languages.toml`).

Names of functions stay as they are. The answer is in English, after a sentence in the language of the prompt.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_suffix(".toml")
ENOUGH_WORDS = 2
"""In letters that English has, too, one word may be a name."""
LONG_WORD = 10
"""Letters of a word that counts as two: it is no English one by chance."""
_CODE = re.compile(r"(`[^`]*`)")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts of Chinese and Japanese, which put no spaces between words."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its known words in English; `note` is for the person, in their language (None for English)."""

    text: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Language:
    """`english` is what each phrase means, in small letters; `pattern` finds the longest phrase at a place."""

    note: str
    pattern: re.Pattern[str]
    english: dict[str, str]

    def read(self, prompt: str) -> tuple[str, int]:
        """The prompt in the words of English, and how many words of it were known."""
        known: list[str] = []
        parts = _CODE.split(prompt)  # what stands in code spans is at odd places
        for place in range(0, len(parts), 2):
            parts[place] = self.pattern.sub(lambda found: self._meaning(found[0].casefold(), known), parts[place])
        weight = sum(len(phrase.split()) + (len(phrase) >= LONG_WORD and " " not in phrase) for phrase in known)
        return " ".join("".join(parts).split()), weight

    def _meaning(self, phrase: str, known: list[str]) -> str:
        meaning = self.english.get(phrase)
        if meaning is None:
            stems = (stem for stem in self.english if stem.endswith("*") and phrase.startswith(stem[:-1]))
            meaning = self.english[max(stems, key=len)]
        if meaning:
            known.append(phrase)
        return f" {meaning} "


@cache
def _languages() -> tuple[Language, ...]:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(_language(words) for words in table.values())


def _language(words: dict[str, str | list[str]]) -> Language:
    english = {phrase: meaning for meaning, phrases in words.items() if meaning != "note" for phrase in phrases}
    longest_first = sorted(english, key=len, reverse=True)
    return Language(str(words["note"]), re.compile("|".join(map(_expression, longest_first)), re.IGNORECASE), english)


def _expression(phrase: str) -> str:
    if _WITHOUT_SPACES.search(phrase):
        return re.escape(phrase)
    ending = r"\w*" if phrase.endswith("*") else ""
    return rf"(?<!\w){re.escape(phrase.removesuffix('*'))}{ending}(?!\w)"


def in_english(prompt: str) -> Prompt:
    """The prompt in English words, as the language that knows most of it reads it; as it is when none does."""
    best, most = Prompt(prompt), 0
    for language in _languages():
        text, known = language.read(prompt)
        if known > most and (known >= ENOUGH_WORDS or _is_foreign(prompt)):
            best, most = Prompt(text, language.note), known
    return best


def _is_foreign(prompt: str) -> bool:
    """Whether it has letters of a script that English is never written in."""
    return any(letter >= "\u0400" and letter.isalpha() for letter in prompt)
