"""Statements about functions and threads that have no figure, decided by the trace where it can."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from server.agent.verification.facts import Facts
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import WITH_CALLEES, Measured, Measures
from server.agent.verification.statements.places_of_functions import placed
from server.agent.verification.statements.relation_decisions import RelationDecisions, Stated, by_of
from server.agent.verification.statements.relation_words import Wording, in_small_letters, relation_words
from server.agent.verification.statements.sentence_parts import (
    FIGURE,
    FIGURES,
    FUNCTION,
    FUNCTIONS,
    THREAD,
    UNKNOWN,
    Sentence,
    Subject,
)
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.lazy_regex import lazy_regex

_ORDINALS = {
    word: place
    for place, several in enumerate(
        (
            "first erste premier première one eins eine un une uno una",
            "second zweite zweit deuxième seconde segundo segunda two zwei deux dos",
            "third dritte dritt troisième tercer tercera tercero three drei trois tres",
            "fourth vierte viert quatrième four vier quatre",
            "fifth fünfte cinquième five fünf cinq",
            "sixth sechste sixième six sechs",
            "seventh siebte septième",
        ),
        start=1,
    )
    for word in several.split()
}


@dataclass(frozen=True, slots=True)
class Related:
    """A statement at its place in the answer, and what became of it; `absent` are names that it says are not there.
    `is_reading`: what its figures are by themselves comes before it."""

    start: int
    end: int
    verdict: Verification
    figures: frozenset[int] = frozenset()
    absent: tuple[Subject, ...] = ()
    is_reading: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as a free reading finds it: where it stands in the sentence's template, what becomes of it, the
    figures (their places among those of the sentence) that it is about, and where else its words stand. `is_first`: its
    figures mean nothing by themselves. `is_more`: it says more than a wording finds in it, and may be wrong where
    that holds."""

    start: int
    end: int
    verdict: Verification
    figures: frozenset[int] = frozenset()
    others: tuple[tuple[int, int], ...] = ()
    is_first: bool = False
    is_more: bool = False


