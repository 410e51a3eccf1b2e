"""What begins before what: functions and threads of one clock."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from server.agent.verification.readings.cue_words import Cue, cue
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import FUNCTION, THREAD, Sentence, Subject
from server.agent.verification.verdicts import Verification
from traces.analysis.units import format_value
from traces.model import Profile
from traces.values import Clock, Unit


@dataclass(frozen=True)
class TimeOrder:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        text = sentence.template
        if words("HYPOTHETICAL").search(text) or words("NEGATED").search(text) or sentence.window:
            return
        names: tuple[Cue, ...] = ("STARTS_AFTER", "STARTS_BEFORE", "ENDED_WHEN")
        for name in names:
            for match in cue(name).finditer(text):
                if name != "ENDED_WHEN" and not cue("STARTS").search(match[0]):
                    continue
                a, b = (self._named(sentence, match[key]) for key in ("a", "b"))
                if a is None or b is None:
                    continue
                later, earlier = (a, b) if name == "STARTS_AFTER" else (b, a)
                is_over = cue("ENDS").search(text, match.start(), match.end()) is not None
                shown = f"they begin at {_written(a[0])} and {_written(b[0])}"
                if later[0] >= earlier[1] or (later[0] > earlier[0] and not is_over):
                    yield Reading(match.start(), match.end(), Verification("verified", how=shown))
                elif later[0] < earlier[0] or (
                    is_over and earlier[1] < math.inf and later[0] < earlier[0] + (earlier[1] - earlier[0]) / 2
                ):
                    yield Reading(match.start(), match.end(), Verification("contradicted", actual=shown))

    def _named(self, sentence: Sentence, character: str) -> tuple[float, float] | None:
        if FUNCTION <= character < THREAD:
            return self.extent(sentence.function(character))
        numbers = sentence.thread(character).numbers
        return _joined([_of_function(one, None) for one in self._timed if one.index in numbers])

    def extent(self, function: Subject) -> tuple[float, float] | None:
        """When a function first begins and last ends, in nanoseconds; None where that is not on the one clock."""
        return _joined([_of_function(one, function.numbers) for one in self._timed])

    @property
    def _timed(self) -> list[Profile]:
        profiles = self.measures.trace.profiles
        return [one for one in profiles if one.has_times and (one.clock is Clock.TRACE or len(profiles) == 1)]


def _joined(found: list[tuple[float, float] | None]) -> tuple[float, float] | None:
    known = [one for one in found if one is not None]
    return (min(one[0] for one in known), max(one[1] for one in known)) if known else None


def _of_function(profile: Profile, frames: tuple[int, ...] | None) -> tuple[float, float] | None:
    mine = np.ones(len(profile.tree.frame), np.bool_) if frames is None else np.isin(profile.tree.frame, frames)
    if profile.spans is not None:
        rows = np.flatnonzero(mine[profile.spans.node])
        starts, ended = profile.spans.start[rows], profile.spans.ended(rows)
        if len(rows) and len(ended) < len(rows):
            return float(starts.min()), math.inf
        ends = profile.spans.end[rows]
    else:
        assert profile.samples is not None
        inside = np.append(profile.tree.levels.at_or_below(mine), np.False_)
        starts = ends = profile.samples.time[inside[profile.samples.leaf]]
    return (float(starts.min()), float(ends.max())) if len(starts) else None


def _written(moment: float) -> str:
    return format_value(moment, Unit.NANOSECONDS)
