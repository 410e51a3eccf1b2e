"""What a sentence says of the recording next to functions: `of the roughly 28 s run`, `675,000 calls in total`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.facts import OF_UNIT
from server.agent.verification.readings.cue_words import Cue, cue
from server.agent.verification.statements.agreement import NOT_ABOUT, Agreement, agreement
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FIGURE, FIGURES, Sentence
from server.agent.verification.verdicts import Verification
from server.agent.verification.written_numbers import Dimension
from traces.analysis.thread_time import thread_time
from traces.analysis.units import format_value
from traces.lazy_regex import lazy_regex
from traces.values import Counts, Unit

_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: at for at, word in enumerate(_NUMBER_WORDS.split(), 1)} | {"a": 1, "a single": 1, "a sole": 1}
_NUMBER = rf"(?:only |just |exactly )?(?P<n>{FIGURES}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}) threads?\b"
_HAS_THREADS = lazy_regex(
    rf"\b(?:trace|recording|profile)\b (?:has|shows|contains|holds) {_NUMBER}"
    r"(?!\s+(?:that|which|of|in|with|named|called|working|waiting))",
    re.IGNORECASE,
)
_RECORDED_THREADS = lazy_regex(rf"^\W*{_NUMBER} (?:were|was|are|is) (?:recorded|sampled|profiled)\b", re.IGNORECASE)
_USED_THREADS = lazy_regex(
    r"\b(?:everything|all of it|run|program|process|application|job) "
    rf"(?:used|uses|had|has|ran on|runs on|ran in|runs in) {_NUMBER}"
    r"(?!\s+(?:that|which|of|in|with|named|called|working|waiting))",
    re.IGNORECASE,
)
"""Of a recording whose threads have numbers: without them a recorder may have put several together, or seen one."""


def number_of(sentence: Sentence, written: str) -> int | None:
    """The number that a figure or a word of a sentence's template is; None for another word."""
    if re.fullmatch(FIGURES, written):
        return int(sentence.figure(written).mentions[0].value)
    return _NUMBERS.get(written.casefold())


TOO_LONG = 1.5
"""Of the recording's length."""


@dataclass(frozen=True)
class RecordingSizes:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """Which figures are of all of the recording, and whether they are right."""
        text = sentence.template
        if words("HYPOTHETICAL").search(text):
            return
        for match in cue("OF_RUN").finditer(text):
            yield from self._judged(sentence, match, self._sizes())
        yield from self._too_long(sentence)
        yield from self._threads(sentence)
        if sentence.functions or sentence.threads or not words("RECORDING").search(text):
            return
        kinds: tuple[tuple[Cue, Counts], ...] = (("COUNTED_CALLS", Counts.CALLS), ("COUNTED_SAMPLES", Counts.SAMPLES))
        for name, kind in kinds:
            for match in cue(name).finditer(text):
                yield from self._judged(sentence, match, self._counts(kind))

    def _too_long(self, sentence: Sentence) -> Iterator[Reading]:
        """`The longest task took 93 s`, in a recording of 4 s."""
        trace = self.measures.trace
        lasted = trace.duration_ns or 0
        if not words("LONGEST").search(sentence.template) or not lasted:
            return
        for at, claim in enumerate(sentence.figures):
            mention = claim.mentions[0]
            is_timed = mention.dimension is Dimension.TIME and claim.kind == "number" and claim.bound != "under"
            if is_timed and mention.value > TOO_LONG * lasted:
                place = sentence.template.find(chr(ord(FIGURE) + at))
                wrong = Verification("contradicted", actual=f"the recording lasts {_shown(lasted, Dimension.TIME)}")
                yield Reading(place, place + 1, wrong, frozenset({at}))

    def _threads(self, sentence: Sentence) -> Iterator[Reading]:
        """`The trace has three threads`: as many as its profiles stand for, however a recorder splits them."""
        profiles = self.measures.trace.profiles
        known = {len(profiles), len({(one.pid, one.tid) for one in profiles})}
        ways = [_HAS_THREADS, _RECORDED_THREADS]
        if not sentence.functions and all(one.tid for one in profiles):
            ways.append(_USED_THREADS)
        for match in (found for way in ways for found in way.finditer(sentence.template)):
            is_figure = re.match(FIGURES, match["n"]) is not None
            number = number_of(sentence, match["n"])
            figures = frozenset({ord(match["n"]) - ord(FIGURE)}) if is_figure else frozenset[int]()
            shown = " or ".join(map(str, sorted(known)))
            status = Verification("verified", how="the recording's") if number in known else None
            verdict = status or Verification("contradicted", actual=f"{shown} are recorded")
            yield Reading(match.start(), match.end(), verdict, figures)

    def _judged(
        self, sentence: Sentence, match: re.Match[str], sizes: list[tuple[float, Dimension]]
    ) -> Iterator[Reading]:
        found = re.search(FIGURES, match[0])
        assert found is not None
        claim = sentence.figure(found[0])
        mention = claim.mentions[0]
        alike = [value for value, dimension in sizes if dimension is mention.dimension]
        if claim.kind in ("percentage", "ratio") or not alike:
            return
        at = frozenset({ord(found[0]) - ord(FIGURE)})
        place = match.start() + found.start()
        bound = claim.bound
        if any(agreement(value, mention, bound) is Agreement.RIGHT for value in alike):
            yield Reading(place, place + 1, Verification("verified", how="the recording's"), at)
        elif bound not in ("over", "under") and not any(_is_near(value, mention.value) for value in alike):
            shown = " or ".join(dict.fromkeys(_shown(value, mention.dimension) for value in alike[:3]))
            yield Reading(place, place + 1, Verification("contradicted", actual=shown), at)

    def _sizes(self) -> list[tuple[float, Dimension]]:
        trace = self.measures.trace
        found = [(scope.total, scope.dimension) for scope in self.measures.unnamed]
        found += [(float(one), Dimension.TIME) for one in (trace.duration_ns, trace.recorded_for_ns) if one]
        for profile in trace.profiles[:300]:
            if profile.has_times:
                found.append((float(profile.axis_end - profile.axis_start), Dimension.TIME))
            if (time := thread_time(trace, profile)) is not None:
                found += [(float(time.length), Dimension.TIME), (float(time.busy), Dimension.TIME)]
            for number, value in enumerate(profile.values):
                total = float(profile.tree.total_values[number][profile.tree.parent < 0].sum())
                found.append((total, OF_UNIT[value.unit]))
        return found

    def _counts(self, kind: Counts) -> list[tuple[float, Dimension]]:
        profiles = [one for one in self.measures.trace.profiles if one.counts is kind]
        each = [float(one.tree.count.sum()) for one in profiles]
        each += [float(len(one.samples)) for one in profiles if one.samples is not None]
        return [(one, Dimension.COUNT) for one in [*each, sum(float(one.tree.count.sum()) for one in profiles)] if one]


def _is_near(value: float, written: float) -> bool:
    return abs(value - written) <= NOT_ABOUT * max(value, written)


def _shown(value: float, dimension: Dimension) -> str:
    unit = next((unit for unit, known in OF_UNIT.items() if known is dimension), Unit.COUNT)
    return format_value(value, unit)
