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
from traces.values import Counts

_CLAUSE = re.compile(r"[.;](?=\s|$)|\s[–—]\s|\b(?:but|while|whereas|aber|während|mais|tandis que|pero|mientras)\b")
NEARLY = 0.98
"""Of the first one's value: who is so near to it may be called the first."""


@dataclass(frozen=True)
class Superlatives:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """Who is called the first of all functions, by what."""
        text = sentence.template
        if not sentence.functions or words("HYPOTHETICAL").search(text) or words("QUALIFIED").search(text):
            return
        for match in cue("TOP").finditer(text):
            start = max((end.end() for end in _CLAUSE.finditer(text, 0, match.start())), default=0)
            stop = next((end.start() for end in _CLAUSE.finditer(text, match.end())), len(text))
            if cue("NOT_TOP").search(text, start, match.start()) or cue("OF_SOME").search(text, start, stop):
                continue
            named = [sentence.function(one) for one in re.findall(FUNCTIONS, text[start:stop])]
            if len({one.numbers for one in named}) != 1 or named[0].is_one_place:
                continue
            if verdict := self._decided(sentence, named[0], text[start:stop], match[0]):
                yield Reading(match.start(), match.end(), verdict)

    def _decided(self, sentence: Sentence, a: Subject, clause: str, said: str) -> Verification | None:
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
                order = [one for one in self._order(scope, kind) if not self._is_no_function(one)]
                if not order:
                    continue
                mine = max(float(values[one]) for one in a.numbers)
                if mine >= NEARLY * float(values[order[0]]) or self._is_top(scope, kind, a):
                    return Verification("verified", how=f"the first by {kind} in {scope.chosen.handle}")
                name = self.measures.trace.frame_name(order[0])[:60]
                wrong = wrong or f"the first by {kind} is {name}"
        return Verification("contradicted", actual=wrong) if wrong else None

    def _is_top(self, scope: Scope, kind: str, a: Subject) -> bool:
        """Whether several frames of its name are the first together."""
        if kind != "self" or len(a.numbers) == 1:
            return False
        values = scope.by_frame.self_value
        return bool(sum(float(values[one]) for one in a.numbers) >= NEARLY * float(max(values)))

    def _is_no_function(self, frame: int) -> bool:
        return NO_FUNCTION.fullmatch(self.measures.trace.frame_name(frame)) is not None

    def _values(self, scope: Scope, kind: str) -> npt.NDArray[Any]:
        rows = scope.by_frame
        return {"self": rows.self_value, "total": rows.total_value, "count": rows.count}[kind]

    def _order(self, scope: Scope, kind: str) -> list[int]:
        return {"self": scope.self_order, "total": scope.total_order, "count": scope.count_order}[kind][:8]
