"""Figures that are of more than one function, or of everything: shares of another function, what several take together,
how many times one takes what another does, what passes between a caller and a callee."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.agent.verification.claims import Claim
from server.agent.verification.facts import Facts
from server.agent.verification.statements.agreement import Agreement, agreement
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import WITH_CALLEES, Measures, Scope
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, FUNCTIONS, THREAD, Sentence, Subject
from server.agent.verification.statements.value_words import names_value
from server.agent.verification.verdicts import UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension, Mention
from traces.analysis.units import format_share
from traces.handles import ALL
from traces.lazy_regex import lazy_regex

_OF_FIGURE = lazy_regex(
    rf"(?:{FIGURES}\)?|\b(?:one|two|three|eine[rnms]?|zwei|drei|une?|deux|trois)) "
    r"(?:of|out of|von|de|sur|des) (?:the |all |den )?$",
    re.IGNORECASE,
)
_IN_BRACKETS = lazy_regex(rf"{FUNCTIONS} ?\($")
_FOR_EACH = lazy_regex(r"\W*(?:for|per|pro|pour|auf|bei) (?:every|each|one|chaque|jede\w*)\b", re.IGNORECASE)
"""`For each call of f there are 12 times as many of g`: the second by the first."""
_COMPARED_WITH = lazy_regex(
    r"\b(?:compared (?:with|to)|in comparison (?:with|to)|next to|relative to|against|im vergleich zu|verglichen mit|"
    rf"gegenüber|par rapport à|comparée? à|comparad[oa] con) (?:the |der |dem |den |la |le )?({FUNCTIONS})",
    re.IGNORECASE,
)
"""`Compared with f, g is`: the second by the first, in whichever order."""
_THIS_THREAD = lazy_regex(
    r"\b(?:of|on|in|within) (?:this|that|the same) (?:thread|profile|process)\b|"
    r"\b(?:dieses|diesem) (?:thread|profil)s?\b|\b(?:de|sur|dans) ce (?:thread|fil|profil)\b",
    re.IGNORECASE,
)
_WHILE = lazy_regex(r"^\W*(?:while|whereas|where|if|während|wo|alors que|tandis que|si)\b", re.IGNORECASE)
_NTH = lazy_regex(
    r"\b(?:the|der|die|das|le|la) (?:first|second|last|other|next|erste\w?|zweite\w?|letzte\w?|premi\w+|deuxième|"
    r"seconde?)\b",
    re.IGNORECASE,
)
"""`The first call of f takes four times as long as the second`: of single calls."""
_OF_BYTES = lazy_regex(
    r"\bbytes?\b|\ballocat\w*|\bmemory\b|\bAllok\w*|\basign\w*|\bmemoria\b|\bspeicher\w*|\bzu(?:teil|gewies)\w*|\bmémoire\b|\boctets?\b|\ballou\w*",
    re.IGNORECASE,
)
_OF_ITS = lazy_regex(r" (?:of|von|de) (?:its|their|seiner?|ihrer?|sa|son|ses|leur) (?!own\b)", re.IGNORECASE)
_COMES_FROM = lazy_regex(
    r"(?:of|von|de|des) (?:the )?"
    r"(?:(?:calls|samples|time|total|Aufrufe|Proben|Zeit|appels|échantillons) (?:of|to|in|von|de|à) )?"
    rf"({FUNCTIONS})\W? (?:\w+ )?"
    r"(?:comes?|came|stems?|arrives?|kommt|kommen|stammt|stammen|vient|viennent|proviennent|provient|passent?) "
    rf"(?:in )?(?:\w+ )?(?:from|through|via|under|below|von|aus|über|de|par) (?:within )?({FUNCTIONS})",
    re.IGNORECASE,
)
"""`Half of f come from g`: of f what lies below g."""
_CLAUSE = lazy_regex(
    r"[;:](?=\s)|,(?= (?:\w+ ){0,3}(?:but|and|while|though|aber|und|wird|obwohl|mais|et|pero|y|aunque)\b)|"
    r"\b(?:but|while|whereas|although|aber|während|obwohl|mais|tandis que|pero|mientras|aunque)\b",
    re.IGNORECASE,
)
_OF_ITS_TIME = lazy_regex(
    r" (?:of (?:its|their|his)(?: own)? (?:time|samples|cost|run ?time|total|work|memory)|"
    r"(?:seiner|ihrer) (?:Zeit|Laufzeit|Samples|Arbeit)|de (?:son|leur) (?:temps|coût|travail)|"
    r"de su (?:tiempo|coste|trabajo))\b",
    re.IGNORECASE,
)
_WHOLES = frozenset({"whole", "duration", "duration_ns", "total", "total_value", "length"})
_VALUES = frozenset({"self", "total", "self share", "total share"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a sentence, the `at`th, with what its sentence says of it: the profiles it may be of, and the
    measures that its words allow."""

    sentence: Sentence
    at: int
    claim: Claim
    mention: Mention
    scopes: Sequence[Scope]
    allowed: frozenset[str] = frozenset()

    @property
    def place(self) -> int:
        """Where it stands in the template."""
        return self.sentence.template.find(chr(ord(FIGURE) + self.at))

    def said_between(self, way: re.Pattern[str]) -> re.Match[str] | None:
        """Where its sentence says the figure in this way, as the group `n`."""
        mine = chr(ord(FIGURE) + self.at)
        return next((one for one in way.finditer(self.sentence.template) if one["n"] == mine), None)

    def agrees(self, value: float) -> Agreement:
        return agreement(value, self.mention, self.claim.bound)

    def is_right(self, value: float) -> bool:
        return self.agrees(value) is Agreement.RIGHT


