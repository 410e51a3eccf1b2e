"""What a remembered fact means for an answer, where rules can see it: code that counts, code that is left out, a limit
of time. Everything else a fact says is only quoted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.analyst.forms import forms, word_list

_FORMS = forms("fact_meaning")

_PATH = r"[\w@.*-]*(?:[/\\][\w@.*-]+)+[/\\]?"
_CODE = rf"`[^`\n]{{2,80}}`|{_PATH}|\b[A-Za-z]\w*(?:(?:\.|::)\w+)+|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+"
_NO_OBJECT = word_list("no_object")
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
    if _FORMS.left_out.search(fact):
        word = _FORMS.object.search(fact)
        plain = next((one for one in (word.groups() if word else ()) if one and one.casefold() not in _NO_OBJECT), "")
        pattern = _pattern(named[0]) if named else plain
        return Meaning("left_out", fact, pattern) if pattern else None
    if _FORMS.counts.search(fact) and (named or (named := _FORMS.within.search(fact))):
        return Meaning("counts", fact, _pattern(named[named.re.groups]))
    length = _FORMS.length.search(fact)
    if length and _FORMS.limits.search(fact):
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
