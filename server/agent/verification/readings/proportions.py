"""One function by another in words: `f needs half as long as g`, `about as much as g`, `30% more than g`; and what a
function takes itself by what it calls."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.claims import Claim
from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.agreement import ABOUT
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import WITH_CALLEES, Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, FUNCTIONS, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import Verification
from traces.lazy_regex import lazy_regex

SAME, NOT_SAME = 0.15, 0.35
"""So near one value may be to another, as a part of it, to be as much; from there on it is not."""
_A_MULTIPLE = lazy_regex(
    rf"(?:{FIGURES}|[\d×%]|\b(?:times|fois|mal|veces|twice|half|doppelt|moitié|mitad))[ )\]]*"
    r"(?:times |again )?(?:just |exactly )?$",
    re.IGNORECASE,
)
"""`12 times as often` is another claim than `as often`."""
_COMPARED = lazy_regex(
    r"\bas\b.*?\b(?:as|than)\b|\b(?:so viel|so lange?)\b.*?\bwie\b|\bque\b|\bwhat\b|\bof\b", re.IGNORECASE
)
_REST = lazy_regex(
    r"\b(?:what|everything|all|was|ce que|lo que|functions)\b.{0,12}\b(?:calls?|aufruft|appelle|llama)\b|\bcallees\b",
    re.IGNORECASE,
)
_PIECE = lazy_regex(r"[.;:](?=\s|$)|\s[–—]\s")


@dataclass(frozen=True)
class Proportions:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says of one function by another."""
        text = sentence.template
        if not sentence.functions or words("HYPOTHETICAL").search(text) or words("NEGATED").search(text):
            return
        yield from self._by_ratio(sentence)
        yield from self._by_percent(sentence)
        for match in cue("AS_MUCH_AS").finditer(text):
            other = next(one for key, one in match.groupdict().items() if key != "how" and one)
            pair = None if _A_MULTIPLE.search(text[: match.start()]) else _pair(sentence, match, other)
            if pair and (found := self._decided(sentence, pair, 1.0, SAME, match[0])):
                yield Reading(match.start(), match.end(), found)
        for match in cue("EXCEEDS").finditer(text):
            if found := self._more(sentence, sentence.function(match["a"]), sentence.function(match["b"])):
                yield Reading(match.start(), match.end(), found)
        yield from self._inside_two(sentence)
        yield from self._of_one(sentence)

    def _inside_two(self, sentence: Sentence) -> Iterator[Reading]:
        """`f contributes more to g than h does`, `f spends more in g than in its own body`."""
        text = sentence.template
        for match in cue("MORE_OF").finditer(text):
            a, b, x = (sentence.function(match[key]) for key in ("a", "b", "x"))
            pairs: list[tuple[float, float]] = []
            for scope in scopes_of(self.measures, sentence):
                shares = [scope.under(scope.mask(one.numbers), x.numbers)[1] for one in (a, b)]
                flows = [self.measures.flow(one.numbers, x.numbers, scope) for one in (a, b)]
                pairs += [(one, other) for one, other in (shares, flows)]
            if found := self._larger(match["how"], pairs):
                yield Reading(match.start(), match.end(), found)
        for match in cue("MORE_THAN_ITSELF").finditer(text):
            a, x = sentence.function(match["a"]), sentence.function(match["x"])
            pairs = []
            for scope in scopes_of(self.measures, sentence):
                pairs.append((scope.under(scope.mask(a.numbers), x.numbers)[1], scope.under(None, a.numbers)[0]))
            if found := self._larger(match["how"], pairs):
                yield Reading(match.start(), match.end(), found)

    def _larger(self, how: str, found: list[tuple[float, float]]) -> Verification | None:
        """Whether the first of each pair is the larger one, or the smaller; None where the pairs do not agree."""
        found = [pair for pair in found if pair[0] or pair[1]]
        is_larger = {one > other for one, other in found if one != other}
        if len(is_larger) != 1:
            return None
        share = 100 * found[0][0] / (found[0][0] + found[0][1])
        shown = f"{share:.3g}% and {100 - share:.3g}% of both"
        if is_larger.pop() is (words("SMALLER").search(how) is None):
            return Verification("verified", how=shown)
        return Verification("contradicted", actual=shown)

    def _more(self, sentence: Sentence, a: Subject, b: Subject) -> Verification | None:
        """Whether the one takes more than the other, by each measure that the words allow."""
        found = self._by_measure(sentence, a, b, "")
        shown = ", ".join(dict.fromkeys(f"{measure} {ratio:.3g}×" for ratio, measure in found))
        if not found or len({ratio > 1 for ratio, _ in found}) > 1:
            return None
        if found[0][0] > 1:
            return Verification("verified", how=shown)
        return Verification("contradicted", actual=f"{a.text[:50]} by {b.text[:50]}: {shown}")

    def _by_ratio(self, sentence: Sentence) -> Iterator[Reading]:
        """`Half as long as g`, `half again as long`."""
        for match in cue("RATIO_AS").finditer(sentence.template):
            claim = sentence.figure(match[0][0])
            pair = _pair(sentence, match, match["b"]) if claim.kind == "ratio" else None
            value = claim.mentions[0].value + (1 if match["again"] else 0)
            if pair and (found := self._decided(sentence, pair, value, _margin(claim), match[0])):
                at = frozenset({ord(match[0][0]) - ord(FIGURE)})
                yield Reading(match.start(), match.end(), found, at, is_first=bool(match["again"]))

    def _by_percent(self, sentence: Sentence) -> Iterator[Reading]:
        """`30% more than g`."""
        for match in cue("PERCENT_THAN").finditer(sentence.template):
            claim = sentence.figure(match[0][0])
            pair = _pair(sentence, match, match["b"]) if claim.kind == "percentage" else None
            part = claim.mentions[0].value / 100
            value = 1 - part if words("SMALLER").search(match[0]) else 1 + part
            if pair and value > 0 and (found := self._decided(sentence, pair, value, ABOUT, match[0])):
                at = frozenset({ord(match[0][0]) - ord(FIGURE)})
                yield Reading(match.start(), match.end(), found, at, is_first=True)

    def _decided(
        self, sentence: Sentence, pair: tuple[Subject, Subject], value: float, margin: float, said: str
    ) -> Verification | None:
        """By every measure that the words allow."""
        a, b = pair
        found = self._by_measure(sentence, a, b, said)
        for ratio, measure in found:
            if abs(ratio - value) <= margin * value:
                return Verification("derived", how=f"{measure} of {a.text[:50]} / {b.text[:50]}: {ratio:.3g}")
        if not found or any(abs(ratio - value) <= max(NOT_SAME, 2 * margin) * value for ratio, _ in found):
            return None
        shown = ", ".join(dict.fromkeys(f"{measure} {ratio:.3g}×" for ratio, measure in found))
        return Verification("contradicted", actual=f"{a.text[:50]} by {b.text[:50]}: {shown}")

    def _by_measure(self, sentence: Sentence, a: Subject, b: Subject, said: str) -> list[tuple[float, str]]:
        """The one by the other, by every measure that the words allow."""
        bare = words("BASE").sub(" ", sentence.template)
        own, total = words("SELF").search(bare), words("TOTAL").search(bare)
        kinds = {"self"} if own and not total else {"total"} if total and not own else {"self", "total"}
        if re.search(r"\boften\b|\bmany\b|\boft\b|\bsouvent\b|\bcalls?\b|\bcalled\b", said):
            kinds = {"calls", "samples", WITH_CALLEES}
        if words("MEAN").search(bare):
            kinds = {"mean"}
        found: list[tuple[float, str]] = []
        for scope in scopes_of(self.measures, sentence):
            over = [one for one in self.measures.of(b.numbers, scope) if one.measure in kinds and one.value > 0]
            for one in self.measures.of(a.numbers, scope):
                found += [(one.value / other.value, one.measure) for other in over if other.measure == one.measure]
        return found

    def _of_one(self, sentence: Sentence) -> Iterator[Reading]:
        """`f spends three times as long in its own code as in what it calls`, and the other way round."""
        text = sentence.template
        ratios = [at for at, one in enumerate(sentence.figures) if one.kind == "ratio" and one.mentions[0].value > 1]
        if len({one.numbers for one in sentence.functions}) != 1 or len(ratios) != 1:
            return
        claim, place = sentence.figures[ratios[0]], text.find(chr(ord(FIGURE) + ratios[0]))
        says = _COMPARED.search(text, place + 1)
        if says is None:
            return
        first, second = text[: says.end()], text[says.end() :]
        is_own = words("SELF").search(first) is not None and _REST.search(second) is not None
        if not is_own and (words("SELF").search(first) or not words("SELF").search(second)):
            return
        values = []
        for scope in scopes_of(self.measures, sentence):
            own, total = scope.under(None, sentence.functions[0].numbers)
            if own > 0 and total > own:
                values += [own / (total - own)] if is_own else [total / own, (total - own) / own]
        value, at = claim.mentions[0].value, frozenset({ratios[0]})
        shown = " or ".join(dict.fromkeys(f"{one:.3g}×" for one in values))
        if any(abs(one - value) <= _margin(claim) * value for one in values):
            yield Reading(place, place + 1, Verification("derived", how=f"itself by what it calls: {shown}"), at)
        elif values and not any(abs(one - value) <= NOT_SAME * value for one in values):
            yield Reading(place, place + 1, Verification("contradicted", actual=shown), at)


def _margin(claim: Claim) -> float:
    mention = claim.mentions[0]
    half = mention.half_digit / mention.value if mention.value else 0.0
    return max(half, ABOUT if claim.bound is None else SAME)


def _pair(sentence: Sentence, match: re.Match[str], other: str) -> tuple[Subject, Subject] | None:
    """The one function before the words, and that behind them; or the two before."""
    text = sentence.template
    b = sentence.function(other)
    start = max((end.end() for end in _PIECE.finditer(text, 0, match.start())), default=0)
    named = [sentence.function(one) for one in re.findall(FUNCTIONS, text[start : match.end()])]
    others = {one.numbers: one for one in named if one.numbers != b.numbers}
    return (next(iter(others.values())), b) if len(others) == 1 else None