def scopes_of(measures: Measures, sentence: Sentence) -> Sequence[Scope]:
    """The profiles that a sentence means: those of its threads, or the main one and all of them; in its window."""
    threads = [one for one in sentence.threads if not _is_aside(sentence, one)]
    if threads:
        return [measures.scope(number, sentence.window) for one in threads for number in one.numbers[:4]]
    if _THIS_THREAD.search(sentence.template):
        return (measures.scope(None, sentence.window),)
    if sentence.window is None:
        of_bytes = _OF_BYTES.search(sentence.template) is not None
        usual = measures.measuring(Dimension.BYTES) if of_bytes else measures.unnamed
        return measures.of_home([frame for one in sentence.functions for frame in one.numbers], usual)
    choices = [scope.chosen for scope in measures.unnamed]
    found = [measures.scope(ALL if one.handle == ALL else None, sentence.window) for one in choices]
    return [scope for scope in found if scope.window is not None] or measures.unnamed


def _is_aside(sentence: Sentence, thread: Subject) -> bool:
    """`outside the main thread`."""
    at = sentence.template.find(chr(ord(THREAD) + sentence.threads.index(thread)))
    return at >= 0 and words("ASIDE").search(sentence.template[max(0, at - 20) : at]) is not None


def names_a_call(sentence: Sentence) -> bool:
    """Whether a sentence has one call or one path with its functions: figures may be of that."""
    return any(one.is_one_place for one in sentence.functions)


def is_of_all(figure: Figure) -> bool:
    """`185 of 659 samples`: whether it is the second of such two."""
    place = figure.place
    return _OF_FIGURE.search(figure.sentence.template[max(0, place - 12) : place]) is not None


def of_all(measures: Measures, facts: Facts, figure: Figure) -> Verification:
    """The second of `185 of 659 samples`: everything, or what else was spoken of."""
    sentence, mention = figure.sentence, figure.mention
    for scope in [*figure.scopes, *(measures.unnamed if sentence.threads or sentence.window else ())]:
        totals = [(scope.total, scope.dimension), (float(scope.by_node.count.sum()), Dimension.COUNT)]
        if any(dimension is mention.dimension and figure.is_right(value) for value, dimension in totals):
            return Verification("verified", how=f"all of {scope.chosen.handle}")
    of_functions = (m for one in sentence.functions for scope in figure.scopes for m in measures.of(one.numbers, scope))
    for one in of_functions:
        if one.measure == "total" and one.dimension is mention.dimension and figure.is_right(one.value):
            return Verification("verified", how=one.what)
    for fact in facts.near(mention):
        if not fact.about and fact.key in _WHOLES and agreement(fact.value, mention, None) is Agreement.RIGHT:
            return Verification("verified", fact.call)
    return UNCHECKED


def flow(measures: Measures, figure: Figure, subject: Subject, carried: Subject | None) -> Verification | None:
    """A figure in brackets behind a caller or a callee may be what passes between the two."""
    text, place = figure.sentence.template, figure.place
    if not (_IN_BRACKETS.search(text[max(0, place - 4) : place]) and words("FLOW").search(text)):
        return None
    named = (*figure.sentence.functions[:8], *([carried] if carried else []))
    others = [one for one in named if one.numbers != subject.numbers]
    pairs = [pair for other in others for pair in ((subject, other), (other, subject))]
    for scope in figure.scopes:
        for a, b in pairs:
            value = measures.flow(a.numbers, b.numbers, scope)
            found = [value] if figure.mention.dimension is scope.dimension else []
            if figure.mention.dimension is Dimension.SHARE and value > 0:
                bases = (scope.total, *(scope.under(None, one.numbers)[1] for one in (a, b)))
                found = [100 * value / base for base in bases if base]
            if value > 0 and any(figure.is_right(one) for one in found):
                return Verification("verified", how=f"{b.text[:60]} called by {a.text[:60]}")
    return None


