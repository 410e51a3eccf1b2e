"""Which memories a question means: by what their vectors say, and by the words they share with it. Without vectors, by
the words alone.

What both name in words of their own counts too: a sense of a short list (`word_senses.toml`), or a kind of finding that
the question asks for (`finding_words.toml`).

All are added up, not merged by rank: over the questions of `evals/memory/` a sum finds more than either, while
merging by rank finds less than vectors alone.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from server.agent.memory.memory_texts import letter_pairs, separate_words
from server.agent.memory.word_senses import findings_named, marked_senses, senses
from server.agent.memory.word_stem import stem
from server.ports.memories import Candidate, Candidates, MemoryKind, MemoryRow
from traces.lazy_regex import lazy_regex

WEIGHT_OF_WORDS = 0.2
"""Of the share of the question's words, next to a cosine."""

WEIGHTS_OF_WORDS = {MemoryKind.FINDING: 0.3, MemoryKind.FACT: 0.1}
"""The same of kinds that differ: a finding has names and the words for its kind, a fact few words that others share."""

WEIGHT_OF_SENSES = 0.2
"""Of the share of its senses, next to a cosine."""

SHORT = 40
"""Words of a memory of usual length (BM25's average)."""

SATURATION, LENGTH_PART = 1.2, 0.5
"""BM25's k1 and b."""

MOST_OF_A_WORD = 3
_WORD = lazy_regex(r"[^\W\d_]+")
_NUMBER = lazy_regex(r"\d{2,}")
_TOKEN = lazy_regex(r"[^\W\d_]+|\d{2,}")
_NAME = lazy_regex(r"(?<![\w./])(?:[\w$]+(?:(?:::|[./_])[\w$]+)+|[a-z]+[A-Z]\w*)(?![\w/])")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an the and or of in on at to for from with by is are was were be been it its that this these those which "
        "what where when who how did do does we us our i my so can could would should will any one once much most "
        "more than then because as not no too up down all many their them they into out about after before have has "
        "had me you your there here some if but also just only very show tell find know der die das und ist ein eine "
        "wo welche welcher le la les un une el los las que qu o os as",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """`score` orders; `near` is from 0 to 1: the cosine where there is one, else the part of the question's weight that
    its words carry. `shared` are words that both have."""

    memory: MemoryRow
    score: float
    near: float
    shared: frozenset[str]
    has_cosine: bool = False


def word_stems(text: str) -> list[str]:
    """The words of a text that count, each without its endings; names in parts."""
    found = []
    for word in _WORD.findall(separate_words(text)):
        low = word.casefold()
        if low.isascii() and low not in _SMALL and len(low) > 1:
            found.append(stem(low))
        elif not low.isascii() and low not in _SMALL:
            found.append(low)
    return found + _NUMBER.findall(text) + letter_pairs(text).split()


def names_in(text: str) -> frozenset[str]:
    """Identifiers and files of a question, in small letters: what looks like no ordinary word."""
    return frozenset(found.casefold() for found in _NAME.findall(text))


def rank(query: str, candidates: Candidates, *, limit: int) -> list[Ranked]:
    """The memories that a question means, the nearest first. A name or file of the question must be in them, where any
    has it. Without a query, all in the order in which they came."""
    found = list(candidates.found)
    asked = frozenset(word_stems(query))
    if not asked and not any(one.cosine is not None for one in found):
        return [Ranked(memory=one.memory, score=0.0, near=0.0, shared=frozenset()) for one in found[:limit]]
    for name in names_in(query):
        having = [one for one in found if name in f"{one.memory.text} {one.memory.trace or ''}".casefold()]
        found = having or found
    among = max(candidates.among, len(candidates.found))
    words = by_bm25(asked, [met_words(asked, _searched(one.memory)) for one in found], among)
    meant = _by_senses(query, [one.memory for one in found], among)
    best = max((score for score, _, _ in words), default=0.0) or 1.0
    ranked = []
    for one, (score, part, shared), (sense, named) in zip(found, words, meant, strict=True):
        cosine = one.cosine
        if cosine is None and not shared | named:
            continue
        total = (
            score / best + sense
            if cosine is None
            else cosine + _weight_of_words(one.memory) * score / best + WEIGHT_OF_SENSES * sense
        )
        ranked.append(
            Ranked(
                memory=one.memory,
                score=total,
                near=part if cosine is None else cosine,
                shared=shared | named,
                has_cosine=cosine is not None,
            )
        )
    if any(one.cosine is not None for one in found):
        ranked = _with_words_alone(ranked, found)
    return sorted(ranked, key=lambda one: -one.score)[:limit]


