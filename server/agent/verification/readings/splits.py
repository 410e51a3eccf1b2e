"""How one function divides between two others: `f spends twice as much in g as in h`, `f is split evenly between g and
h`, `f is called most often by g`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.agreement import ABOUT, NOT_ABOUT
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures, Scope
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.analysis.recorded_edges import recorded_edges
from traces.values import Counts

EVEN, UNEVEN = 1.25, 1.5
"""How many times the smaller the larger part may be to be as much, and from where on it is not."""
_BY_CALLS = re.compile(
    r"\b(?:often|frequently|calls?|times|oft|häufig\w*|öfter|Aufrufen?|souvent|appels?|fois|veces|llamadas?|frecuencia)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Splits:
    """Reads the sentences of answers about one trace."""

    measures: Measures
    stacks: StackRelations

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says of the parts of a function."""
        text = sentence.template
        several = {one.numbers for one in sentence.functions}
        if len(several) < 2 or words("HYPOTHETICAL").search(text) or words("NEGATED").search(text):
            return
        if len(several) > 2:
            yield from self._by_ratio(sentence)
            yield from self._evenly(sentence)
        yield from self._first_caller(sentence)

    def _by_ratio(self, sentence: Sentence) -> Iterator[Reading]:
        """`F spends twice as much in g as in h`: g by h, both within f."""
        for match in cue("SPLIT_BY_RATIO").finditer(sentence.template):
            at = ord(match["n"]) - ord(FIGURE)
            claim = sentence.figures[at]
            if claim.kind != "ratio":
                continue
            a, x, b = (sentence.function(match[key]) for key in ("a", "x", "b"))
            found = self._ratios(sentence, a, x, b, by_calls=_BY_CALLS.search(match[0]) is not None)
            verdict = _ratio_verdict(found, claim.mentions[0].value, claim.mentions[0].half_digit, claim.bound)
            yield Reading(match.start(), match.end(), verdict, frozenset({at}), is_first=True)

    def _evenly(self, sentence: Sentence) -> Iterator[Reading]:
        """`F splits its time evenly between g and h`, or what calls it."""
        for match in cue("SPLIT_EVENLY").finditer(sentence.template):
            a, x, b = (sentence.function(match[key]) for key in ("a", "x", "b"))
            by_calls = _BY_CALLS.search(sentence.template[: match.end()]) is not None
            found = [max(one, 1 / one) for one in self._ratios(sentence, a, x, b, by_calls=by_calls) if one > 0]
            shown = f"{' or '.join(dict.fromkeys(f'{one:.3g}' for one in found))} to 1"
            if found and min(found) <= EVEN:
                yield Reading(match.start(), match.end(), Verification("derived", how=shown))
            elif found and min(found) >= UNEVEN:
                yield Reading(match.start(), match.end(), Verification("contradicted", actual=shown))
            else:
                yield Reading(match.start(), match.end(), UNCHECKED)

    def _ratios(self, sentence: Sentence, a: Subject, x: Subject, b: Subject, *, by_calls: bool) -> list[float]:
        """How many times as much of `a` is in or from `x` as `b`, by each reading that can be made."""
        found = []
        for scope in scopes_of(self.measures, sentence)[:2]:
            pairs: list[tuple[float, float]] = []
            if by_calls:
                pairs += [(self._calls(scope, a, x), self._calls(scope, a, b))]
                pairs += [(self._calls(scope, x, a), self._calls(scope, b, a))]
            if not any(one and other for one, other in pairs):
                pairs = []
                for one, other in (((a, x), (a, b)), ((x, a), (b, a))):
                    pairs.append((self._inside(scope, *one), self._inside(scope, *other)))
                    pairs.append((self._flow(scope, *one), self._flow(scope, *other)))
            found += [one / other for one, other in pairs if one > 0 and other > 0]
        return found

    def _inside(self, scope: Scope, above: Subject, below: Subject) -> float:
        return scope.under(scope.mask(above.numbers), below.numbers)[1]

    def _flow(self, scope: Scope, above: Subject, below: Subject) -> float:
        return self.measures.flow(above.numbers, below.numbers, scope)

    def _calls(self, scope: Scope, above: Subject, below: Subject) -> float:
        """How often the one calls the other directly; 0 where that is not counted."""
        if scope.chosen.counts is not Counts.CALLS:
            return 0.0
        if edges := recorded_edges(scope.chosen, scope.window):
            return float(edges.calls_between(above.numbers, below.numbers) or 0)
        parent = scope.tree.parent
        direct = scope.mask(below.numbers) & (parent >= 0) & scope.mask(above.numbers)[parent]
        return float(scope.by_node.count[direct].sum())

    def _first_caller(self, sentence: Sentence) -> Iterator[Reading]:
        """`F is called most often by g`: no other caller has more of it."""
        for match in cue("MORE_OFTEN_FROM").finditer(sentence.template):
            keys = next(one for one in (("a", "b"), ("c", "d"), ("e", "g")) if match[one[0]])
            callee, caller = (sentence.function(match[one]) for one in keys)
            place = (match.start("how") if match["how"] else match.start(), match.end())
            if callee.numbers == caller.numbers:
                continue
            callers = self.stacks.callers(callee.numbers) - {*callee.numbers, *caller.numbers}
            readings: list[tuple[bool, str]] = []
            for scope in scopes_of(self.measures, sentence)[:2]:
                for name, value in (("calls", self._calls), ("value", self._flow)):
                    mine = value(scope, caller, callee)
                    others = {one: value(scope, Subject("", (one,), 0, 0), callee) for one in callers}
                    most = max(others, key=lambda one: others[one], default=None)
                    if mine or (most is not None and others[most]):
                        first = most is None or mine >= others[most]
                        shown = caller.text if most is None or first else self.measures.trace.frame_name(most)
                        readings.append((first, f"by {name} its first caller is {shown[:60]}"))
            is_so = {one for one, _ in readings}
            if is_so == {True}:
                yield Reading(*place, Verification("verified", how=readings[0][1]))
            elif is_so == {False} and self._is_known(sentence, caller, callee):
                yield Reading(*place, Verification("contradicted", actual=readings[0][1]))
            elif readings:
                yield Reading(*place, UNCHECKED)

    def _is_known(self, sentence: Sentence, caller: Subject, callee: Subject) -> bool:
        """Whether what passes between the two is all that can be meant: it calls the other directly, or never."""
        direct = any(self._flow(scope, caller, callee) for scope in scopes_of(self.measures, sentence)[:2])
        return direct or not self.stacks.is_above(caller.numbers, callee.numbers)


def _ratio_verdict(found: list[float], value: float, half: float, bound: str | None) -> Verification:
    """Whether one reading is what was written; wrong where none is near it."""
    slack = max(half, ABOUT * value)
    for one in found:
        is_so = one >= value if bound == "over" else one <= value if bound == "under" else abs(one - value) <= slack
        if is_so:
            return Verification("derived", how=f"{one:.3g} times")
    if not found or any(abs(one - value) <= NOT_ABOUT * value for one in found):
        return UNCHECKED
    return Verification("contradicted", actual=f"{found[0]:.3g} times")