def of_its_own(figure: Figure, carried: Subject | None) -> Verification | None:
    """`f hands 99% of its time to g`: of what the function before it takes."""
    sentence, place = figure.sentence, figure.place
    behind = [one for one in sentence.functions if one.start > sentence.place(place)]
    if not behind or not _OF_ITS.match(sentence.template[place + 1 :]):
        return None
    before = [one for one in sentence.functions if one.start < sentence.place(place)]
    base = before[-1] if before else carried
    wide = replace(figure, allowed=frozenset({"self share", "total share"}))
    return UNCHECKED if base is None else part_of(wide, base, behind[0])


def of_its_time(figure: Figure, subject: Subject) -> Verification | None:
    """`Half of its time`: of what the one function of a sentence takes, what is its own or what is not. None where the
    sentence says no such thing."""
    text, place = figure.sentence.template, figure.place
    is_alone = len({one.numbers for one in figure.sentence.functions}) == 1
    is_behind = any(one.start > figure.claim.start for one in figure.sentence.functions)
    if not is_alone or is_behind or figure.mention.dimension is not Dimension.SHARE:
        return None
    if not _OF_ITS_TIME.match(text, place + 1):
        return None
    shares = []
    for scope in figure.scopes:
        own, total = scope.under(None, subject.numbers)
        shares += [100 * own / total, 100 - 100 * own / total] if total > 0 else []
    right = next((one for one in shares if figure.is_right(one)), None)
    if right is not None:
        return Verification("derived", how=f"{right:.1f}% of what {subject.text[:60]} takes")
    return UNCHECKED


def part_of(figure: Figure, base: Subject, subject: Subject) -> Verification:
    """A share of another function."""
    shares = []
    for scope in figure.scopes:
        base_total = scope.under(None, base.numbers)[1]
        if base_total > 0:
            inside = scope.under(scope.mask(base.numbers), subject.numbers)
            alone = scope.under(None, subject.numbers)
            kinds = [at for at, name in enumerate(("self share", "total share")) if name in figure.allowed]
            shares += [100 * values[kind] / base_total for values in (inside, alone) for kind in kinds]
    if not shares:
        return UNCHECKED
    compared = [figure.agrees(value) for value in shares]
    of = f"{subject.text[:60]} of {base.text[:60]}"
    if Agreement.RIGHT in compared:
        return Verification("derived", how=f"{of}: {shares[compared.index(Agreement.RIGHT)]:.1f}%")
    if Agreement.NEARLY in compared:
        return UNCHECKED
    return Verification("contradicted", actual=f"{of}: {format_share(max(shares[: len(shares) // 2 or 1]) / 100)}")


def comes_from(figure: Figure) -> Verification | None:
    """`three quarters of f come from g`: how much of the one lies below the other. None where nothing comes."""
    said = _COMES_FROM.search(figure.sentence.template)
    if said is None or figure.mention.dimension is not Dimension.SHARE:
        return None
    below, above = (figure.sentence.function(one) for one in said.groups())
    shares = []
    for scope in figure.scopes:
        taken = scope.under(None, below.numbers)[1]
        if taken > 0:
            shares.append(100 * scope.under(scope.mask(above.numbers), below.numbers)[1] / taken)
    compared = [figure.agrees(value) for value in shares]
    of = f"{below.text[:60]} below {above.text[:60]}"
    if Agreement.RIGHT in compared:
        return Verification("derived", how=f"{of}: {shares[compared.index(Agreement.RIGHT)]:.1f}%")
    if not shares or Agreement.NEARLY in compared:
        return UNCHECKED
    return Verification("contradicted", actual=f"{of}: {format_share(shares[0] / 100)}")


