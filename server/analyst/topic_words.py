"""Ordinary words of a prompt that a function of the trace may be named after: `the delivery` is `deliver_all`.

What an example of `intents.toml` seldom has is no word of questions, but of what somebody asks about. Words and names
are compared by their stems, part by part, so that `reading the blocks` finds `read_block`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from server.agent.memory.word_stem import SHORTEST, stem
from server.analyst.forms import word_list
from server.analyst.nearest_intent import seldom_words, vocabulary

MOST = 6
"""Such words of a prompt; a longer one is prose or a log."""
WITHIN_A_WORD = 0.1
"""Total share from which a function is meant whose name has the word within another (`scan` in `Sscanf`)."""
_OF_ASKING = word_list("of_asking")
_WORD = re.compile(r"(?<![\w.@/:`-])[A-Za-z]{3,}(?![\w@/:`-])")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def topic_stems(text: str, without: frozenset[str]) -> tuple[str, ...]:
    """The stems of the words that may be a subject, in their order; `without` are words that never are."""
    words = [word.casefold() for word in _WORD.findall(text)]
    rare = [word for word in words if word not in without and word not in _of_questions()]
    stems = tuple(dict.fromkeys(one for word in rare if len(one := stem(word)) >= SHORTEST))
    return stems if len(stems) <= MOST else ()


@cache
def _of_questions() -> frozenset[str]:
    """Words that are no subject of any prompt: those of asking, and those that many examples have."""
    return _OF_ASKING | (vocabulary() - seldom_words())


def stems_of(text: str, without: frozenset[str]) -> tuple[str, ...]:
    """The stems of all words but these: what stands next to `vs` is a name, however usual the word is."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return tuple(dict.fromkeys(stem(word) for word in words if word not in without))[:MOST]


def words_of(text: str, stems: Sequence[str]) -> tuple[str, ...]:
    """The words of the text that have these stems."""
    return tuple(dict.fromkeys(word for word in _WORD.findall(text) if stem(word) in stems))


def pattern_of(stems: Sequence[str]) -> str:
    """A regular expression for names that may have one of them."""
    return "|".join(map(re.escape, stems))


def best_named(rows: Iterable[dict[str, Any]], stems: Sequence[str]) -> dict[str, Any] | None:
    """The row whose name has the most of these stems among its parts, the heaviest of several; None without any."""
    found = [
        (
            _in_common(stems, parts_of(row["name"])),
            parts_of(row["name"]) == set(stems) and row["name"].isalnum(),
            row["total_value"],
            row,
        )
        for row in rows
    ]
    most, _, _, row = max(found, key=lambda one: one[:3], default=(0, False, 0.0, None))
    if not most or row is None or row["total_value"] <= 0:
        return None
    by_part = bool(parts_of(row["name"]) & set(stems))
    return row if by_part or row.get("total_share", 1.0) >= WITHIN_A_WORD else None


def _in_common(stems: Sequence[str], parts: set[str]) -> int:
    """How many of the stems are one of the parts, or lie in one (`sync` in `fsync`)."""
    return sum(one in parts or (len(one) > SHORTEST and any(one in part for part in parts)) for one in stems)


def parts_of(name: str) -> set[str]:
    """The stems of the words that a name is made of."""
    return {stem(part) for part in _PART.findall(name)}


def words_in(name: str) -> set[str]:
    """The words that a name is made of, in small letters."""
    return {part.casefold() for part in _PART.findall(name)}