def _with_words_alone(ranked: list[Ranked], found: Sequence[Candidate]) -> list[Ranked]:
    """Where only some have vectors, what has none yet counts by its words as a middling cosine would."""
    cosines = {one.memory.memory_id: one.cosine for one in found}
    middle = max(value for value in cosines.values() if value is not None) * 0.8
    return [
        one
        if cosines[one.memory.memory_id] is not None
        else Ranked(
            memory=one.memory,
            score=(middle + _weight_of_words(one.memory)) * one.score,
            near=one.near,
            shared=one.shared,
        )
        for one in ranked
    ]


def _weight_of_words(memory: MemoryRow) -> float:
    return WEIGHTS_OF_WORDS.get(memory.kind, WEIGHT_OF_WORDS)


def _by_senses(query: str, found: Sequence[MemoryRow], among: int) -> list[tuple[float, frozenset[str]]]:
    """Of each memory the senses that it shares with the question, and what they weigh next to the best, from 0 to 1. A
    rare one counts more."""
    asked = {f"~{name}" for name in senses(query)}, {f"~{name}" for name in findings_named(query)}
    shared = [asked[one.kind is MemoryKind.FINDING] & senses_of(one) for one in found]
    counts = Counter(name for one in shared for name in one)
    weights = [sum(rarity(counts[name], among) for name in one) for one in shared]
    best = max(weights, default=0.0) or 1.0
    return [(weight / best, frozenset(one)) for weight, one in zip(weights, shared, strict=True)]


def senses_of(memory: MemoryRow) -> frozenset[str]:
    """What a memory names: a finding its kind, any other the senses that were marked when it was made."""
    if memory.kind is MemoryKind.FINDING:
        return frozenset({f"~{memory.metadata.get('finding', '')}"})
    return frozenset(f"~{name}" for name in marked_senses(memory.words))


def rarity(count: int, among: int) -> float:
    """What a word weighs that so many of so many texts have (BM25's idf)."""
    return math.log(1 + (among - count + 0.5) / (count + 0.5)) if among > count else 0.1


@dataclass(frozen=True, slots=True)
class Met:
    """How often a text has words of a question, and how many words it has; 0 for one that has none of them."""

    counts: Mapping[str, int]
    length: int = 0


NOTHING_MET = Met({})


def met_words(asked: Collection[str], text: str) -> Met:
    """Of a text whose names are separate words. It is not taken apart: what a word has been cut to is what it begins
    with, and most texts that a search looks at have no word of the question."""
    low = text.casefold()
    counts = {word: often for word in asked if word in low and (often := _times(word, low))}
    return Met(counts, low.count(" ") + 1) if counts else NOTHING_MET


def _times(word: str, low: str) -> int:
    """How often a text has words that are cut to this one."""
    often, at = 0, low.find(word)
    is_part = str.isdecimal if word[0].isdecimal() else str.isalpha
    while at >= 0:
        if at == 0 or not is_part(low[at - 1]):
            found = _TOKEN.match(low, at)
            often += found is not None and _cut(found[0]) == word
        at = low.find(word, at + len(word))
    return often


def _cut(token: str) -> str:
    """A number has no endings."""
    return stem(token) if token.isascii() and token.isalpha() else token


def _searched(memory: MemoryRow) -> str:
    return memory.words or f"{separate_words(memory.text)} {letter_pairs(memory.text)}"


def by_bm25(asked: Collection[str], texts: Sequence[Met], among: int) -> list[tuple[float, float, frozenset[str]]]:
    """Of each text its BM25, the part of the question's weight that it has from 0 to 1, and the words it shares."""
    counts = Counter(word for text in texts for word in text.counts)
    weights = {word: rarity(counts[word], among) for word in asked}
    complete = sum(weights.values()) or 1.0
    scored = []
    for text in texts:
        length = 1 - LENGTH_PART + LENGTH_PART * min(text.length, 4 * SHORT) / SHORT
        shared, score = frozenset(text.counts), 0.0
        for word in shared:
            often = min(text.counts[word], MOST_OF_A_WORD)
            score += weights[word] * often * (SATURATION + 1) / (often + SATURATION * length)
        scored.append((score, min(sum(weights[word] for word in shared) / complete, 1.0), shared))
    return scored
