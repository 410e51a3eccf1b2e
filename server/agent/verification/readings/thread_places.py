"""On which threads a function runs, where a sentence lists several, and which thread of several does the most."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import THREADS, Sentence
from server.agent.verification.statements.stack_relations import StackRelations
from server.agent.verification.verdicts import Verification
from traces.analysis.thread_time import busy_time
from traces.values import Unit

_OF_SOME = re.compile(
    r"\b(?:of|among|von|unter|parmi|de|des|entre)\b(?: (?:the|all|den|allen|les|los|las|todos))* "
    r"(?P<kind>tasks?|workers?|pool|others?|threads?|processes|Aufgaben|Arbeiter\w*|tâches?|ouvriers?|tareas?|hilos?|fils)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:only|nur|ausschließlich|seulement|uniquement|solo|sólo|únicamente|exclusively)\b", re.IGNORECASE
)
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class ThreadPlaces:
    """Reads the sentences of answers about one trace."""

    measures: Measures
    stacks: StackRelations

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        if not sentence.threads or words("HYPOTHETICAL").search(text):
            return
        yield from self._places(sentence)
        yield from self._most(sentence)

    def _places(self, sentence: Sentence) -> Iterator[Reading]:
        """`F runs on t and u, but never on v`: on each of those, and not on this."""
        text = sentence.template
        for match in cue("RUNS_ON").finditer(text):
            if words("NEGATED").search(match["how"]):
                continue
            frames = sentence.function(match["a"]).numbers
            named = [sentence.thread(one) for one in re.findall(THREADS, match["list"])]
            shown = f"it runs on {self.stacks.threads(frames)}"
            is_so = all(self.stacks.runs_on(frames, one.numbers) for one in named)
            if is_so and _ONLY.search(match["how"]):
                is_so = not self.stacks.runs_elsewhere(frames, [number for one in named for number in one.numbers])
            yield self._read(match.start(), match.end(), shown, is_so=is_so)
            if denied := cue("RUNS_NOT_ON").match(text, match.end()):
                is_there = self.stacks.runs_on(frames, sentence.thread(denied["t"]).numbers)
                yield self._read(denied.start(), denied.end(), shown, is_so=not is_there)

    def _read(self, start: int, end: int, shown: str, *, is_so: bool) -> Reading:
        verdict = Verification("verified", how=shown) if is_so else Verification("contradicted", actual=shown)
        return Reading(start, end, verdict, is_more=True)

    def _most(self, sentence: Sentence) -> Iterator[Reading]:
        """`Of the workers, t does the most work`: by what threads are busy, those of its kind or all."""
        text, trace = sentence.template, self.measures.trace
        if words("NEGATED").search(text) or sentence.window:
            return
        for match in cue("MOST_WORK").finditer(text):
            mine = sentence.thread(match["t"]).numbers
            of_some = _OF_SOME.search(text, 0, match.start())
            stems = {_stem(trace.profiles[number].name) for number in mine}
            busy = {
                one.index: busy_time(trace, one)
                for one in trace.profiles
                if one.unit is Unit.NANOSECONDS
                if not of_some or of_some["kind"].casefold().startswith("thread") or _stem(one.name) in stems
            }
            if len(busy) < 2 or sentence.functions or not set(mine) <= set(busy):
                continue
            most = max(busy, key=lambda index: busy[index])
            is_so = max(busy[number] for number in mine) >= busy[most] * (1 - NEARLY)
            yield self._read(match.start(), match.end(), f"{trace.profiles[most].name[:60]} is busiest", is_so=is_so)


NEARLY = 0.02
"""Threads that differ by less are both the busiest."""


def _stem(name: str) -> str:
    """A thread's name without its numbers: what all workers of a pool share."""
    return _NUMBERS.sub("#", name.partition(" tasks")[0])
