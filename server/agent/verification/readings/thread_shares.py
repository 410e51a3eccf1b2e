"""How much of its time a thread is busy, waits or idles, in words: `idle for more than half of the recording`. In a
recording of one thread also where nobody names it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.readings.origins import Amount, amount_of
from server.agent.verification.statements.agreement import ABOUT, NOT_ABOUT
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.recording_figures import STATES
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence, Subject
from server.agent.verification.statements.shared_figures import scopes_of
from server.agent.verification.verdicts import Verification
from traces.analysis.thread_time import ThreadTime, View, busy_time, thread_time
from traces.lazy_regex import lazy_regex

_PIECE = lazy_regex(r"[.,;:](?=\s|$)|\s[–—]\s|\b(?:and|und|et|y|rather|statt|plutôt|en lugar)\b")


_CONSTANTLY = lazy_regex(
    r"\b(?:constantly|continuously|permanently|fully|the (?:whole|entire) time|throughout|durchgehend|ständig|dauernd|"
    r"voll|permanent|constamment|en permanence|pleinement|tout le temps|constantemente|continuamente|todo el tiempo)\b",
    re.IGNORECASE,
)
MOSTLY_ALL = (0.85, 1.01)
_OF_PROCESSORS = lazy_regex(
    r"\bof (?:one|an?|the|each|all|both|\d+|two|four|eight) (?:processors?|cores?|cpus?)\b", re.IGNORECASE
)
"""What is busy is then a part of a machine, and no thread: `a quarter of one processor was busy`."""
_ITS_MAIN = lazy_regex(r"\b(?:its|su|son|seine?m?|ihre?m?) (?:main|hilo|thread|fil|haupt)", re.IGNORECASE)
_COLLECTS = lazy_regex(r"garbage|\bgc\b|GC$|collect", re.IGNORECASE)


@dataclass(frozen=True)
class ThreadShares:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        is_denied = words("NEGATED").search(cue("HARDLY").sub(" ", text))
        if words("HYPOTHETICAL").search(text) or is_denied or sentence.window:
            return
        if not sentence.functions:
            begins = [0, *(end.end() for end in _PIECE.finditer(text))]
            for begin, end in pairwise([*begins, len(text)]):
                yield from self._states(sentence, begin, end)
        yield from self._of_collectors(sentence)
        yield from self._of_two(sentence)

    def _states(self, sentence: Sentence, begin: int, end: int) -> Iterator[Reading]:
        """In which state a thread mostly is, by one piece of a sentence."""
        text = sentence.template
        states = [(found, name) for name, way in STATES.items() if (found := way.search(text, begin, end))]
        times, amount = self._times(sentence), amount_of(sentence, begin, end)
        if constant := _CONSTANTLY.search(text, begin, end):
            amount = Amount(*MOSTLY_ALL, *constant.span(), name="NEARLY_ALL") if amount is None else amount
        if len(states) != 1 or not times or amount is None or amount.name in ("ALL", "NONE"):
            return
        if _OF_PROCESSORS.search(text, begin, end):
            return
        found, state = states[0]
        if any((state == "waiting" and one.unknown) or (state != "busy" and one.by is View.SUMS) for one in times):
            return
        shares = [getattr(one, state) / one.length for one in times]
        shown = " or ".join(dict.fromkeys(f"{100 * share:.0f}% {state}" for share in shares))
        others = ((amount.start, amount.end),)
        may_be = shares + [1 - one.busy / one.length for one in times if state == "idle"]
        if all(amount.has(share) for share in shares):
            proven = Verification("derived", how=shown)
            yield Reading(found.start(), found.end(), proven, amount.figures, others)
        elif not any(amount.is_near(share) for share in may_be):
            wrong = Verification("contradicted", actual=shown)
            yield Reading(found.start(), found.end(), wrong, amount.figures, others)

    def _of_collectors(self, sentence: Sentence) -> Iterator[Reading]:
        """`Garbage collection accounts for a third`: wrong where it is that of nothing."""
        several = {one.numbers for one in sentence.functions}
        if len(several) != 1 or not sentence.functions[0].is_one_place:
            return
        frames, amount = sentence.functions[0].numbers, amount_of(sentence, 0, len(sentence.template))
        named = [self.measures.trace.frame_name(one) for one in frames]
        if amount is None or not amount.figures or not all(_COLLECTS.search(one) for one in named):
            return
        shares = []
        for scope in [*scopes_of(self.measures, sentence), *self.measures.unnamed, *self.measures.others]:
            busy = sum(busy_time(self.measures.trace, one) for one in scope.chosen.profiles)
            for value in scope.under(None, frames):
                shares += [value / base for base in (scope.total, busy) if base]
        if (
            shares
            and max(shares) > 0
            and not any(abs(one - amount.middle) <= NOT_ABOUT * amount.middle for one in shares)
        ):
            wrong = Verification("contradicted", actual=" or ".join(f"{100 * one:.1f}%" for one in shares[:2]))
            yield Reading(amount.start, amount.end, wrong, amount.figures)

    def _of_two(self, sentence: Sentence) -> Iterator[Reading]:
        """`The ruby process used half as much as cc1`: by what threads are busy."""
        text = sentence.template
        for match in cue("THREAD_BY_THREAD").finditer(text):
            state = next((name for name, way in STATES.items() if way.search(match["how"])), "busy")
            busy = [self._state(sentence.thread(match[key]), state) for key in ("a", "b")]
            figures = [sentence.figure(one) for one in re.findall(FIGURES, match["how"])]
            if not all(busy) or len(figures) > 1 or sentence.functions or self._is_of_another_process(sentence):
                continue
            ratio = busy[0] / busy[1]
            shown = f"{ratio:.3g} times as long {state}"
            if words("SMALLER").search(match["how"]) or words("LARGER").search(match["how"]):
                if figures:
                    continue
                is_so = (ratio < 1) is (words("SMALLER").search(match["how"]) is not None)
            else:
                value = figures[0].mentions[0].value if figures and figures[0].kind == "ratio" else 1.0
                if abs(ratio - value) <= NOT_ABOUT * value and abs(ratio - value) > ABOUT * value:
                    continue
                is_so = abs(ratio - value) <= ABOUT * value
            verdict = Verification("derived", how=shown) if is_so else Verification("contradicted", actual=shown)
            at = frozenset(ord(one) - ord(FIGURE) for one in re.findall(FIGURES, match["how"]))
            yield Reading(match.start(), match.end(), verdict, at)

    def _is_of_another_process(self, sentence: Sentence) -> bool:
        """`Its main thread`: of which process, where there are several, is in other words."""
        several = {one.pid for one in self.measures.trace.profiles if one.pid}
        return len(several) > 1 and _ITS_MAIN.search(sentence.text) is not None

    def _state(self, thread: Subject, state: str) -> float:
        """How long a thread was in it; 0 where that cannot be said of all of it."""
        trace = self.measures.trace
        if state == "busy":
            return float(sum(busy_time(trace, trace.profiles[one]) for one in thread.numbers))
        times = [thread_time(trace, trace.profiles[one]) for one in thread.numbers]
        if any(time is None or time.unknown or time.by is View.SUMS for time in times):
            return 0.0
        return float(sum(getattr(time, state) for time in times))

    def _times(self, sentence: Sentence) -> list[ThreadTime]:
        """Of the one thread that a sentence names, by each of its profiles: its samples, its tasks."""
        trace = self.measures.trace
        if self._is_of_another_process(sentence):
            return []
        numbers = {number for one in sentence.threads for number in one.numbers}
        if not sentence.threads and len(trace.profiles) == 1:
            numbers = {0}
        threads = {(trace.profiles[one].pid, trace.profiles[one].tid or one) for one in numbers}
        found = [thread_time(trace, trace.profiles[one]) for one in sorted(numbers)] if len(threads) == 1 else []
        return [one for one in found if one is not None and one.length]
