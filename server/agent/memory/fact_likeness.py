"""Whether two facts say the same, contradict each other, or have nothing to do with each other. By rule: the words that
carry a fact, with their common synonyms, its figures with units, its names in order, and whether it denies.

Two facts are one only where all of this agrees, so that a fact which differs in one figure or name is never lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from traces.lazy_regex import lazy_regex

CONFLICT = 1 / 3
"""Part of the words of two facts, without figures and names, that both share from which one may stand for the other."""

_UNITS = {
    "ns": ("time", 1), "us": ("time", 1e3), "µs": ("time", 1e3), "ms": ("time", 1e6), "s": ("time", 1e9),
    "sec": ("time", 1e9), "second": ("time", 1e9), "seconds": ("time", 1e9), "millisecond": ("time", 1e6),
    "milliseconds": ("time", 1e6), "min": ("time", 60e9), "minute": ("time", 60e9), "minutes": ("time", 60e9),
    "h": ("time", 3600e9), "hour": ("time", 3600e9), "hours": ("time", 3600e9),
    "b": ("bytes", 1), "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9),
    "kib": ("bytes", 1 << 10), "mib": ("bytes", 1 << 20), "gib": ("bytes", 1 << 30), "%": ("percent", 1),
}  # fmt: skip
_FIGURE = lazy_regex(r"(?<![\w.])(\d+(?:,\d{3})+|\d+)((?:\.\d+)*)(:\d\d)?\s*(%|[A-Za-zµ]+)?")
_TOKEN = lazy_regex(r"[^\W_](?:[\w/.:@$#+-]*\w)?")
_NAME = lazy_regex(r"[/_:@$#]|[a-z][A-Z]|[A-Z]{2}|[^\W\d_]-?\d|\w\.\w")
_DENIES = lazy_regex(
    r"\b(?:not|never|no longer|none|without|don'?t|doesn'?t|isn'?t|aren'?t|can'?t|cannot|mustn'?t|won'?t|nicht|"
    r"kein\w*|nie|"
    r"jamais|pas|nunca|non|niet)\b|не\b|никогда|不|没|ない",
    re.IGNORECASE,
)
_PASSIVE = lazy_regex(r"\b(?:is|are|was|were|gets?|being) (\w+(?:ed|en|t)) by\b", re.IGNORECASE)
_LEAST = lazy_regex(r"\b(?:no more than|not (?:more|longer) than|at (?:the )?most)\b", re.IGNORECASE)
_SYNONYMS = {
    word: group
    for group, words in {
        "<": "under below within most maximum max limit budget less",
        ">": "above over least minimum more",
        "own": "own owns owned owner belongs belong maintains maintained",
        "ignore": "ignore ignored ignores skip skipped exclude excluded disregard leave out",
        "only": "only just solely exclusively",
        "care": "care cares matters matter counts interested",
        "ship": "ship ships release releases deploy deploys shipped released go goes",
        "run": "run runs running use uses used using",
        "has": "has have holds hold contains contain",
        "start": "start starts begin begins",
        "old": "deprecated obsolete outdated",
        "answer": "answer answers respond responds reply replies",
        "call": "call calls called invoke invokes invoked",
        "slow": "slow slower slowest",
        "fast": "fast faster fastest",
    }.items()
    for word in words.split()
}
_LOOSE = frozenset(
    re.findall(
        r"\w+",
        "a an the we us our ours i me my you your it its that this these those is are be been was were am to of in "
        "on at "
        "by for from with and or as may can must should shall will would has have to do does did please always ever "
        "everything all any every each there take takes taken stay stays keep than code time out never not no longer "
        "don doesn isn aren can mustn won t s what who which",
    )
) - {"ours"}

Likeness = Literal["same", "conflict", "other"]


@dataclass(frozen=True, slots=True)
class Anchors:
    """What two facts must have in common to be one."""

    figures: tuple[str, ...]
    names: tuple[str, ...]
    words: frozenset[str]
    order: tuple[str, ...]
    denies: bool


def anchors(fact: str) -> Anchors:
    """Of a fact. A passive is turned: what does something comes before what it is done to."""
    text = _LEAST.sub("most", fact)
    figures = tuple(sorted(_figure(found) for found in _FIGURE.finditer(text)))
    rest = _FIGURE.sub(" ", text)
    tokens = [token.strip(".,:") for token in _TOKEN.findall(rest)]
    names = [token.casefold() for token in tokens if _NAME.search(token)]
    carried = [(token, _stem(token)) for token in tokens]
    order = tuple(
        stem for token, stem in carried if token.casefold() not in _LOOSE and token.casefold() not in _SYNONYMS
    )
    if _PASSIVE.search(text) or re.search(r"\bbelongs? to\b", text, re.IGNORECASE):
        order = order[::-1]
    words = frozenset(stem for token, stem in carried if token.casefold() not in _LOOSE)
    return Anchors(figures, tuple(sorted(names)), words, order, _DENIES.search(text) is not None)


def likeness(one: str, other: str) -> Likeness:
    """What two facts are to each other."""
    a, b = anchors(one), anchors(other)
    if a == b:
        return "same"
    plain_a, plain_b = ({word for word in each.words if word not in each.names} for each in (a, b))
    union = plain_a | plain_b
    shares = len(plain_a & plain_b) / len(union) if union else 0.0
    return "conflict" if shares >= CONFLICT or (union and a.names == b.names and a.names) else "other"


def same_as(fact: str, facts: Sequence[str]) -> str | None:
    """The first fact that says the same."""
    return next((one for one in facts if likeness(one, fact) == "same"), None)


def in_conflict(facts: Sequence[str], *, of_last: bool = False) -> list[tuple[str, str]]:
    """Pairs of which one may stand for the other, the older first: `was 300 ms, now 500 ms?`; `of_last`: only those of
    the newest fact."""
    newer = list(enumerate(facts))[-1:] if of_last else list(enumerate(facts))
    return [(one, other) for at, other in newer for one in facts[:at] if likeness(one, other) == "conflict"]


def _stem(token: str) -> str:
    low = token.casefold()
    if low in _SYNONYMS:
        return _SYNONYMS[low]
    if _NAME.search(token):
        return low
    return re.sub(r"(?:ies|es|s|ed|ing)$", "", low) if len(low) > 4 else low


def _figure(found: re.Match[str]) -> str:
    """A figure in one unit of its kind."""
    number = float(found[1].replace(",", "") + (found[2] if found[2].count(".") == 1 else ""))
    if found[3] or found[2].count(".") > 1:
        return found[0].replace(" ", "")
    unit = (found[4] or "").lower()
    kind, factor = _UNITS.get(unit, ("", 1))
    return f"{number * factor:g}{kind}" if kind else f"{number:g} {_stem(unit)}".strip()
