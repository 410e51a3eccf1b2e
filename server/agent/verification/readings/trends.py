"""Trends over recordings: "rose from 212 ms to 305 ms since `4f2a1c0`" says a direction and a recording besides its
figures, which are decided by the levels that a question over recordings found.
"""

import re
from collections.abc import Iterator, Sequence

from server.agent.verification.claims import Bound
from server.agent.verification.facts import Development
from server.agent.verification.statements.agreement import Agreement, agreement
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence
from server.agent.verification.verdicts import Verification
from server.agent.verification.written_numbers import Dimension, Mention
from traces.lazy_regex import lazy_regex

_UP = r"rose|rises|risen|grew|grows|grown|increased|increases|climbed|climbs|went up|stieg|steigt|gestiegen|wuchs"
_DOWN = (
    r"fell|falls|fallen|dropped|drops|decreased|decreases|shrank|declined|sank|went down|fiel|fällt|gefallen|gesunken"
)
_MOVES = rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b"
_LEVELS = (
    rf"\b(?:from|von)\b[^.;:]{{0,12}}?(?P<a>{FIGURES})(?:[^.;:]{{0,20}}?\b(?:to|auf)\b[^.;:]{{0,12}}?(?P<b>{FIGURES}))?"
)
"""`from 1 ms to 2 ms` is one figure, a window, where nothing stands between."""
_BY = rf"\b(?:by|um)\b[^.;:]{{0,12}}?(?P<by>{FIGURES})"
_BETWEEN = r"[^.;:]{0,60}?"
_TREND = lazy_regex(rf"{_MOVES}{_BETWEEN}(?:{_LEVELS}|{_BY})", re.IGNORECASE)
_SINCE = lazy_regex(r"\b(?:since|as of|starting (?:with|at)|seit|ab)\s+(?:\w+\s+)?`([^`\n]{1,60})`", re.IGNORECASE)
_OPEN = lazy_regex(r"\b(?:if|would|could|might|not|never|wenn|würde|könnte|nicht)\b|n't\b|\?", re.IGNORECASE)


class Trends:
    """Decides what a sentence says of a development. Implements Reader."""

    def __init__(self, developments: Sequence[Development]) -> None:
        self._developments = developments

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """The verb of each trend whose levels, or whose growth, a result has."""
        if not self._developments or _OPEN.search(sentence.template):
            return
        for match in _TREND.finditer(sentence.template):
            verdict = self._verdict(sentence, match)
            if verdict is not None:
                span = match.span("up" if match["up"] else "down")
                # As a window two levels would mean something else.
                levels = {ord(match["a"]) - ord(FIGURE)} if match["a"] and not match["b"] else set()
                yield Reading(*span, verdict, frozenset(levels), is_first=True)

    def _verdict(self, sentence: Sentence, match: re.Match[str]) -> Verification | None:
        claims = [sentence.figure(match[name]) for name in ("a", "b", "by") if match[name]]
        written = [mention for claim in claims for mention in claim.mentions]
        is_up = match["up"] is not None
        near = [(one, is_turned) for one in self._developments for is_turned in _fits(one, written, claims[0].bound)]
        if not near:
            return None
        wrong = None
        for one, is_turned in near:
            verdict = _of(one, sentence, is_up=is_up, is_turned=is_turned)
            if verdict.status != "contradicted":
                return verdict
            wrong = verdict
        return wrong


def _fits(one: Development, written: Sequence[Mention], bound: Bound | None) -> tuple[bool, ...]:
    """Whether the figures are of this development: (False,) in its order, (True,) the other way round."""

    def is_value(value: float, mention: Mention, dimension: Dimension) -> bool:
        return mention.dimension is dimension and agreement(value, mention, bound) is Agreement.RIGHT

    if len(written) == 1:
        return (False,) if is_value(one.percent, written[0], Dimension.SHARE) else ()
    before, after = written[:2]
    if is_value(one.before, before, one.dimension) and is_value(one.after, after, one.dimension):
        return (False,)
    is_turned = is_value(one.before, after, one.dimension) and is_value(one.after, before, one.dimension)
    return (True,) if is_turned else ()


def _of(one: Development, sentence: Sentence, *, is_up: bool, is_turned: bool) -> Verification:
    rose = one.after > one.before
    since = f" since {one.since}" if one.since else ""
    so = f"it {'rose' if rose else 'fell'} by {one.percent:.1f}%{since}"
    named = _SINCE.search(sentence.text)
    is_elsewhere = named is not None and one.since is not None and named[1] in one.names and named[1] != one.since
    if is_up is not rose or is_turned or is_elsewhere:
        return Verification("contradicted", one.call, actual=so)
    if not one.is_sure:
        return Verification("unchecked", one.call, how="the recordings are too few or too noisy to prove it")
    return Verification("verified", one.call, how=so)
