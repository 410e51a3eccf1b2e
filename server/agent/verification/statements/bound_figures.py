"""A figure that a sentence says of functions, compared with what the trace says of that function, measure and base."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from server.agent.verification.claims import Claim
from server.agent.verification.facts import OF_UNIT, Facts
from server.agent.verification.statements import shared_figures
from server.agent.verification.statements.agreement import Agreement
from server.agent.verification.statements.calls_between import calls_between
from server.agent.verification.statements.figure_binding import base_of, of_its_thread, subjects_of
from server.agent.verification.statements.measure_binding import OF_EVERY_CALL, is_named_near, measures_of
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import WITH_CALLEES, Measured, Measures, Scope
from server.agent.verification.statements.recording_figures import SOME_THREAD
from server.agent.verification.statements.sentence_parts import FIGURES, SHOWN, THREADS, Sentence, Subject
from server.agent.verification.statements.shared_figures import Figure, of_its_own, scopes_of
from server.agent.verification.statements.value_words import names_value
from server.agent.verification.statements.waiting_claims import NO_WAIT, says_it_waits
from server.agent.verification.verdicts import AMBIGUOUS, NOT_MEASURED, UNCHECKED, Verification
from server.agent.verification.written_numbers import Dimension, Mention
from traces.analysis.recorded_edges import recorded_edges
from traces.lazy_regex import lazy_regex

FEW_SAMPLES = 12
"""Numbers up to it are of anything."""
_KEYS = {
    "self": ("self_value",),
    "total": ("total_value",),
    "self share": ("self_share",),
    "total share": ("total_share",),
    "calls": ("count", "calls"),
    "samples": ("count", "samples"),
    WITH_CALLEES: ("count", "samples"),
    "mean": ("mean", "average"),
    "longest": ("longest", "max"),
}
"""Under which keys tools return a measure."""

_OF_ANOTHER = lazy_regex(rf" (?:out of|of|von|de|sur) (?:the |den |les )?{FIGURES}", re.IGNORECASE)
"""`97 of 105 samples`: of another figure, which is of one of the functions."""
_OF_ITS_OWN = lazy_regex(r"\b(?:of|von|de) (?:its|their|seinen|ihren|ses) $", re.IGNORECASE)
_PART = lazy_regex(rf"{THREADS}|\b(?:but|and|while|aber|und|mais|et|pero|y)\b", re.IGNORECASE)
"""Where a sentence may go over to another thread."""
_EACH_OF = lazy_regex(r"\b(?:each|every) (?:time|call)\b|\b(?:per|a) call\b", re.IGNORECASE)
SPREAD = 3.0
"""From here on calls do not each take what they take on average."""
IN_WINDOW = 0.3
"""A window is written in round numbers: what lies this near is not called wrong."""


@dataclass(frozen=True)
class BoundFigures:
    """Judges the figures of sentences that name functions. None: it is for others to judge."""

    measures: Measures
    facts: Facts

    def judged(self, sentence: Sentence, at: int, claim: Claim, carried: Subject | None = None) -> Verification | None:
        """What becomes of a figure, the `at`th of its sentence; `carried` is the function of a sentence before."""
        if not sentence.is_readable or at >= SHOWN:
            return UNCHECKED
        subject, is_sure = subjects_of(sentence).get(at, (carried, False))
        if subject is None or claim.kind == "window":
            return None
        is_factor = claim.kind == "ratio" and (claim.mentions[0].value >= 1 or _is_in_digits(sentence, claim))
        mention = claim.mentions[0] if is_factor else _as_share(claim)
        figure = Figure(sentence, at, claim, mention, self._scopes(of_its_thread(sentence, at), mention))
        if (between := calls_between(figure)) is not None:
            return between
        if _OF_ITS_OWN.search(sentence.template[: figure.place]) and not is_factor:
            return self._of_its(figure, carried)
        if is_factor:
            return shared_figures.ratio_of(self.measures, figure)
        if (of_more := self._of_more(figure, subject)) is not None:
            return of_more
        is_count = figure.scopes[0].dimension is Dimension.COUNT
        allowed, is_named, percent = measures_of(sentence, at, claim, unit_is_count=is_count)
        if not allowed:
            return None
        figure = replace(figure, allowed=allowed)
        if shared := self._shared(figure, subject, carried):
            return shared
        if percent is not None and not words("MEDIAN_ITSELF").search(sentence.template):
            figure = replace(figure, claim=replace(claim, bound=None))
        return self._alone(figure, subject, percent, is_sure=is_sure, is_named=is_named)

    def _of_more(self, figure: Figure, subject: Subject) -> Verification | None:
        """A share of what the function itself takes, or the second of `185 of 659`."""
        if (of_its := shared_figures.of_its_time(figure, subject)) is not None:
            return of_its
        is_of_all = shared_figures.is_of_all(figure)
        return shared_figures.of_all(self.measures, self.facts, figure) if is_of_all else None

    def _of_its(self, figure: Figure, carried: Subject | None) -> Verification:
        """`424 µs of its 530 ms`: what one of the functions takes in all, or an open question."""
        for subject in (*figure.sentence.functions[:4], *([carried] if carried else [])):
            for scope in figure.scopes:
                for one in self._measured(subject, scope, figure):
                    if one.measure in ("total", "calls", "samples", WITH_CALLEES) and figure.is_right(one.value):
                        return self._right(figure, subject, one)
        return AMBIGUOUS

    def _scopes(self, sentence: Sentence, mention: Mention) -> Sequence[Scope]:
        scopes = scopes_of(self.measures, sentence)
        is_other = (
            mention.dimension in (Dimension.TIME, Dimension.BYTES) and not sentence.threads and not sentence.window
        )
        if not is_other:
            return scopes
        frames = [frame for one in sentence.functions for frame in one.numbers]
        return self.measures.of_home(frames, self.measures.measuring(mention.dimension))

    def _shared(self, figure: Figure, subject: Subject, carried: Subject | None) -> Verification | None:
        """As a figure of more than the one function."""
        found = shared_figures.comes_from(figure) or shared_figures.flow(self.measures, figure, subject, carried)
        found = found or shared_figures.together(figure)
        is_share = found is None and figure.mention.dimension is Dimension.SHARE
        if is_share and (of_its := of_its_own(figure, carried)):
            return of_its
        part = base_of(figure.sentence, figure.at, subject) if is_share else None
        if part is None:
            return found
        of_part = shared_figures.part_of(figure, *part)
        is_of_another = any(shared_figures.part_of(one, *part).is_proven for one in self._neighbours(figure))
        return AMBIGUOUS if is_of_another and not of_part.is_proven else of_part

    def _alone(
        self, figure: Figure, subject: Subject, percent: float | None, *, is_sure: bool, is_named: bool
    ) -> Verification | None:
        """As a figure of the one function that the sentence names for it."""
        found = [one for scope in figure.scopes for one in self._of(subject, scope, figure, percent)]
        right = next((one for one in found if figure.is_right(one.value)), None)
        if right is not None:
            return self._right(figure, subject, right)
        if not figure.sentence.threads and (call := self._returned(subject, figure)):
            return Verification("verified", call)
        if other := self._by_another_value(subject, figure):
            return other
        if not found:
            unmeasured = self._unmeasured(figure.mention.dimension, subject, is_sure=is_sure)
            return self._samples_for_calls(subject, figure) or unmeasured
        if words("HYPOTHETICAL").search(figure.sentence.template):
            return None
        is_open = _is_open(figure, subject, found) or self._is_of_some_thread(figure)
        if not (is_sure and (is_named or _is_plain(figure.sentence))) or is_open:
            return UNCHECKED
        if not figure.sentence.threads and (elsewhere := self._elsewhere(subject, figure)) and not _is_of_all(figure):
            return replace(UNCHECKED, how=f"so only in {elsewhere}")
        if figure.mention.dimension is Dimension.SHARE and _is_near_an_unknown_name(figure):
            return AMBIGUOUS
        if self._may_mean(figure, subject) or self._is_of_outer_calls(figure, subject):
            return AMBIGUOUS
        shown = dict.fromkeys(f"{one.measure} {one.written}" for one in found[:4])
        return Verification("contradicted", actual=", ".join(shown))

    def _right(self, figure: Figure, subject: Subject, right: Measured) -> Verification:
        if figure.sentence.window and figure.scopes[0].window is None:
            return UNCHECKED
        if says_it_waits(self.measures.trace, figure.sentence, figure.place, subject.numbers):
            return replace(UNCHECKED, how=NO_WAIT)
        if spread := self._spread_of_each(figure, subject, right):
            return Verification("contradicted", actual=spread)
        call = self._call(subject, right)
        if figure.claim.bound is not None:
            return Verification("derived", call, f"{right.written} ({right.what})")
        return Verification("verified", call, right.what)

    def _spread_of_each(self, figure: Figure, subject: Subject, right: Measured) -> str:
        """`Each of its calls takes 3 s`, which only their mean does: between which times they last."""
        if right.measure != "mean" or not OF_EVERY_CALL.search(figure.sentence.template):
            return ""
        if words("MEAN").search(_EACH_OF.sub(" ", figure.sentence.template)):
            return ""
        for scope in figure.scopes:
            lasts = self.measures.lasts(subject.numbers, scope)
            if len(lasts) > 1 and float(lasts[-1]) > SPREAD * float(lasts[0]):
                return f"they last {scope.written(float(lasts[0]))} to {scope.written(float(lasts[-1]))}"
        return ""

    def _may_mean(self, figure: Figure, subject: Subject) -> bool:
        """Whether the figure is right in another reading that the sentence leaves open: as another measure than the
        words of other clauses say, as a share of another function that it names, beside a figure that is right."""
        alike = [one for scope in figure.scopes for one in self._measured(subject, scope, figure)]
        is_open = not is_named_near(figure.sentence, figure.at)
        is_one = len(figure.sentence.figures) == len({one.numbers for one in figure.sentence.functions}) == 1
        if is_open and not is_one and any(figure.is_right(one.value) for one in alike):
            return True
        others = [one for one in figure.sentence.functions[:4] if one.numbers != subject.numbers]
        if self._is_share_of(figure, subject, others) or self._is_inside(figure, subject, others):
            return True
        theirs = [one for other in others for scope in figure.scopes for one in self._measured(other, scope, figure)]
        is_more = len(figure.sentence.figures) > len(figure.sentence.functions)
        if is_more and any(figure.is_right(one.value) for one in theirs):
            return True
        is_neighbour = any(one.is_right(value.value) for one in self._neighbours(figure) for value in alike)
        return is_open and not others and is_neighbour

    def _is_of_outer_calls(self, figure: Figure, subject: Subject) -> bool:
        """Whether it is how often the function was called from outside itself."""
        for scope in figure.scopes:
            edges = recorded_edges(scope.chosen, scope.window) if figure.mention.dimension is Dimension.COUNT else None
            if edges and figure.is_right(float(edges.primitive[np.isin(edges.function, subject.numbers)].sum())):
                return True
        return False

    def _unmeasured(self, dimension: Dimension, subject: Subject, *, is_sure: bool) -> Verification:
        """Of what nothing measures of a function: wrong where nothing in the recording measures time, or bytes."""
        profiles = self.measures.trace.profiles
        is_none = all(OF_UNIT[profile.unit] is not dimension and profile.spans is None for profile in profiles)
        if is_sure and is_none and dimension in (Dimension.TIME, Dimension.BYTES):
            return Verification("contradicted", actual=f"the recording has no {dimension.value}")
        return replace(UNCHECKED, how=f"{NOT_MEASURED} {subject.text[:60]}")

    def _samples_for_calls(self, subject: Subject, figure: Figure) -> Verification | None:
        """A number of samples that is called one of calls, which nobody counted; None for any other."""
        if figure.mention.dimension is not Dimension.COUNT or not words("CALLS").search(figure.sentence.template):
            return None
        for one in (one for scope in figure.scopes for one in self._measured(subject, scope, figure)):
            if one.measure == "samples" and one.value > FEW_SAMPLES and figure.is_right(one.value):
                return Verification("contradicted", actual=f"{one.written} samples: calls were not counted")
        return None

    def _is_of_some_thread(self, figure: Figure) -> bool:
        """Whether its part of the sentence, from the thread that is named before it, speaks of another one in words."""
        if len(self.measures.trace.profiles) == 1:
            return False
        text, place = figure.sentence.template, figure.place
        ends = [match.start() for match in _PART.finditer(text) if match.start() < place]
        return SOME_THREAD.search(re.split(r"[.;]", text[max(ends, default=0) :])[0]) is not None

    def _measured(self, subject: Subject, scope: Scope, figure: Figure) -> Iterator[Measured]:
        for one in self.measures.of(subject.numbers, scope):
            if one.dimension is figure.mention.dimension:
                yield one

    def _neighbours(self, figure: Figure) -> Iterator[Figure]:
        """The other figures of its sentence that measure in the same."""
        for at, one in enumerate(figure.sentence.figures[:SHOWN]):
            if at != figure.at and one.mentions[0].dimension is figure.mention.dimension:
                yield replace(figure, at=at, claim=one, mention=one.mentions[0])

    def _is_share_of(self, figure: Figure, subject: Subject, others: Sequence[Subject]) -> bool:
        """Whether it is what part one of them is of another."""
        if figure.mention.dimension is not Dimension.SHARE:
            return False
        wide = replace(figure, allowed=frozenset({"self share", "total share"}))
        pairs = [pair for one in others for pair in ((one, subject), (subject, one))]
        return any(shared_figures.part_of(wide, base, part).is_proven for base, part in pairs)

    def _is_inside(self, figure: Figure, subject: Subject, others: Sequence[Subject]) -> bool:
        """Whether it is what one of them takes below another, or in what the other calls directly."""
        for scope in figure.scopes:
            for one in others:
                for above, below in ((one, subject), (subject, one)):
                    values = self.measures.inside(above.numbers, below.numbers, scope)
                    if any(kind is figure.mention.dimension and figure.is_right(value) for value, kind in values):
                        return True
        return False

    def _of(self, subject: Subject, scope: Scope, figure: Figure, percent: float | None) -> Iterator[Measured]:
        yield from self._alike(self.measures.of(subject.numbers, scope), figure)
        if "percentile" in figure.allowed and percent is not None and figure.mention.dimension is Dimension.TIME:
            for frame in subject.numbers[:4]:
                if measured := self.measures.percentile((frame,), scope, percent):
                    yield measured

    def _alike(self, found: Iterable[Measured], figure: Figure) -> Iterator[Measured]:
        for one in found:
            if one.measure in figure.allowed and one.dimension is figure.mention.dimension:
                yield one

    def _returned(self, subject: Subject, figure: Figure) -> str | None:
        """The call that returned this measure of this function alone: of a window, or of another profile."""
        counts = self.measures.unnamed[0].chosen.counts
        keys = {key for one in figure.allowed for key in _KEYS.get(one, ()) if key != "count" or counts == one}
        names = {self.measures.trace.frame_name(frame) for frame in subject.numbers}
        for fact in (fact for name in names for fact in self.facts.of_function(name, figure.mention.dimension)):
            if fact.call and fact.key in keys and figure.is_right(fact.value):
                return fact.call
        return None

    def _call(self, subject: Subject, measured: Measured) -> str | None:
        """The call that returned what was found in the trace."""
        names = {self.measures.trace.frame_name(frame) for frame in subject.numbers}
        keys = _KEYS.get(measured.measure, ())
        for fact in (fact for name in names for fact in self.facts.of_function(name, measured.dimension)):
            if fact.key in keys and abs(fact.value - measured.value) <= 1e-6 * abs(measured.value):
                return fact.call
        return None

    def _by_another_value(self, subject: Subject, figure: Figure) -> Verification | None:
        """Right of another value of the profile: so where the sentence names that, else an open question."""
        if figure.sentence.threads or figure.sentence.window or figure.claim.bound == "over":
            return None
        for name, scope in self.measures.other_values:
            for one in self._alike(self.measures.of(subject.numbers, scope), figure):
                if not figure.is_right(one.value):
                    continue
                what = f"{one.what}, by {name}"
                is_named = names_value(figure.sentence.text, name)
                return Verification("verified", how=what) if is_named else replace(UNCHECKED, how=f"so only {what}")
        return None

    def _elsewhere(self, subject: Subject, figure: Figure) -> str | None:
        """Another profile of which the figure is right."""
        for scope in self.measures.others:
            found = self._alike(self.measures.of(subject.numbers, scope), figure)
            if any(figure.is_right(one.value) for one in found):
                return scope.chosen.handle
        return None


def _as_share(claim: Claim) -> Mention:
    """`half` as 50%."""
    mention = claim.mentions[0]
    if claim.kind != "ratio":
        return mention
    return replace(mention, value=100 * mention.value, half_digit=100 * mention.half_digit, dimension=Dimension.SHARE)


def _is_in_digits(sentence: Sentence, claim: Claim) -> bool:
    """`0.08×`, a factor; not `half`, a share."""
    return sentence.text[claim.start - sentence.start :][:1].isdigit()


def _is_of_all(figure: Figure) -> bool:
    """Whether it is a share of all of the recording, by its words: what is so of one thread is wrong of that."""
    return (
        figure.mention.dimension is Dimension.SHARE and words("RECORDING").search(figure.sentence.template) is not None
    )


def _is_plain(sentence: Sentence) -> bool:
    """Whether a sentence says its figure without more, so that what it measures is the function's value."""
    return not words("NEGATED").search(sentence.template) and not words("TOGETHER").search(sentence.template)


def _is_open(figure: Figure, subject: Subject, found: Sequence[Measured]) -> bool:
    """Whether what differs may still be no other figure: of one call, of a window in round numbers, or nearly right."""
    if subject.is_one_place or shared_figures.names_a_call(figure.sentence):
        return True
    if len(figure.sentence.functions) > 1 and _OF_ANOTHER.match(figure.sentence.template[figure.place + 1 :]):
        return True
    if figure.sentence.window and any(scope.window is None for scope in figure.scopes):
        return True
    near = IN_WINDOW if figure.sentence.window else 0.0
    return any(
        figure.agrees(one.value) is Agreement.NEARLY or abs(one.value - figure.mention.value) <= near * one.value
        for one in found
    )


def _is_near_an_unknown_name(figure: Figure) -> bool:
    """Whether a name of no function may be its base: one before it, or behind it with no other figure between."""
    claim = figure.claim
    return any(
        one.start < claim.start or not any(claim.end <= other.start < one.start for other in figure.sentence.figures)
        for one in figure.sentence.unknown
    )
