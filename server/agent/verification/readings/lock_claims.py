"""Whether threads wait for locks: `there is no lock contention`, `nothing waits for a mutex`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from server.agent.verification.readings.cue_words import cue
from server.agent.verification.statements.measure_words import words
from server.agent.verification.statements.measures import Measures
from server.agent.verification.statements.relations import Reading
from server.agent.verification.statements.sentence_parts import Sentence
from server.agent.verification.verdicts import UNCHECKED, Verification
from traces.analysis.units import format_share
from traces.insights.patterns import PATTERNS
from traces.values import Waits

SOME, HARDLY = 0.02, 0.002
"""Shares of what is measured from which on threads wait for locks, and up to which they do not."""


@dataclass(frozen=True)
class LockClaims:
    """Reads the sentences of answers about one trace."""

    measures: Measures

    def each(self, sentence: Sentence) -> Iterator[Reading]:
        """What a sentence says of locks in all of the recording; of one function or thread it is another claim."""
        text = sentence.template
        is_of_some = sentence.threads or sentence.window or sentence.functions
        if is_of_some or words("HYPOTHETICAL").search(text):
            return
        for match in cue("NO_LOCKS").finditer(text):
            yield Reading(match.start(), match.end(), self._none)

    @cached_property
    def _none(self) -> Verification:
        """Whether nothing waits for a lock: by the names of functions, in profiles that show waiting."""
        trace = self.measures.trace
        pattern = PATTERNS["locks"]
        named = [at for at, name in enumerate(trace.frame_names) if pattern.matches(name, trace.frame_file(at) or "")]
        shares, sees, of_each = [], [], np.zeros(len(trace.frame_names))
        for profile in trace.profiles:
            tree, total = profile.tree, float(profile.tree.self_values[profile.default_value].sum())
            if profile.waits is Waits.NEITHER or not total:
                continue
            is_lock = np.isin(tree.frame, named)
            weights = tree.total_values[profile.default_value][is_lock] / total
            of_each = np.maximum(of_each, np.bincount(tree.frame[is_lock], weights, len(of_each)))
            inside = tree.levels.at_or_below(is_lock)
            shares.append(float(tree.self_values[profile.default_value][inside].sum()) / total)
            sees.append(profile.waits in (Waits.BOTH, Waits.WAITING))
        most = max(shares, default=0.0)
        if most >= SOME:
            heaviest = trace.frame_name(int(of_each.argmax()))[:60]
            more = " and other locks" if np.count_nonzero(of_each) > 1 else ""
            return Verification("contradicted", actual=f"{format_share(most)} is in {heaviest}{more}")
        if shares and all(sees) and most <= HARDLY and not any(one.waits is Waits.WAITING for one in trace.profiles):
            return Verification("derived", how="no function takes a lock by its name, and the recording shows waiting")
        return UNCHECKED
