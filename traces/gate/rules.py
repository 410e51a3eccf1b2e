"""The rules of a gate, read from their text.

    self_share(matchTrades) +5%     a function's own share of its run may grow by a twentieth of itself
    total_share(f) +5%              with what it calls
    self(f) +5%, total(f) +5%       the values themselves: time, bytes or counts
    total +3%                       all that a run measured
    new hot function 2%             no function that is new has 2 % of its run by itself
    finding long-tasks              a finding that was not there does not appear

A function is named as a recording names it, by the last part of that name, or by either with its file:
`render @ app.js`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from traces.errors import InvalidQuestion
from traces.lazy_regex import lazy_regex

LONGEST_RULE = 2_000
"""Characters: a C++ function with its template arguments fits."""
MOST_RULES = 100
MOST_GROWTH = 100.0
"""A bound of 10,000 %: beyond it somebody mistyped."""


class InvalidRule(InvalidQuestion):
    """A text that is no rule, or a rule that names what is not there."""


class Measure(StrEnum):
    """What of a run a rule bounds, as rules write it."""

    SELF = "self"
    TOTAL = "total"
    SELF_SHARE = "self_share"
    TOTAL_SHARE = "total_share"

    @property
    def is_share(self) -> bool:
        return self in (Measure.SELF_SHARE, Measure.TOTAL_SHARE)


@dataclass(frozen=True, slots=True)
class GrowthRule:
    """`measure` of `function` (None: all that the run measured) may grow by the factor 1 + `limit`."""

    text: str
    measure: Measure
    function: str | None
    limit: float


@dataclass(frozen=True, slots=True)
class NewHotFunctionRule:
    """No function that was not hot before has `share` (from 0 to 1) of its run by itself."""

    text: str
    share: float


@dataclass(frozen=True, slots=True)
class FindingRule:
    """The finding of this id does not appear."""

    text: str
    finding: str


Rule = GrowthRule | NewHotFunctionRule | FindingRule

_NUMBER: Final = r"(?P<number>\d{1,9}(?:\.\d{1,9})?)\s*%"
_GROWTH = lazy_regex(
    rf"(?P<measure>self_share|total_share|self|total)\s*\((?P<function>.+)\)\s*\+?\s*{_NUMBER}", re.DOTALL
)
_OVERALL = lazy_regex(rf"total\s*\+?\s*{_NUMBER}")
_NEW_HOT = lazy_regex(rf"new\s+hot\s+functions?\s+\+?\s*{_NUMBER}")
_FINDING = lazy_regex(r"finding\s+(?P<finding>[a-z0-9-]{1,60})")
_PERCENT = lazy_regex(_NUMBER)
FORMS = '"self_share(NAME) +5%", "total(NAME) +5%", "total +3%", "new hot function 2%", "finding long-tasks"'


def parse_rule(text: str) -> Rule:
    """The rule of a text. Raises InvalidRule, which says what a rule looks like."""
    rule = text.strip()
    if len(rule) > LONGEST_RULE:
        raise InvalidRule(f"a rule has at most {LONGEST_RULE} characters, this one {len(rule)}.")
    if found := _OVERALL.fullmatch(rule):
        return GrowthRule(rule, Measure.TOTAL, None, _growth(rule, found["number"]))
    if found := _GROWTH.fullmatch(rule):
        function = found["function"].strip()
        if not function:
            raise InvalidRule(f"the rule {rule} names no function.")
        return GrowthRule(rule, Measure(found["measure"]), function, _growth(rule, found["number"]))
    if found := _NEW_HOT.fullmatch(rule):
        share = float(found["number"]) / 100
        if not 0 < share <= 1:
            raise InvalidRule(f"the rule {rule} needs a share above 0 % and at most 100 %.")
        return NewHotFunctionRule(rule, share)
    if found := _FINDING.fullmatch(rule):
        return FindingRule(rule, found["finding"])
    raise InvalidRule(f"{rule or 'an empty text'} is no rule. Rules look like {FORMS}.")


def parse_rules(texts: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of texts, each once. Raises InvalidRule: none, too many, or one that is no rule."""
    rules = tuple(dict.fromkeys(parse_rule(text) for text in texts))
    if not rules:
        raise InvalidRule(f"a gate needs a rule. Rules look like {FORMS}.")
    if len(rules) > MOST_RULES:
        raise InvalidRule(f"a gate has at most {MOST_RULES} rules, not {len(rules)}.")
    return rules


def parse_percent(text: str) -> float:
    """`25%` or `25` as 0.25. Raises InvalidRule."""
    found = _PERCENT.fullmatch(text.strip() if text.strip().endswith("%") else f"{text.strip()}%")
    if found is None:
        raise InvalidRule(f"{text} is no share such as 25%.")
    return _growth(text, found["number"])


def _growth(rule: str, number: str) -> float:
    limit = float(number) / 100
    if limit > MOST_GROWTH:
        raise InvalidRule(f"{rule} allows growth of more than {MOST_GROWTH:.0%}: it would bound nothing.")
    return limit