def together(figure: Figure) -> Verification | None:
    """What several functions take together: self values add up, totals only where none stands in another. None where
    the sentence says no such thing, or has more figures than the one."""
    sentence = figure.sentence
    if len({one.numbers for one in sentence.functions}) < 2 or not words("TOGETHER").search(sentence.template):
        return None
    if figure.allowed.isdisjoint(_VALUES) or names_a_call(sentence):
        return None
    frames = tuple({frame for one in sentence.functions for frame in one.numbers})
    sums = [one for scope in figure.scopes for one in _sums(figure, scope, frames)]
    for agrees, shown in sums:
        if agrees is Agreement.RIGHT:
            named = " + ".join(one.text[:40] for one in sentence.functions[:4])
            return Verification("derived", how=f"{shown}: {named}")
    others = [one.mentions[0] for one in sentence.figures if one is not figure.claim]
    alike = [one for one in others if one.dimension is figure.mention.dimension]
    is_their_sum = len(alike) > 1 and figure.is_right(sum(one.value for one in alike))
    if alike and not is_their_sum:
        return None
    is_of_more = len({one.numbers for one in sentence.functions}) > 2 and not is_their_sum
    if not sums or sentence.window or is_of_more or any(agrees is Agreement.NEARLY for agrees, _ in sums):
        return UNCHECKED
    return Verification("contradicted", actual="together " + ", ".join(dict.fromkeys(shown for _, shown in sums)))


def _sums(figure: Figure, scope: Scope, frames: tuple[int, ...]) -> list[tuple[Agreement, str]]:
    """The self values of some frames added up, and what they take with callees, nested once."""
    is_share = figure.mention.dimension is Dimension.SHARE
    if not scope.total or not (is_share or figure.mention.dimension is scope.dimension):
        return []
    found = []
    for value, name in zip(scope.under(None, frames), ("self", "total"), strict=True):
        if figure.allowed & {name, f"{name} share"}:
            share = value / scope.total
            shown = format_share(share) if is_share else scope.written(value)
            found.append((figure.agrees(100 * share if is_share else value), f"{name} {shown}"))
    return found


def ratio_of(measures: Measures, figure: Figure) -> Verification | None:
    """`a takes 3 times as long as b`: the first function by the second, or turned where it is the cheaper. None where
    the sentence does not name two."""
    text = figure.sentence.template
    named = [figure.sentence.function(one) for one in re.findall(FUNCTIONS, text)]
    if len({one.numbers for one in named}) != 2 or words("HYPOTHETICAL").search(text):
        return None
    if _FOR_EACH.match(text) or _NTH.search(text):
        return UNCHECKED
    before = [one for one in named if one.start < figure.sentence.place(figure.place)] or named
    a = before[-1] if _WHILE.match(text) else before[0]
    if base := _COMPARED_WITH.search(text):
        a = next(one for one in named if one.numbers != figure.sentence.function(base[1]).numbers)
    b = next(one for one in named if one.numbers != a.numbers)
    if words("SMALLER").search(text):
        a, b = b, a
    kinds, compared = _compared_measures(text, figure), []
    others = [scope for name, scope in measures.other_values if names_value(figure.sentence.text, name)]
    for scope in [*figure.scopes, *others]:
        over = {one.measure: one.value for one in measures.of(b.numbers, scope) if one.value > 0}
        compared += [
            (one.value / over[one.measure], one.measure)
            for one in measures.of(a.numbers, scope)
            if one.measure in kinds and one.measure in over
        ]
    for value, measure in compared:
        if figure.is_right(value):
            return Verification("derived", how=f"{measure} of {a.text[:60]} / {measure} of {b.text[:60]}")
    if not compared or any(figure.agrees(value) is Agreement.NEARLY for value, _ in compared):
        return UNCHECKED
    shown = dict.fromkeys(f"{measure} {value:.3g}×" for value, measure in compared)
    return Verification("contradicted", actual=f"{a.text[:60]} by {b.text[:60]}: {', '.join(shown)}")


def _clause_of(text: str, place: int) -> str:
    """The clause around a place: what another clause says to be called is no measure of this one."""
    start = max((end.end() for end in _CLAUSE.finditer(text, 0, place)), default=0)
    return text[start : next((end.start() for end in _CLAUSE.finditer(text, place + 1)), len(text))]


def _compared_measures(text: str, figure: Figure) -> set[str]:
    """Of what two functions are compared, by the words of a sentence."""
    around = words("BASE").sub(" ", text)
    own, total = words("SELF").search(around), words("TOTAL").search(around)
    if bool(own) is not bool(total):
        return {"self"} if own else {"total"}
    around_it = _clause_of(text, figure.place)
    bare = around_it.replace(chr(ord(FIGURE) + figure.at), " ").replace("times", " ").replace("fois", " ")
    return {"calls", "samples", WITH_CALLEES} if words("CALLS").search(bare) else {"self", "total"}
