"""Whether the sentence around a figure speaks of the function that its address names.

A link says of which function its figure is, so a figure that is right there may still stand in a sentence about another
function, a difference or a wait. Then nobody can say that the sentence is true: it is unchecked, and the reader sees of
what the figure is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from server.agent.verification.claims import claims_of
from server.agent.verification.recompute import Recomputation
from server.agent.verification.statements.measure_words import MeasureWords, words
from server.agent.verification.statements.named_subjects import MAIN_THREAD, Subjects
from server.agent.verification.statements.recording_figures import STATES
from server.agent.verification.statements.sentence_parts import FIGURE, Sentence
from server.agent.verification.statements.waiting_claims import NO_WAIT, clause_at, says_it_waits
from traces.lazy_regex import lazy_regex
from traces.model import Trace
from traces.values import Role

_OF_CALLS: dict[str, MeasureWords] = {
    "p50": "MEDIAN",
    "max": "LONGEST",
    "mean": "MEAN",
    "p99": "PERCENTILE",
    "p95": "PERCENTILE",
}
_COUNTED: dict[str, MeasureWords] = {"calls": "CALLS", "samples": "SAMPLES"}
OTHER_MEASURE = "its sentence says another measure"
FAR = 3
"""Sentences back in which the function of `it takes 5 ms` may be named."""
_PRONOUN = lazy_regex(
    r"\W*(?:(?:and|about|of|for|or)\s)?(?:it|its|that|this|they|their|both|es|das|dies|beide|ce|c['’]|il|elle|esto|eso)\b",
    re.IGNORECASE,
)
_NO_DENIAL = lazy_regex(
    r"\b(?:no|not|nicht|pas) (?:more|less|longer|fewer|only|just|mehr|länger|weniger|nur|plus|moins|seulement)\b|"
    r"\bn['’e] ?\w+ [^.,]{0,30}?\bque?\b['’]?|\b(?:nothing|nichts|rien) (?:else|anderes|d'autre)\b",
    re.IGNORECASE,
)
"""What bounds or restricts and denies nothing: `no more than 5 ms`, `n'est appelée que par f`."""
_OTHER_BASE = lazy_regex(
    r" (?:of|von|de|du) (?:(?:that|this|its|the) (?:function|caller|method|callee|parent)|"
    r"[^.,;|]{0,40}\b(?:busy|active|CPU|idle)[ -]time)",
    re.IGNORECASE,
)
_AS_DIFFERENCE = lazy_regex(r"\b(?:by|um|de|por)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class FigureSubjects:
    """The sentences of one answer, and the question: its functions are those of a first `it takes 5 ms`."""

    trace: Trace
    sentences: Sequence[Sentence]
    question: str

    def why_unchecked(self, at: int, place: int, frames: frozenset[int], measure: str) -> str | None:
        """Why a figure of these functions, the `place`th of the `at`th sentence, does not show that what the sentence
        says is true; None where it speaks of them."""
        sentence = self.sentences[at]
        if len(sentence.figures) == 1 and _is_other_measure(sentence.template, measure):
            return OTHER_MEASURE
        if measure in _COUNTED and _is_counted_otherwise(sentence, place, measure):
            return OTHER_MEASURE
        if not self._speaks_of(at, frames):
            return "its sentence does not speak of it"
        if self._has_unknown_main and MAIN_THREAD.search(sentence.template):
            return "which thread is the main one is not recorded"
        where = sentence.template.find(chr(ord(FIGURE) + place))
        before, clause = sentence.template[:where], clause_at(sentence, where)
        compares = words("LARGER").search(before) or words("SMALLER").search(before)
        if compares and _AS_DIFFERENCE.search(before):
            return "it is no difference"
        if _OTHER_BASE.match(sentence.template[where + 1 :]):
            return "its sentence has another base"
        if words("NEGATED").search(_NO_DENIAL.sub(" ", clause)):
            return "its sentence denies something"
        if says_it_waits(self.trace, sentence, where, frames):
            return NO_WAIT
        return None

    def why_not_of_thread(self, at: int, profile: int, measure: str) -> str | None:
        """The same of a profile's figure: where its sentence names others, or says another of busy, waiting, idle."""
        sentence = self.sentences[at]
        if sentence.threads and not any(profile in one.numbers for one in sentence.threads):
            return "its sentence speaks of another thread"
        said = {name for name, pattern in STATES.items() if pattern.search(sentence.template)}
        return OTHER_MEASURE if measure in STATES and said and measure not in said else None

    def _speaks_of(self, at: int, frames: frozenset[int]) -> bool:
        """Whether the sentence names one of the functions; without any name, whether the last one before it does, or
        the question. A pronoun that stands for nothing named is of what its figure is of."""
        for sentence in reversed(self.sentences[max(at - FAR, 0) : at + 1]):
            if sentence.functions:
                return any(frames & set(one.numbers) for one in sentence.functions)
        if self._asked:
            return bool(frames & self._asked)
        return _PRONOUN.match(self.sentences[at].template) is not None

    @cached_property
    def _has_unknown_main(self) -> bool:
        return len(self.trace.profiles) > 1 and not any(one.role is Role.MAIN for one in self.trace.profiles)

    @cached_property
    def _asked(self) -> frozenset[int]:
        subjects = Subjects(self.trace, Recomputation(self.trace))
        functions = subjects.of(self.question, claims_of(self.question))[0]
        return frozenset(frame for one in functions for frame in one.numbers)


def _is_counted_otherwise(sentence: Sentence, place: int, measure: str) -> bool:
    """Whether a sentence says calls of samples, or samples of calls, and never what the figure is."""
    where = sentence.template.find(chr(ord(FIGURE) + place))
    near = clause_at(sentence, where)
    other = "CALLS" if measure == "samples" else "SAMPLES"
    return not words(_COUNTED[measure]).search(near) and words(other).search(near) is not None


def _is_other_measure(text: str, measure: str) -> bool:
    """Whether a sentence with one figure speaks of single calls by another measure than the figure's."""
    named = [name for name, kind in _OF_CALLS.items() if words(kind).search(text)]
    return measure in _OF_CALLS and bool(named) and measure not in named
