"""The numbers of an answer verified by tool results and the trace: each is verified, derived or not found."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from server.agent.verification.claims import Claim, Claims
from server.agent.verification.derived_values import Operand, derived, near, ratio, scaled
from server.agent.verification.facts import Fact, Facts
from server.agent.verification.recompute import Recomputation
from server.agent.verification.written_numbers import Dimension, Mention, mentions
from traces.insights.thresholds import THRESHOLDS

HEDGED_TOLERANCE = 0.05
"""How far `about 40%` may lie from the value it stands for, as a part of it."""

BOUND_REACH = 1.5
"""How far beyond `over 40%` the value may lie: `over 1%` of what takes 60% is not false, but it is no information."""

NEAR, FAR = 2, 5
"""Statements, itself and those before it, whose figures a statement may go on from."""

_TOGETHER = re.compile(
    r"\b(?:together|combined|in total|altogether|in all|sum|add(?:s|ed)? up|both|jointly|top)\b", re.IGNORECASE
)
_MEAN = re.compile(r"\b(?:each|per|average|mean|apiece|every|a call|on average)\b", re.IGNORECASE)
_THRESHOLD = re.compile(
    r"\b(?:over|than|above|threshold|budget|limit|under|below|within|least|frame|good|poor)\b", re.IGNORECASE
)

Status = Literal["verified", "derived", "not_found"]
Named = dict[int, dict[str, tuple[int, ...]]]
"""By statement: the functions it names, each with its frames."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of one claim."""

    status: Status
    call: str | None = None
    how: str | None = None


NOT_FOUND = Verification("not_found")


