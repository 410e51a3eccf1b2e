"""The first of all: `the most expensive function by its own time is f`, `f, the most frequently called method`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures, Scope
from server.agent.verification.statements.relation_decisions import NO_FUNCTION
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FUNCTIONS, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import Verification
from traces.lazy_regex import lazy_regex
from traces.values import Counts

_CLAUSE = lazy_regex(r"[.;](?=\s|$)|\s[–—]\s|\b(?:but|while|whereas|aber|während|mais|tandis que|pero|mientras)\b")
_OF_THREADS = lazy_regex(r"\W*(?:threads?|workers?|process(?:es)?|profiles?|fil|hilo)\b", re.IGNORECASE)
"""What stands behind the first of threads: of no function."""
_NAMED = lazy_regex(r"\bnamed (?=function|method|frame|entry)", re.IGNORECASE)
_NO_NAME = lazy_regex(r"0x[0-9a-f]+|\[[^\]]*\]|\(?unknown\)?", re.IGNORECASE)
LITTLE, MUCH = 0.03, 0.1
"""Shares that hardly count, and that do."""
NEARLY = 0.98
"""Of the first one's value: who is so near to it may be called the first."""


@dataclass(frozen=True)
class Superlatives:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """Who is called the first of all functions, by what."""
        text = sentence.template
        if (
            not sentence.functions
            or words("HYPOTHETICAL").search(text)
            or words("QUALIFIED").search(_NAMED.sub(" ", text))
        ):
            return
        yield from self._negligible(sentence)
        places = [(match, 2) for match in cue("SECOND").finditer(text)]
        behind = {match.start() for match, _ in places}
        firsts = [match for match in cue("TOP").finditer(text) if match.start() not in behind]
        for match, place in [*places, *((match, 1) for match in firsts)]:
            if _OF_THREADS.match(text, match.end()):
                continue
            start = max((end.end() for end in _CLAUSE.finditer(text, 0, match.start())), default=0)
            stop = next((end.start() for end in _CLAUSE.finditer(text, match.end())), len(text))
            if (place == 1 and cue("NOT_TOP").search(text, start, match.start())) or cue("OF_SOME").search(
                text, start, stop
            ):
                continue
            named = [sentence.function(one) for one in re.findall(FUNCTIONS, text[start:stop])]
            if not named or (place == 1 and len({one.numbers for one in named}) != 1):
                continue
            one = named[0] if place == 1 else _nearest(sentence, start, match, stop)
            verdict = self._decided(sentence, one, text[start:stop], match[0], place)
            if verdict and (verdict.is_proven or not one.is_one_place):
                yield Reading(match.start(), match.end(), verdict)

    def _decided(self, sentence: Sentence, a: Subject, clause: str, said: str, place: int) -> Verification | None:
        """By every measure that the words allow, in every profile that they may mean."""
        of_calls = cue("BY_COUNT").search(said) is not None
        bare = words("BASE").sub(" ", clause)
        own, total = words("SELF").search(bare), words("TOTAL").search(bare)
        kinds = ["self"] if own and not total else ["total"] if total and not own else ["self", "total"]
        kinds = ["count"] if of_calls else kinds
        wrong = ""
        for scope in scopes_of(self.measures, sentence):
            if of_calls and scope.chosen.counts is Counts.NONE:
                continue
            for kind in kinds:
                values = self._values(scope, kind)
                every = self._order(scope, kind)
                order = [one for one in every if not self._is_no_function(one)]
                if len(order) < place:
                    continue
                if any(one in a.numbers for one in (*every[place - 1 : place], *order[place - 1 : place])):
                    return Verification("verified", how=f"place {place} by {kind} in {scope.chosen.handle}")
                mine = max(float(values[one]) for one in a.numbers)
                if place == 1 and (mine >= NEARLY * float(values[order[0]]) or self._is_top(scope, kind, a)):
                    return Verification("verified", how=f"the first by {kind} in {scope.chosen.handle}")
                name = self.measures.trace.frame_name(order[place - 1])[:60]
                wrong = wrong or f"place {place} by {kind} is {name}"
        return Verification("contradicted", actual=wrong) if wrong else None

    def _negligible(self, sentence: Sentence) -> Iterator[Reading]:
        """`f hardly costs anything`."""
        text = sentence.template
        for match in cue("NEGLIGIBLE").finditer(text):
            start = max((end.end() for end in _CLAUSE.finditer(text, 0, match.start())), default=0)
            named = [sentence.function(one) for one in re.findall(FUNCTIONS, text[start : match.start()])]
            if len({one.numbers for one in named}) != 1 or named[0].is_one_place or cue("ITS_OWN").search(text):
                continue
            shares = []
            for scope in scopes_of(self.measures, sentence):
                own, total = scope.under(None, named[0].numbers)
                shares += [(total if words("TOTAL").search(text) else own) / scope.total] if scope.total else []
            shown = " or ".join(dict.fromkeys(f"{100 * one:.1f}%" for one in shares))
            if shares and max(shares) <= LITTLE:
                yield Reading(match.start(), match.end(), Verification("derived", how=shown))
            elif shares and min(shares) >= MUCH:
                yield Reading(match.start(), match.end(), Verification("contradicted", actual=shown))

    def _is_top(self, scope: Scope, kind: str, a: Subject) -> bool:
        """Whether several frames of its name are the first together."""
        if kind != "self" or len(a.numbers) == 1:
            return False
        values = scope.by_frame.self_value
        return bool(sum(float(values[one]) for one in a.numbers) >= NEARLY * float(max(values)))

    def _is_no_function(self, frame: int) -> bool:
        name = self.measures.trace.frame_name(frame)
        return NO_FUNCTION.fullmatch(name) is not None or _NO_NAME.fullmatch(name) is not None

    def _values(self, scope: Scope, kind: str) -> npt.NDArray[Any]:
        rows = scope.by_frame
        return {"self": rows.self_value, "total": rows.total_value, "count": rows.count}[kind]

    def _order(self, scope: Scope, kind: str) -> list[int]:
        return {"self": scope.self_order, "total": scope.total_order, "count": scope.count_order}[kind][:8]


def _nearest(sentence: Sentence, start: int, match: re.Match[str], stop: int) -> Subject:
    """Who is second: what is named directly behind the words, or what stands before them."""
    text = sentence.template
    behind = re.match(rf"\W{{0,3}}({FUNCTIONS})", text[match.end() : stop])
    before, after = re.findall(FUNCTIONS, text[start : match.start()]), re.findall(FUNCTIONS, text[match.end() : stop])
    return sentence.function(behind[1] if behind else before[-1] if before else after[0])
