"""The numbers of an answer verified by tool results and the trace: each holds, is contradicted or stays unchecked."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from server.agent.verification.claims import Claim, Claims
from server.agent.verification.derived_values import Operand, derived, near, ratio, scaled
from server.agent.verification.facts import Fact, Facts
from server.agent.verification.recompute import Recomputation
from server.agent.verification.statements import recording_figures
from server.agent.verification.statements.agreement import LITTLE_MORE, SLIPPED
from server.agent.verification.statements.bound_figures import BoundFigures
from server.agent.verification.statements.measure_binding import OF_EVERY_CALL
from server.agent.verification.statements.measure_words import MeasureWords, words
from server.agent.verification.statements.places_of_functions import share_of_place
from server.agent.verification.statements.sentence_parts import SHOWN, Sentence, Subject
from server.agent.verification.statements.waiting_claims import NO_WAIT
from server.agent.verification.verdicts import AMBIGUOUS, LATE, NOT_MEASURED, UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension, Mention, mentions
from traces.insights.thresholds import THRESHOLDS
from traces.lazy_regex import lazy_regex

"""How far `about 40%` may lie from the value it stands for, as a part of it."""

BOUND_REACH = 1.5
"""How far beyond `over 40%` the value may lie: `over 1%` of what takes 60% is not false, but it is no information."""

ABOUT_AS_MUCH = 1.1
"""How far what is said in words may lie from the share in digits."""

SAME_TOTAL = 1e-3
"""How far totals of one thing may lie apart, as tools round them."""
NEAR, FAR = 2, 5
"""Statements, itself and those before it, whose figures a statement may go on from."""

_TOGETHER = lazy_regex(
    r"\b(?:together|combined|in total|altogether|in all|sum|add(?:s|ed)? up|both|jointly|top)\b", re.IGNORECASE
)
_MEAN = lazy_regex(r"\b(?:each|per|average|mean|apiece|every|a call|on average)\b", re.IGNORECASE)
_DIFFERENCE = lazy_regex(
    r"\b(?:more|(?<!or )less|(?<!or )fewer|longer|(?<!or )shorter|faster|slower|larger|smaller|higher|lower|"
    r"differ\w*|gap|rest|remain\w*|other\w*|else|minus|left|"
    r"besides|without|outside|apart|below|callees?|calls?|children|sav\w+|drop\w*|falls?|grew|grow\w*|shr\w+|excluding|leav\w+|"
    r"up to|at most|"
    r"mehr|weniger|länger|kürzer|schneller|langsamer|größer|kleiner|Unterschied|Differenz|Rest\w*|übrig\w*|ander\w+|ohne|außer\w*|"
    r"spar\w+|ruft|plus|moins|différence|reste\w*|autres?|sans|hors|appel\w+|économi\w+|más|menos|diferencia|resto|sin)\b|"
    r"(?:in|to|of) (?:what|all that) it\b|[-−–] ?\d",
    re.IGNORECASE,
)
"""What is said of a difference: one is more than another, or what is left of it."""
_SINGLE_CALLS: tuple[MeasureWords, ...] = ("LONGEST", "LEAST", "MEDIAN")
_EDGE = lazy_regex(
    r"\b(?:begins?|starts?|began|started|ends?|ended|beginnt|startet|endet|commence|démarre|finit) (?:at|bei|um|à) ?$",
    re.IGNORECASE,
)
_PRONOUN = lazy_regex(r"\W*(?:it|its|they|each of them|er|sie|es|elle|il)\b", re.IGNORECASE)
_OF_TIME = lazy_regex(r"\b(?:CPU|samples?|time|processor|Stichproben|Proben|Zeit|temps|échantillons?)\b")
_SUPPOSED = lazy_regex(r"\b(?:would|could|might|würden?|könnten?|pourrai\w+)\b", re.IGNORECASE)
_THRESHOLD = lazy_regex(
    r"\b(?:over|than|above|threshold|budget|limit|under|below|within|least|frame|good|poor)\b", re.IGNORECASE
)

Named = dict[int, dict[str, tuple[int, ...]]]
"""By statement: the functions it names, each with its frames."""


@dataclass(slots=True)
class NumberVerifier:
    """Verifies the numbers of one answer. A statement that names functions is compared with their figures alone; one
    that names none with the recording's, then with what tools returned of nothing in particular."""

    claims: Claims
    facts: Facts
    named: Named
    trace: Recomputation
    question: str
    sentences: Sequence[Sentence]
    bound: BoundFigures
    is_late: Callable[[], bool]
    _proven: dict[int, list[Operand]] = field(default_factory=dict)

    def each(self, answer: str, taken: Container[int]) -> Iterator[tuple[Claim, Verification]]:
        """Every number that claims something but those `taken` (by where they begin), the bound ones first: others may
        follow from them."""
        asked = {(mention.value, mention.dimension) for mention in mentions(self.question)}
        waiting: list[tuple[Claim, Verification | None]] = []
        for sentence in self.sentences:
            for at, claim in enumerate(sentence.figures):
                if claim.start in taken:
                    continue
                verdict = LATE if self.is_late() else self._bound(sentence, at, claim)
                if verdict is not None and verdict.is_proven:
                    self._prove(claim, answer, verdict)
                    yield claim, verdict
                elif claim.sure:
                    waiting.append((claim, verdict))
        for claim, verdict in waiting:
            final = self._final(claim, verdict)
            if final.is_proven:
                self._prove(claim, answer, final)
            if final.is_proven or not any((one.value, one.dimension) in asked for one in claim.mentions):
                yield claim, final

    def _final(self, claim: Claim, bound: Verification | None) -> Verification:
        """Of a claim that is not proven by itself."""
        if bound is not None and (bound.status == "contradicted" or bound == AMBIGUOUS):
            return bound
        if bound is not None and bound.how == NO_WAIT:
            return bound
        if bound is not None and bound.how is not None and bound.how.startswith(NOT_MEASURED) and claim.kind == "count":
            return bound
        return LATE if self.is_late() else self._follows(claim) or bound or UNCHECKED

    def _prove(self, claim: Claim, answer: str, verdict: Verification) -> None:
        how = verdict.how or ""
        measure = next((one for one in ("self", "total") if how.startswith(f"{one} ")), "said")
        if how.startswith("samples below "):
            measure = "total"
        for mention in claim.mentions:
            if mention.value and claim.kind != "ratio":
                label = answer[mention.start : mention.end].strip()
                operand = Operand(mention.value, mention.half_digit, mention.dimension, label, measure, is_written=True)
                self._proven.setdefault(claim.statement, []).append(operand)

    def _bound(self, sentence: Sentence, at: int, claim: Claim) -> Verification | None:
        """By the function, the thread or the recording that the sentence speaks of."""
        if not sentence.is_readable:
            return UNCHECKED
        if claim.kind == "window":
            return self._window(sentence, claim)
        of_none = all(one.is_one_place for one in sentence.functions)  # at most words that functions are called, too
        if of_none and (found := share_of_place(self.bound.measures, sentence, at, claim)):
            return found
        if sentence.functions:
            return self.bound.judged(sentence, at, claim, self._carried(sentence))
        if found := recording_figures.judged(self.bound.measures, sentence, at, claim):
            return found
        carried = self._carried(sentence)
        if carried is not None and not sentence.threads:
            found = self.bound.judged(sentence, at, claim, carried)
            if found is not None and (found.is_proven or _PRONOUN.match(sentence.template)):
                return found
        return self._returned(claim)

    def _carried(self, sentence: Sentence) -> Subject | None:
        """The one function of the nearest statement before that names any, in the same paragraph."""
        for back in range(1, NEAR + 1):
            if sentence.number < back or "\n\n" in self.sentences[sentence.number - back].text:
                return None
            named = self.sentences[sentence.number - back].functions
            if named:
                return named[0] if len({one.numbers for one in named}) == 1 else None
        return None

    def _window(self, sentence: Sentence, claim: Claim) -> Verification | None:
        verdicts = []
        for mention in claim.mentions:
            found = self._tool_returned(claim, mention)
            for one in sentence.functions if found is None else ():
                for frame in one.numbers[:4]:
                    if found is None and self.trace.begins_or_ends_at(frame, mention.value, mention.half_digit):
                        found = Verification("verified", how=f"f{frame} begins or ends there")
            verdicts.append(found)
        if all(verdicts):
            return verdicts[0]
        before = self.claims.text[max(0, claim.start - 24) : claim.start]
        if len(sentence.functions) == 1 and len(claim.mentions) == 1 and _EDGE.search(before):
            mention = claim.mentions[0]
            slack = mention.half_digit + SLIPPED * mention.value
            frames = sentence.functions[0].numbers[:4]
            is_timed = any(profile.has_times for profile in self.bound.measures.trace.profiles)
            if is_timed and not any(self.trace.begins_or_ends_at(one, mention.value, slack) for one in frames):
                return Verification("contradicted", actual="no call of it begins or ends there")
        return None

    def _returned(self, claim: Claim) -> Verification | None:
        """Verified by what a tool returned; None when none did."""
        text = self.claims.text[slice(*self.claims.statements[claim.statement])]
        if claim.kind == "ratio" or _SUPPOSED.search(text):
            return None
        verdicts = [self._tool_returned(claim, mention) for mention in claim.mentions]
        return verdicts[0] if all(verdicts) else None

    def _follows(self, claim: Claim) -> Verification | None:
        """From the figures around it."""
        if not self.sentences[claim.statement].is_readable:
            return None
        if claim.kind == "ratio":
            return self._ratio(claim)
        ways = (self._derived, self._first_rows, _a_threshold)
        text = self.claims.text[slice(*self.claims.statements[claim.statement])]
        verdicts = []
        for mention in claim.mentions:
            found = (way(claim, mention, text) for way in ways)
            verdicts.append(next((one for one in found if one), None))
        return verdicts[-1] if all(verdicts) else None

    def _tool_returned(self, claim: Claim, mention: Mention) -> Verification | None:
        near_by = self._near_by(claim.statement)
        for fact in self.facts.near(mention):
            if _speaks_of(fact, near_by) and near(fact.value, max(0.0, fact.half_digit - mention.half_digit), mention):
                return Verification("verified", fact.call)
        return None

    def _near_by(self, statement: int) -> set[str]:
        """The functions that a statement or one of those just before it names."""
        return {name for back in range(FAR) for name in self.named.get(statement - back, {})}

    def _derived(self, claim: Claim, mention: Mention, text: str) -> Verification | None:
        operands = self._operands(claim)
        totals = [(value, dimension, _written(value, dimension)) for value, dimension in self.facts.totals]
        is_of_all = mention.dimension is Dimension.SHARE and words("RECORDING").search(text) is not None
        if is_of_all and not self.sentences[claim.statement].threads:
            totals = [one for one in totals if self._is_of_all(one[0])]
        sums = bool(_TOGETHER.search(text)) and not self._is_nested(claim.statement)
        means = bool(_MEAN.search(text))
        around = self.sentences[claim.statement].figures[:SHOWN]
        factors = [other.mentions[0].value for other in around if other.kind == "ratio"]
        if _OF_TIME.search(text):
            operands = [one for one in operands if one.dimension is not Dimension.BYTES]
        is_of_single_calls = claim.bound in ("under", "over") or any(words(one).search(text) for one in _SINGLE_CALLS)
        if is_of_single_calls and OF_EVERY_CALL.search(text):
            return None
        left = _DIFFERENCE.search(text) is not None
        how = derived(mention, operands, totals, sums=sums, means=means, differences=left) or scaled(
            mention, operands, factors
        )
        return Verification("derived", how=how) if how else None

    def _is_of_all(self, total: float) -> bool:
        """Whether a total is not that of one thread among others: a share of the recording is no share of that."""
        sums = [one.total for one in self.bound.measures.unnamed]
        threads = [one.total for one in self.bound.measures.others]
        return not any(_is_same(total, one) for one in threads) or any(_is_same(total, one) for one in sums)

    def _is_nested(self, statement: int) -> bool:
        """Whether one of the functions of a statement calls another: what they take with callees does not add up."""
        named = list(dict.fromkeys(one.numbers for one in self.sentences[statement].functions[:4]))
        return any(self.trace.on_a_path(a, b) for a, b in combinations(named, 2))

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

    def _ratio(self, claim: Claim) -> Verification | None:
        mention = claim.mentions[0]
        for fact in () if self.sentences[claim.statement].functions else self.facts.factors:
            if near(fact.value, max(0.0, fact.half_digit - mention.half_digit), mention):
                return Verification("verified", fact.call)
        operands = [
            *self._operands(claim),
            *self._figures_of(claim.statement - 1),
            *self._figures_of(claim.statement - 2),
        ]
        if mention.value < 1:
            if same := self._in_digits(claim):
                return same
            if self.sentences[claim.statement].functions:
                return None
            low, high = _fraction(mention, claim.bound)
            for one in operands:
                if one.dimension is Dimension.SHARE and low <= one.value / 100 <= high:
                    return Verification("derived", how=one.label)
        how = ratio(mention, operands)
        return Verification("derived", how=how) if how else None

    def _in_digits(self, claim: Claim) -> Verification | None:
        """`Nearly two thirds (63%)`: by the share that holds in the same sentence."""
        low, high = _fraction(claim.mentions[0], claim.bound)
        near_by = self.sentences[claim.statement].figures
        shares = [one.mentions[0] for one in near_by if one.mentions[0].dimension is Dimension.SHARE]
        if len(shares) != 1 or not low / ABOUT_AS_MUCH <= shares[0].value / 100 <= high * ABOUT_AS_MUCH:
            return None
        for one in self._proven.get(claim.statement, []):
            if one.dimension is Dimension.SHARE and one.value == shares[0].value:
                return Verification("derived", how=one.label)
        return None

    def _operands(self, claim: Claim) -> list[Operand]:
        """What else is proven in this statement and the one before it (a few, for what is summed), and the figures of
        the functions it names."""
        text = self.claims.text[slice(*self.claims.statements[claim.statement])]
        reach = FAR if _TOGETHER.search(text) else NEAR
        proven = [one for back in range(reach) for one in self._proven.get(claim.statement - back, [])[:SHOWN]]
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
    if mention.dimension is Dimension.TIME and _THRESHOLD.search(text) and not _SUPPOSED.search(text):
        for one in THRESHOLDS.values():
            if one.unit == "ns" and near(one.value, 0.0, mention):
                return Verification("derived", how="a threshold of the findings")
    return None


def _speaks_of(fact: Fact, near_by: set[str]) -> bool:
    """Whether a figure is of nothing in particular, or only of what is spoken of."""
    return not fact.about or not fact.about.isdisjoint(near_by)


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= SAME_TOTAL * other


def _fraction(mention: Mention, bound: str | None) -> tuple[float, float]:
    """Between which shares `half`, `over a third`, `almost a quarter` lie."""
    value, half = mention.value, mention.half_digit
    return {
        "over": (value, value * BOUND_REACH),
        "just over": (value, value * (1 + LITTLE_MORE)),
        "just under": (value * (1 - LITTLE_MORE), value),
        "under": (value / BOUND_REACH, value),
    }.get(bound or "", (value - half, value + half))


def _written(value: float, dimension: Dimension) -> str:
    if dimension is Dimension.TIME:
        return f"{value / 1e6:,.6g} ms"
    return f"{value:,.6g}" + {Dimension.SHARE: "%", Dimension.BYTES: " bytes"}.get(dimension, "")