@dataclass(slots=True)
class NumberVerifier:
    """Verifies the numbers of one answer. A statement that names functions is compared with their figures and those of
    nothing in particular; one that names none, with all."""

    claims: Claims
    facts: Facts
    named: Named
    trace: Recomputation
    question: str
    _proven: dict[int, list[Operand]] = field(default_factory=dict)

    def each(self, answer: str) -> Iterator[tuple[Claim, Verification]]:
        """Every number that claims something, those that tools returned first: others may follow from them."""
        asked = {(mention.value, mention.dimension) for mention in mentions(self.question)}
        waiting = []
        for claim in self.claims.numbers:
            if verdict := self._returned(claim):
                self._prove(claim, answer)
                yield claim, verdict
            else:
                waiting.append(claim)
        for claim in waiting:
            verdict = self._follows(claim)
            if verdict is not NOT_FOUND:
                self._prove(claim, answer)
                yield claim, verdict
            elif claim.sure and not any((one.value, one.dimension) in asked for one in claim.mentions):
                yield claim, verdict

    def _prove(self, claim: Claim, answer: str) -> None:
        for mention in claim.mentions:
            if mention.value and claim.kind != "ratio":
                label = answer[mention.start : mention.end].strip()
                operand = Operand(mention.value, mention.half_digit, mention.dimension, label, "said")
                self._proven.setdefault(claim.statement, []).append(operand)

    def _returned(self, claim: Claim) -> Verification | None:
        """Verified by what a tool returned; None when none did."""
        if claim.kind == "ratio":
            return None
        verdicts = [self._tool_returned(claim, mention) for mention in claim.mentions]
        return verdicts[0] if all(verdicts) else None

    def _follows(self, claim: Claim) -> Verification:
        """By the trace itself, or from the figures around it."""
        if claim.kind == "ratio":
            return self._ratio(claim)
        ways = (self._tool_returned, self._in_the_trace, self._bounded, self._derived, self._first_rows, _a_threshold)
        text = self.claims.text[slice(*self.claims.statements[claim.statement])]
        verdicts = []
        for mention in claim.mentions:
            found = (way(claim, mention, text) for way in ways)
            verdicts.append(next((one for one in found if one), NOT_FOUND))
        return next((one for one in verdicts if one is NOT_FOUND), verdicts[-1])

    def _tool_returned(self, claim: Claim, mention: Mention, _: str = "") -> Verification | None:
        named = self.named.get(claim.statement, {})
        for fact in self.facts.numbers[mention.dimension]:
            if _speaks_of(fact, named) and near(fact.value, max(0.0, fact.half_digit - mention.half_digit), mention):
                return Verification("verified", fact.call)
        return None

    def _in_the_trace(self, claim: Claim, mention: Mention, _: str) -> Verification | None:
        for frames in self.named.get(claim.statement, {}).values():
            for frame in frames:
                for figure in self.trace.figures(frame):
                    if figure.dimension is mention.dimension and near(figure.value, 0.0, mention):
                        return Verification("verified", how=figure.what)
                if claim.kind == "window" and self.trace.begins_or_ends_at(frame, mention.value, mention.half_digit):
                    return Verification("verified", how=f"f{frame} begins or ends there")
        return None

    def _bounded(self, claim: Claim, mention: Mention, _: str) -> Verification | None:
        """`about`, `over` and `under` a value that a tool returned for what the statement names."""
        if claim.bound is None:
            return None
        named = self.named.get(claim.statement, {})
        reach = BOUND_REACH if named else 1 + HEDGED_TOLERANCE
        low, high = {
            "about": (1 - HEDGED_TOLERANCE, 1 + HEDGED_TOLERANCE),
            "over": (1.0, reach),
            "under": (1 / reach, 1.0),
        }[claim.bound]
        for fact in self.facts.numbers[mention.dimension]:
            if fact.value and _speaks_of(fact, named) and low * mention.value <= fact.value <= high * mention.value:
                return Verification(
                    "derived", fact.call, f"{claim.bound} it: {_written(fact.value, mention.dimension)}"
                )
        return None

    def _derived(self, claim: Claim, mention: Mention, text: str) -> Verification | None:
        operands = self._operands(claim)
        totals = [(value, dimension, _written(value, dimension)) for value, dimension in self.facts.totals]
        sums, means = bool(_TOGETHER.search(text)), bool(_MEAN.search(text))
        factors = [
            other.mentions[0].value
            for other in self.claims.numbers
            if other.kind == "ratio" and other.statement == claim.statement
        ]
        how = derived(mention, operands, totals, sums=sums, means=means) or scaled(mention, operands, factors)
        return Verification("derived", how=how) if how else None

    def _first_rows(self, claim: Claim, mention: Mention, text: str) -> Verification | None:
        """The sum of the first rows of a ranking."""
        if not _TOGETHER.search(text):
            return None
        for source, dimension, values, shares in self.facts.rankings:
            if mention.dimension not in (Dimension.SHARE, dimension):
                continue
            total = 0.0
            for count, value in enumerate(shares if mention.dimension is Dimension.SHARE else values, start=1):
                total += value
                if count > 1 and near(total, 0.0, mention):
                    return Verification("derived", how=f"the first {count} of {source} added up")
        return None

    def _ratio(self, claim: Claim) -> Verification:
        mention = claim.mentions[0]
        for fact in self.facts.factors:
            if near(fact.value, max(0.0, fact.half_digit - mention.half_digit), mention):
                return Verification("verified", fact.call)
        operands = [
            *self._operands(claim),
            *self._figures_of(claim.statement - 1),
            *self._figures_of(claim.statement - 2),
        ]
        if mention.value < 1:
            low, high = _fraction(mention, claim.bound)
            for one in operands:
                if one.dimension is Dimension.SHARE and low <= one.value / 100 <= high:
                    return Verification("derived", how=one.label)
        how = ratio(mention, operands)
        return Verification("derived", how=how) if how else NOT_FOUND

    def _operands(self, claim: Claim) -> list[Operand]:
        """What else is proven in this statement and the one before it (a few, for what is summed), and the figures of
        the functions it names."""
        text = self.claims.text[slice(*self.claims.statements[claim.statement])]
        reach = FAR if _TOGETHER.search(text) else NEAR
        proven = [one for back in range(reach) for one in self._proven.get(claim.statement - back, [])]
        return proven + self._figures_of(claim.statement)

    def _figures_of(self, statement: int) -> list[Operand]:
        return [
            Operand(figure.value, 0.0, figure.dimension, f"{figure.what} ({name[:60]})", figure.measure)
            for name, frames in self.named.get(statement, {}).items()
            for frame in frames[:4]
            for figure in self.trace.figures(frame)
            if figure.value
        ]


def _a_threshold(_: Claim, mention: Mention, text: str) -> Verification | None:
    if mention.dimension is Dimension.TIME and _THRESHOLD.search(text):
        for one in THRESHOLDS.values():
            if one.unit == "ns" and near(one.value, 0.0, mention):
                return Verification("derived", how="a threshold of the findings")
    return None


def _speaks_of(fact: Fact, named: dict[str, tuple[int, ...]]) -> bool:
    return not fact.about or not named or not fact.about.isdisjoint(named)


def _fraction(mention: Mention, bound: str | None) -> tuple[float, float]:
    """Between which shares `half`, `over a third`, `almost a quarter` lie."""
    value, half = mention.value, mention.half_digit
    return {
        "over": (value, value * BOUND_REACH),
        "under": (value / BOUND_REACH, value),
    }.get(bound or "", (value - half, value + half))


def _written(value: float, dimension: Dimension) -> str:
    if dimension is Dimension.TIME:
        return f"{value / 1e6:,.6g} ms"
    return f"{value:,.6g}" + {Dimension.SHARE: "%", Dimension.BYTES: " bytes"}.get(dimension, "")
