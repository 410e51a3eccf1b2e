"""Several functions in the order of what they take: `the top three by self time are f, g and h`, `f is the hottest,
followed by g`, `after f, the function with the most self time is g`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.readings.recording_sizes import number_of
from server.agent.verification.readings.several_functions import FUNCTION_LIST, functions_of_list
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures, Scope
from server.agent.verification.statements.relation_decisions import NO_FUNCTION
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FUNCTIONS, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.values import Counts

_CLAUSE = re.compile(r"[.;](?=\s|$)|\s[–—]\s|\b(?:but|while|whereas|aber|während|mais|tandis que|pero|mientras)\b")
_LIST = re.compile(FUNCTION_LIST, re.IGNORECASE)
_A_NUMBER = re.compile(r"[^\W\d_]+|\d+|[\ue800-\uebff]")
FEW = 12
"""Rows of a ranking that a sentence may list."""


@dataclass(frozen=True)
class Order:
    """Functions by one measure of one profile, the largest first; in `alone` without what is no function."""

    name: str
    values: npt.NDArray[Any]
    every: Sequence[int]
    alone: Sequence[int]

    def are_first(self, named: Sequence[Subject]) -> bool:
        """Whether they are the first so many: of equal ones any may be. Who names what is no function counts it."""
        is_of_all = any(not set(one.numbers) & set(self.alone) for one in named)
        lists = [one for one in ([self.every] if is_of_all else [self.every, self.alone]) if len(one) >= len(named)]
        mine = [max(float(self.values[one]) for one in subject.numbers) for subject in named]
        return min(mine) > 0 and any(min(mine) >= float(self.values[one[len(named) - 1]]) for one in lists)

    def is_behind(self, a: Subject, b: Subject) -> bool:
        """Whether `b` comes directly after `a`: nothing that is a function lies between."""
        upper, lower = (max(float(self.values[one]) for one in x.numbers) for x in (a, b))
        between = [one for one in self.alone if lower < float(self.values[one]) < upper]
        return upper >= lower > 0 and set(between) <= {*a.numbers, *b.numbers}


@dataclass(frozen=True)
class Rankings:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """Which functions a sentence says to be the first ones, or one behind the other."""
        text = sentence.template
        if len({one.numbers for one in sentence.functions}) < 2 or words("HYPOTHETICAL").search(text):
            return
        yield from self._first_ones(sentence)
        yield from self._one_behind(sentence)

    def _first_ones(self, sentence: Sentence) -> Iterator[Reading]:
        """`The three most expensive functions are f, g and h`: all of them, in whichever order."""
        text = sentence.template
        for found in cue("FIRST_ONES").finditer(text):
            start, stop = _clause(text, found)
            listed = _LIST.search(text, found.end(), stop) or _LIST.search(text, start, found.start())
            if listed is None:
                continue
            named, place = functions_of_list(sentence, listed[0]), (found.start(), found.end())
            count = next((one for word in _A_NUMBER.findall(found[0]) if (one := number_of(sentence, word))), None)
            is_open = words("NEGATED").search(text, start, stop) or cue("OF_SOME").search(text, start, stop)
            if is_open or len(named) > FEW or any(one.is_one_place for one in named) or (count or len(named)) < 2:
                yield Reading(*place, UNCHECKED)
            elif count is None or count == len(named):
                yield Reading(*place, self._all_among(sentence, named, text[start:stop], found[0]))
            else:
                yield Reading(*place, UNCHECKED)

    def _all_among(self, sentence: Sentence, named: list[Subject], clause: str, said: str) -> Verification:
        wrong = ""
        for order in self._orders(sentence, clause, said):
            if order.are_first(named):
                return Verification("verified", how=f"the first {len(named)} by {order.name}")
            wrong = wrong or self._shown(order, len(named))
        return Verification("contradicted", actual=wrong) if wrong else UNCHECKED

    def _one_behind(self, sentence: Sentence) -> Iterator[Reading]:
        """`F is the hottest, followed by g`; `after f, the function with the most self time is g`."""
        text = sentence.template
        chains = [(one, re.findall(FUNCTIONS, one[0])) for one in cue("RANKED_BEHIND").finditer(text)]
        for found, named in chains:
            start, stop = _clause(text, found)
            is_rank = cue("TOP").search(text, start, stop) or cue("LARGEST").search(text, start, stop)
            if not is_rank or cue("OF_SOME").search(text, start, stop) or words("NEGATED").search(text, start, stop):
                continue
            several = [sentence.function(one) for one in dict.fromkeys(named)]
            verdict = self._in_order(sentence, several, text[start:stop])
            yield Reading(found.start(), found.end(), verdict, is_more=True)

    def _in_order(self, sentence: Sentence, named: list[Subject], clause: str) -> Verification:
        wrong = ""
        for order in self._orders(sentence, clause, clause):
            if all(order.is_behind(a, b) for a, b in pairwise(named)):
                return Verification("verified", how=f"in this order by {order.name}")
            wrong = wrong or self._shown(order, len(named) + 1)
        return Verification("contradicted", actual=wrong) if wrong else UNCHECKED

    def _orders(self, sentence: Sentence, clause: str, said: str) -> Iterator[Order]:
        """By every measure that the words allow, in every profile that they may mean."""
        bare = words("BASE").sub(" ", clause)
        own, total = words("SELF").search(bare), words("TOTAL").search(bare)
        kinds = ["self"] if own and not total else ["total"] if total and not own else ["self", "total"]
        if cue("BY_COUNT").search(said) and not own and not total:
            kinds = ["count"]
        for scope in scopes_of(self.measures, sentence):
            for kind in kinds:
                if kind != "count" or scope.chosen.counts is not Counts.NONE:
                    yield self._order(scope, kind)

    def _order(self, scope: Scope, kind: str) -> Order:
        rows, trace = scope.by_frame, self.measures.trace
        values = {"self": rows.self_value, "total": rows.total_value, "count": rows.count}[kind]
        every = {"self": scope.self_order, "total": scope.total_order, "count": scope.count_order}[kind]
        alone = [one for one in every if not NO_FUNCTION.fullmatch(trace.frame_name(one))]
        return Order(f"{kind} in {scope.chosen.handle}", values, every, alone)

    def _shown(self, order: Order, count: int) -> str:
        names = [self.measures.trace.frame_name(one)[:50] for one in order.every[:count]]
        return f"by {order.name}: {', '.join(names)}" if names else ""


def _clause(text: str, found: re.Match[str]) -> tuple[int, int]:
    """From where to where the part of a sentence goes in which something was found."""
    start = max((end.end() for end in _CLAUSE.finditer(text, 0, found.start())), default=0)
    return start, next((end.start() for end in _CLAUSE.finditer(text, found.end())), len(text))