class Reader(Protocol):
    """Reads what no wording fits."""

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says, decided."""
        ...


MOST_COUNTED = 10**9
_AFTER_FIGURES = lazy_regex(rf"^.*{FIGURES}[^,)]*(?:[,)]|$)", re.DOTALL)
"""`takes 5 ms in 6 calls, less than g`: what compares stands behind the figures."""
_MULTIPLE = lazy_regex(r"\b(?:times|twice|double|half|third|fois|moitié|\w*mal|doppelt|veces|doble)\b", re.IGNORECASE)
"""How many times as much is another claim than more."""
_SO_MANY_TIMES = lazy_regex(
    r"\b(?:times|fois|veces|mal)\b(?= (?:as|so|more|less|plus|moins|más|menos|mehr|weniger|länger)\b)"
)
_CHAIN = lazy_regex(rf"(?:(?:,? (?:and|or|und|et|y)|,) {FUNCTIONS})+(?=\s*(?:[.;:!?)]|$))", re.IGNORECASE)


class Relations:
    """Decides the relations of sentences of one answer."""

    def __init__(self, measures: Measures, facts: Facts, readers: Sequence[Reader] = ()) -> None:
        self._measures = measures
        self._readers = readers
        self._decisions = RelationDecisions(measures, facts)

    def each(self, sentence: Sentence) -> Iterator[Related]:
        """The relations that a sentence states, and what it claims next to its figures."""
        if not sentence.is_readable or sentence.is_header:
            return
        taken: list[tuple[int, int]] = []
        found: list[Related] = []
        if sentence.functions or sentence.threads or sentence.unknown:
            found += self._stated(sentence, taken)
            for start, end, verdict in placed(sentence, self._measures):
                taken.append((start, end))
                found.append(Related(sentence.place(start), sentence.end_of(end), verdict))
        for reading in (one for reader in self._readers for one in reader.each(sentence)):
            start, end = sentence.place(reading.start), sentence.end_of(reading.end)
            there = [one for one in found if one.start < end and start < one.end]
            if reading.verdict == UNCHECKED and not reading.is_first:
                found += [] if there else [Related(start, end, UNCHECKED)]
            elif reading.is_first or all(one.verdict == UNCHECKED for one in there):
                found = [one for one in found if one not in there]
                found.append(Related(start, end, reading.verdict, reading.figures, is_reading=not reading.is_first))
                taken += [(reading.start, reading.end), *reading.others]
            elif reading.is_more and reading.verdict.status == "contradicted":
                found.append(Related(start, end, reading.verdict, reading.figures, is_reading=True))
        yield from found
        if not taken and (sentence.functions or sentence.threads or sentence.unknown):
            yield from _open(sentence)
        yield from _beyond(sentence, taken)

    def _stated(self, sentence: Sentence, taken: list[tuple[int, int]]) -> Iterator[Related]:
        """Those that a wording fits; their places are added to `taken`."""
        text = sentence.template
        lowered = in_small_letters(text)
        for wording in relation_words().wordings:
            for match in wording.matches(lowered):
                start, end = match.span()
                if any(a < end and start < b for a, b in taken):
                    continue
                taken.append((start, end))
                named = {key: value for key, value in match.groupdict().items() if value}
                verdict = self._verdict(sentence, wording, named, match)
                if wording.relation == "calls" and not wording.is_denied and match[0][-1:] == named.get("b"):
                    verdict, end = self._also(sentence, wording, named, match, verdict)
                absent = tuple(_subjects(sentence, named)) if wording.relation == "absent" else ()
                counted = {ord(value) - ord(FIGURE) for value in named.values() if FIGURE <= value < UNKNOWN}
                yield Related(sentence.place(start), sentence.end_of(end), verdict, frozenset(counted), absent)
        for match in relation_words().compared.finditer(text):
            if any(a < match.end() and match.start() < b for a, b in taken):
                continue
            if compared := self._compared(sentence, match["a"], match["b"], match["how"]):
                taken.append(match.span())
                yield Related(sentence.place(match.start()), sentence.end_of(match.end()), compared)

    def _verdict(
        self, sentence: Sentence, wording: Wording, named: dict[str, str], match: re.Match[str]
    ) -> Verification:
        text = sentence.template
        if words("HYPOTHETICAL").search(text) or words("NEGATED").search(
            text[max(0, match.start() - 40) : match.start()]
        ):
            return UNCHECKED
        stated = Stated(
            sentence,
            wording.relation,
            wording.is_denied,
            self._subject(sentence, named.get("a")),
            self._subject(sentence, named.get("b")),
            sentence.thread(named["t"]) if "t" in named else None,
            (times_of(named["n"]) if wording.relation == "called times" else self._number(sentence, named["n"]))
            if "n" in named
            else None,
            named.get("most", "most").casefold() == "most",
        )
        return self._decisions.decided(stated)

    def _also(
        self, sentence: Sentence, wording: Wording, named: dict[str, str], match: re.Match[str], verdict: Verification
    ) -> tuple[Verification, int]:
        """`a calls b, c and d`: all of them, or it is not so."""
        rest = _CHAIN.match(sentence.template, match.end())
        for callee in re.findall(FUNCTIONS, rest[0]) if rest else ():
            one = self._verdict(sentence, wording, named | {"b": callee}, match)
            if one.status != "verified":
                verdict = one
        return verdict, rest.end() if rest else match.end()

    def _subject(self, sentence: Sentence, character: str | None) -> Subject | None:
        return sentence.function(character) if character and FUNCTION <= character < THREAD else None

    def _number(self, sentence: Sentence, text: str) -> int | None:
        if FIGURE <= text < UNKNOWN:
            value = sentence.figure(text).mentions[0].value
            return int(value) if value < MOST_COUNTED else None
        digits = "".join(one for one in text if one.isdigit())
        return (
            int(digits)
            if digits
            else _ORDINALS.get(text.casefold().rstrip("n") if text.casefold() == "einen" else text.casefold())
        )

    def _compared(self, sentence: Sentence, one: str, other: str, how: str) -> Verification | None:
        """`a takes more than b`, by every measure that the words allow."""
        how = _AFTER_FIGURES.sub("", how)
        smaller, larger = words("SMALLER").search(how), words("LARGER").search(how)
        if not (smaller or larger):
            return None
        if words("HYPOTHETICAL").search(sentence.template) or words("NEGATED").search(how):
            return UNCHECKED
        a, b = sentence.function(one), sentence.function(other)
        if larger is None or (smaller is not None and smaller.start() > larger.start()):
            a, b = b, a
        text = sentence.template
        by = by_of(_SO_MANY_TIMES.sub(" ", text))
        kinds: tuple[str, ...] = ("calls", "samples", WITH_CALLEES) if by == ("count",) else by
        if words("MEDIAN").search(text) or words("MEAN").search(text) or words("LONGEST").search(text):
            kinds = (
                ("mean",)
                if words("MEAN").search(text)
                else ("longest",)
                if words("LONGEST").search(text)
                else ("median",)
            )
        found: list[tuple[bool, Measured, Measured]] = []
        for scope in scopes_of(self._measures, sentence):
            if any(one[1].value and one[2].value for one in found):
                break
            medians = [self._measures.percentile(one.numbers, scope, 50.0) for one in (a, b) if kinds == ("median",)]
            if len(medians) == 2 and medians[0] and medians[1]:
                found.append((medians[0].value > medians[1].value, medians[0], medians[1]))
            left_, right = (self._measures.of(scope.heavy(one.numbers), scope) for one in (a, b))
            found += [
                (m.value > other.value, m, other)
                for m in left_
                for other in right
                if m.measure in kinds and m.measure == other.measure
            ]
        found = [one for one in found if one[1].value or one[2].value]
        if not found or len({is_so for is_so, _, _ in found}) > 1:
            return UNCHECKED
        is_so, left, right_ = found[0]
        if is_so and _MULTIPLE.search(how):
            return UNCHECKED
        shown = f"{left.measure} {left.written} ({a.text[:40]}), {right_.written} ({b.text[:40]})"
        return Verification("verified", how=shown) if is_so else Verification("contradicted", actual=shown)


_TIMES = (
    "once a one ein einmal einziges une una",
    "twice two zwei zweimal deux dos",
    "thrice three drei dreimal trois tres",
    "four vier quatre cuatro",
    "five fünf cinq cinco",
    "six sechs seis",
    "seven sieben sept siete",
    "eight acht huit ocho",
    "nine neun neuf nueve",
    "ten zehn dix diez",
)


def times_of(text: str) -> int | None:
    """How many times `twice`, `a single time` or `dreimal` are."""
    first = text.split(maxsplit=1)[0].casefold().removesuffix("mal")
    return next((count for count, several in enumerate(_TIMES, start=1) if first in several.split()), None)


def _open(sentence: Sentence) -> Iterator[Related]:
    """What a sentence claims of functions in words that no wording fits."""
    text = sentence.template
    if not (sentence.functions or sentence.threads) or "?" in text:
        return
    if sentence.figures:
        known = relation_words()
        is_of_several = len({one.numbers for one in sentence.functions}) > 1
        for match in [*known.ranked.finditer(text), *(known.most_of.finditer(text) if is_of_several else ())]:
            yield Related(sentence.place(match.start()), sentence.end_of(match.end()), UNCHECKED)
    elif sentence.functions and relation_words().triggers.search(text):
        lead = len(sentence.text) - len(sentence.text.lstrip(" \n*#>-|"))
        end = sentence.start + len(sentence.text.rstrip())
        yield Related(sentence.start + lead, end, UNCHECKED)


def _beyond(sentence: Sentence, taken: Sequence[tuple[int, int]]) -> Iterator[Related]:
    """What a sentence claims next to its figures, in words that nothing decided: right figures do not make it true."""
    if not sentence.figures or "?" in sentence.template:
        return
    for match in relation_words().beyond.finditer(sentence.template):
        if not any(a < match.end() and match.start() < b for a, b in taken):
            yield Related(sentence.place(match.start()), sentence.end_of(match.end()), UNCHECKED)


def _subjects(sentence: Sentence, named: dict[str, str]) -> Iterator[Subject]:
    for value in named.values():
        if value >= UNKNOWN:
            yield sentence.unknown[ord(value) - ord(UNKNOWN)]
