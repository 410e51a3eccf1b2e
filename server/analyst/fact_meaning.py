"""What a remembered fact means for an answer, where rules can see it: code that counts, code that is left out, a limit
of time. Everything else a fact says is only quoted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from traces.lazy_regex import lazy_regex

_PATH = r"[\w@.*-]*(?:[/\\][\w@.*-]+)+[/\\]?"
_CODE = rf"`[^`\n]{{2,80}}`|{_PATH}|\b[A-Za-z]\w*(?:(?:\.|::)\w+)+|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+"
_COUNTS = lazy_regex(
    r"\b(?:only|just|mainly|mostly|nur|solo|seulement|uniquement)\b.*\b(?:care|interest\w*|look|work|own|touch|"
    r"maintain|"
    r"matters?|counts?|relevant|change|want|wollen|kümmern|importa|intéress\w*)\b|"
    r"\b(?:our|own|my) (?:own )?code (?:is|lives|lies|sits)\b|\b(?:care|interested|focus\w*) (?:only )?(?:about|in|"
    r"on)\b|"
    r"\bwollen nur\b|只关心|だけ",
    re.IGNORECASE,
)
_LEFT_OUT = lazy_regex(
    r"\b(?:ignore[sd]?|leave\w* out|left out|skip\w*|exclude[sd]?|disregard\w*|not ours|isn'?t ours|aren'?t ours|"
    r"don'?t (?:care about|own|control|count)|do not (?:care about|own|control|count)|is noise|never ours|"
    r"ignorier\w*|auslassen|weglassen|ignor\w+)\b|忽略",
    re.IGNORECASE,
)
_WITHIN = lazy_regex(
    r"\b(?:code|functions|part|module|package|everything) (?:in|under|from|of|inside) (?:the )?([A-Za-z][\w-]{2,})",
    re.IGNORECASE,
)
_OBJECT = lazy_regex(
    r"\b(?:ignore[sd]?|skip|exclude[sd]?|disregard|care about|own|control|count|leave out|leave)\s+"
    r"(?:everything (?:in|from|under)\s+|all of\s+|the\s+|any\s+)*([A-Za-z][\w-]{3,})|"
    r"^(?:the\s+)?([A-Za-z][\w-]{3,})(?:'s)? (?:code )?(?:is|are)(?:n'?t| not)? (?:not ours|ours|noise)",
    re.IGNORECASE,
)
_NO_OBJECT = frozenset(
    re.findall(
        r"\w+",
        "everything anything things what that this code functions time only about with under when",
    )
)
_LIMITS = lazy_regex(
    r"\b(?:limit\w*|budget|must|may|at most|no more than|under|below|within|sla|slo|target|maximum|never|threshold|"
    r"should|höchstens|unter|maximal|máximo|menos de|moins de|limite|límite)\b|不超过|以内|以下",
    re.IGNORECASE,
)
_LENGTH = lazy_regex(
    r"(\d+(?:[.,]\d+)?)\s*(ns|nanoseconds?|µs|us|microseconds?|ms|milliseconds?|msecs?|millis|s|secs?|seconds?|"
    r"sekunden?|"
    r"minutes?|min|毫秒|秒)(?![A-Za-z])",
    re.IGNORECASE,
)
_NS = {"n": 1.0, "µ": 1e3, "u": 1e3, "mic": 1e3, "ms": 1e6, "mil": 1e6, "毫": 1e6, "min": 60e9, "s": 1e9, "秒": 1e9}

Means = Literal["counts", "left_out", "limit"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """`pattern` is part of a name or a file; `nanoseconds` are a limit's."""

    means: Means
    fact: str
    pattern: str = ""
    nanoseconds: float = 0.0


def meaning_of(fact: str) -> Meaning | None:
    """What a fact means; None for one that rules only quote."""
    named = re.search(_CODE, fact)
    if _LEFT_OUT.search(fact):
        word = _OBJECT.search(fact)
        plain = next((one for one in (word.groups() if word else ()) if one and one.casefold() not in _NO_OBJECT), "")
        pattern = _pattern(named[0]) if named else plain
        return Meaning("left_out", fact, pattern) if pattern else None
    if _COUNTS.search(fact) and (named or (named := _WITHIN.search(fact))):
        return Meaning("counts", fact, _pattern(named[named.re.groups]))
    length = _LENGTH.search(fact)
    if length and _LIMITS.search(fact):
        return Meaning("limit", fact, _pattern(named[0]) if named else "", nanoseconds_of(length))
    return None


def of_meaning(facts: Sequence[str], means: Means) -> list[Meaning]:
    """The facts of that meaning, the newest, which is the last, first."""
    return [one for fact in reversed(facts) if (one := meaning_of(fact)) is not None and one.means == means]


def nanoseconds_of(length: re.Match[str]) -> float:
    """The length that words give."""
    unit = length[2].lower()
    factor = next(value for start in (unit[:3], unit[:2], unit[:1]) if (value := _NS.get(start)))
    return float(length[1].replace(",", ".")) * factor


def _pattern(text: str) -> str:
    return text.strip("`./\\*").replace("\\", "/")
