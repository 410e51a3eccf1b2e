"""What people name in many ways: the senses of a short list that a text has words for, in several languages, and the
kinds of findings that it asks for in words of its own."""

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from traces.lazy_regex import lazy_regex

SENSES, FINDINGS = (Path(__file__).with_name(f"{name}.toml") for name in ("word_senses", "finding_words"))

MOST_CHARACTERS = 2_000
"""Of a text: what follows is left out."""

MOST_REMEMBERED = 64
"""Texts whose senses are not looked for again: a search asks for those of its question three times."""

MARK = "sense"
_WORD = lazy_regex(r"[^\W_]+")
UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter of a script without spaces between words: Japanese, Chinese, Korean."""
_UNSPACED = lazy_regex(UNSPACED)


@dataclass(frozen=True, slots=True)
class _Table:
    """Names by a word or by words that follow one another, by how such begin, and by letters of scripts without
    spaces."""

    exact: dict[str, frozenset[str]]
    beginnings: dict[str, frozenset[str]]
    unspaced: dict[str, frozenset[str]]
    longest: int


@lru_cache(maxsize=MOST_REMEMBERED)
def senses(text: str) -> frozenset[str]:
    """The senses that a text names; empty for one that names none."""
    return _named(text, _table(SENSES))


@lru_cache(maxsize=MOST_REMEMBERED)
def findings_named(text: str) -> frozenset[str]:
    """The ids of detectors for whose findings a text has words."""
    return _named(text, _table(FINDINGS))


def sense_marks(text: str) -> str:
    """Words that stand for what a text names, by which a full text search finds a memory that names it too."""
    return " ".join(sorted(map(_mark, senses(text))))


def asked_marks(question: str) -> str:
    """As `sense_marks`, with the kinds of findings that a question has words for."""
    return " ".join(sorted(map(_mark, senses(question) | findings_named(question))))


def finding_mark(finding: str) -> str:
    """The word that stands for a kind of finding."""
    return _mark(finding)


def marked_senses(words: str) -> frozenset[str]:
    """The senses whose marks stand in these words."""
    by_mark = _by_mark()
    return frozenset(by_mark[word] for word in words.split() if word in by_mark)


def _mark(name: str) -> str:
    return f"{name.replace('-', '')}{MARK}"


@cache
def _by_mark() -> dict[str, str]:
    return {_mark(name): name for name in tomllib.loads(SENSES.read_text(encoding="utf-8"))}


def _named(text: str, table: _Table) -> frozenset[str]:
    low = text[:MOST_CHARACTERS].casefold()
    words = _WORD.findall(low)
    found: set[str] = set()
    for at in range(len(words)):
        for end in range(at + 1, min(at + table.longest, len(words)) + 1):
            phrase = " ".join(words[at:end])
            found |= table.exact.get(phrase, frozenset())
            shortest = len(phrase) - len(words[end - 1]) + 1
            for length in range(shortest, len(phrase) + 1):
                found |= table.beginnings.get(phrase[:length], frozenset())
    if _UNSPACED.search(low):
        for letters, names in table.unspaced.items():
            if letters in low:
                found |= names
    return frozenset(found)


@cache
def _table(path: Path) -> _Table:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))
    exact, beginnings, unspaced = (defaultdict[str, set[str]](set) for _ in range(3))
    for name, row in rows.items():
        for word in row["words"].split():
            parts = " ".join(_WORD.findall(word.casefold()))
            if _UNSPACED.search(word):
                unspaced[word].add(name)
            elif word.endswith("*"):
                beginnings[parts].add(name)
            else:
                exact[parts].add(name)
    longest = max(phrase.count(" ") for phrase in [*exact, *beginnings]) + 1
    return _Table(_fixed(exact), _fixed(beginnings), _fixed(unspaced), longest)


def _fixed(names: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(of) for key, of in names.items()}
