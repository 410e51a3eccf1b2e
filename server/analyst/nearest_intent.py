"""Which intent a prompt is nearest to: a linear classifier over n-grams, learnt from the examples of `intents.toml`.

Softmax regression by stochastic gradient descent over hashed words, pairs of words and character n-grams, each weighed
by its rarity. `python hatch_build.py intents` learns it once and writes `WEIGHTS`; where that file is missing or older
than the examples, it is learnt when it is first asked, which takes a few seconds.

On its own, without the rest of this package, so that the build can load it.
"""

import hashlib
import re
import tomllib
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

EXAMPLES = Path(__file__).with_name("intents.toml")
WEIGHTS = Path(__file__).with_name("intents.npz")
BUCKETS = 1 << 15
EPOCHS = 14
STEP = 5.0
SEED = 14
SELDOM = 4
"""Examples up to which a word is part of what one of them is about, and none of asking."""

_WORD = re.compile(r"\x01\w\x02|[^\W\d_]+|\?|n ?\+ ?1")
_PLACEHOLDER = re.compile(r"\b[XYWNP]\b")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts in which a character is most of a word."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Intents with their probabilities, the likeliest first, and the prompt's likeliest language (`en`, `de`, ...) with
    its probability."""

    intents: tuple[tuple[str, float], ...]
    language: str
    language_probability: float


@dataclass(frozen=True, slots=True)
class Classifier:
    """`words` are those of the examples, `seldom` those that at most `SELDOM` of them have; `asked_with` the places in
    `intents` of those that have a word, as bits; `rarity` by bucket; `intent_weights` and `language_weights` by bucket
    and name."""

    intents: tuple[str, ...]
    languages: tuple[str, ...]
    words: frozenset[str]
    seldom: frozenset[str]
    asked_with: dict[str, int]
    rarity: Any
    intent_weights: Any
    language_weights: Any

    def nearest(self, prompt: str) -> Nearest:
        """What a prompt asks, its names already replaced by X and Y, times by W, numbers by N, threads by P."""
        at = buckets(prompt)
        weights = _unit(self.rarity[at])
        by_intent = _softmax(weights @ self.intent_weights[at])
        by_language = _softmax(weights @ self.language_weights[at])
        language = int(by_language.argmax())
        order = np.argsort(-by_intent, kind="stable")
        intents = tuple((self.intents[i], float(by_intent[i])) for i in order)
        return Nearest(intents, self.languages[language], float(by_language[language]))


def features(prompt: str) -> Iterator[str]:
    """Words, pairs of neighbours, and the n-grams of each word with its ends marked."""
    text = unicodedata.normalize("NFKC", prompt)
    text = _PLACEHOLDER.sub(lambda found: f"\x01{found[0].lower()}\x02", text).casefold().replace("i/o", "io")
    words = _WORD.findall(text)
    for word in words:
        yield f"w{word}"
        if word.startswith("\x01"):
            continue
        marked = f"<{word}>"
        for length in (1, 2, 3) if _WITHOUT_SPACES.search(word) else (3, 4):
            for start in range(len(marked) - length + 1):
                yield f"c{marked[start : start + length]}"
    for left, right in zip(["^", *words], [*words, "$"], strict=True):
        yield f"b{left} {right}"


def buckets(prompt: str) -> Any:
    """The buckets of a prompt's features, each once, in order."""
    found = {zlib.crc32(feature.encode()) % BUCKETS for feature in features(prompt)}
    return np.array(sorted(found), dtype=np.int64)


def examples() -> list[tuple[str, str, str]]:
    """Prompt, intent and language of every example."""
    table = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    return [
        (prompt, intent, language)
        for intent, of_intent in table.items()
        for language, prompts in of_intent.items()
        if isinstance(prompts, list)
        for prompt in prompts
    ]


def learnt(given: Sequence[tuple[str, str, str]]) -> Classifier:
    """The classifier of these examples; the same for the same examples."""
    at = [buckets(prompt) for prompt, _, _ in given]
    seen = np.bincount(np.concatenate(at), minlength=BUCKETS)
    rarity = (np.log((1 + len(at)) / (1 + seen)) + 1).astype(np.float32)
    intents = tuple(sorted({intent for _, intent, _ in given}))
    languages = tuple(sorted({language for _, _, language in given}))
    counts = Counter(word for prompt, _, _ in given for word in set(_WORD.findall(prompt.casefold())))
    asked_with: dict[str, int] = dict.fromkeys(counts, 0)
    for prompt, intent, _ in given:
        for word in _WORD.findall(prompt.casefold()):
            asked_with[word] |= 1 << intents.index(intent)
    return Classifier(
        intents,
        languages,
        frozenset(counts),
        frozenset(word for word, count in counts.items() if count <= SELDOM),
        asked_with,
        rarity,
        _regression(at, rarity, [intents.index(intent) for _, intent, _ in given], len(intents)),
        _regression(at, rarity, [languages.index(language) for _, _, language in given], len(languages)),
    )


def _regression(at: Sequence[Any], rarity: Any, classes: Sequence[int], count: int) -> Any:
    weights = np.zeros((BUCKETS, count), dtype=np.float32)
    values = [_unit(rarity[one]) for one in at]
    order = np.random.default_rng(SEED)
    for epoch in range(EPOCHS):
        step = STEP * (1 - epoch / EPOCHS)
        for i in order.permutation(len(at)):
            error = _softmax(values[i] @ weights[at[i]])
            error[classes[i]] -= 1
            weights[at[i]] -= step * np.outer(values[i], error)
    return weights


def _unit(values: Any) -> Any:
    length = float(np.linalg.norm(values))
    return values / length if length else values


def _softmax(values: Any) -> Any:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def digest() -> str:
    """Of all that the weights follow from."""
    return hashlib.sha256(EXAMPLES.read_bytes() + Path(__file__).read_bytes()).hexdigest()


def write_weights() -> None:
    """Learn from the examples and write `WEIGHTS`."""
    classifier = learnt(examples())
    fresh = WEIGHTS.with_suffix(".new.npz")
    np.savez(
        fresh,
        digest=np.array(digest()),
        intents=np.array(classifier.intents),
        languages=np.array(classifier.languages),
        words=np.array(sorted(classifier.words)),
        asked_with=np.array([classifier.asked_with[word] for word in sorted(classifier.words)], dtype=np.uint64),
        seldom=np.array(sorted(classifier.seldom)),
        rarity=classifier.rarity,
        intent_weights=classifier.intent_weights.astype(np.float16),
        language_weights=classifier.language_weights.astype(np.float16),
    )
    fresh.replace(WEIGHTS)


@cache
def classifier() -> Classifier:
    """The one of this process."""
    if WEIGHTS.is_file():
        with np.load(WEIGHTS) as stored:
            if str(stored["digest"]) == digest():
                words = stored["words"].tolist()
                return Classifier(
                    tuple(stored["intents"].tolist()),
                    tuple(stored["languages"].tolist()),
                    frozenset(words),
                    frozenset(stored["seldom"].tolist()),
                    dict(zip(words, stored["asked_with"].tolist(), strict=True)),
                    stored["rarity"],
                    stored["intent_weights"].astype(np.float32),
                    stored["language_weights"].astype(np.float32),
                )
    return learnt(examples())


def nearest(prompt: str) -> Nearest:
    """The intents that the prompt is nearest to."""
    return classifier().nearest(prompt)


def vocabulary() -> frozenset[str]:
    """The words of all examples, in small letters."""
    return classifier().words


def seldom_words() -> frozenset[str]:
    """Those of them that few examples have."""
    return classifier().seldom


def asked_with() -> dict[str, frozenset[str]]:
    """The words of all examples, each with the intents of those that have it."""
    names = classifier().intents
    return {
        word: frozenset(name for at, name in enumerate(names) if bits >> at & 1)
        for word, bits in classifier().asked_with.items()
    }


def meaning(intent: str) -> str:
    """What an intent is, in a few words."""
    return str(tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))[intent]["meaning"])
