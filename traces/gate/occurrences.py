"""Rules about what is there or is not: a finding, a function that is hot.

They are judged by counting runs. What none of five or more runs before had, and half of the runs after have, is new; by
chance alone that happens at most once in as many runs as there were before and after. What came and went before is
judged by the exact chance of so many runs after (the hypergeometric tail, R. A. Fisher, 1934).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import median

from traces.analysis.rank_test import least_p
from traces.gate.function_keys import FunctionKey
from traces.gate.growth import ENOUGH_BEFORE, FEWEST_RANKED, LEVEL, needs
from traces.gate.outcome import Outcome
from traces.gate.run_measures import RunMeasures

COOLER = 0.5
"""Part of a rule's share above which a function was hot before already: what crosses a bound by a little is not new."""


@dataclass(frozen=True, slots=True)
class HotFunction:
    """A new hot function with the median of its share after."""

    name: str
    file: str | None
    share: float


@dataclass(frozen=True, slots=True)
class Occurrences:
    """In how many runs of how many it was seen; `p` where it came and went. `functions` are new hot ones."""

    seen_before: int
    runs_before: int
    seen_after: int
    runs_after: int
    p: float | None = None
    functions: tuple[HotFunction, ...] = ()

    @property
    def is_in_half_after(self) -> bool:
        return 2 * self.seen_after >= self.runs_after

    @property
    def is_in_half_before(self) -> bool:
        return 2 * self.seen_before >= self.runs_before


def judge_finding(
    finding: str, before: Sequence[RunMeasures], after: Sequence[RunMeasures], *, few_allowed: bool
) -> tuple[Outcome, str, Occurrences]:
    """Whether a finding appeared. `few_allowed` counts also where there are too few runs for a judgement."""
    old, new = ([run.findings.get(finding) for run in runs] for runs in (before, after))
    seen = Occurrences(old.count(True), len(old), new.count(True), len(new))
    if all(one is None for one in new):
        return Outcome.UNDECIDED, "these recordings cannot show it", seen
    if not seen.is_in_half_after:
        return Outcome.KEPT, f"in {seen.seen_after} of {len(new)} runs after", seen
    if seen.is_in_half_before:
        return Outcome.KEPT, f"not new: in {seen.seen_before} of {len(old)} runs before", seen
    if all(one is None for one in old):
        return Outcome.UNDECIDED, "the recordings before cannot show it", seen
    outcome, reason, p = _appeared(seen, few_allowed=few_allowed)
    return outcome, reason, Occurrences(seen.seen_before, len(old), seen.seen_after, len(new), p)


def judge_new_hot(
    share: float, before: Sequence[RunMeasures], after: Sequence[RunMeasures], *, few_allowed: bool
) -> tuple[Outcome, str, Occurrences]:
    """Whether a function that was not hot before has this share by itself in half of the runs after."""
    old, new = ([_self_shares(run) for run in runs] for runs in (before, after))
    found: list[tuple[HotFunction, int]] = []
    for name, file in dict.fromkeys(key for run in new for key in run):
        hot = sum(run.get((name, file), 0.0) >= share for run in new)
        if hot and 2 * hot >= len(new) and all(run.get((name, file), 0.0) < COOLER * share for run in old):
            of_all = median(run.get((name, file), 0.0) for run in new)
            found.append((HotFunction(name, file, of_all), hot))
    found.sort(key=lambda one: -one[0].share)
    most = max((hot for _, hot in found), default=0)
    seen = Occurrences(0, len(old), most, len(new), functions=tuple(one for one, _ in found))
    if not found:
        return Outcome.KEPT, "none", seen
    return *_appeared(seen, few_allowed=few_allowed)[:2], seen


def _appeared(seen: Occurrences, *, few_allowed: bool) -> tuple[Outcome, str, float | None]:
    counted = f"in {seen.seen_after} of {seen.runs_after} runs after, {seen.seen_before} of {seen.runs_before} before"
    can_decide = seen.runs_before >= ENOUGH_BEFORE or (
        min(seen.runs_before, seen.runs_after) >= FEWEST_RANKED and least_p(seen.runs_before, seen.runs_after) <= LEVEL
    )
    if not can_decide and not few_allowed:
        return Outcome.UNDECIDED, f"{counted}: {needs(seen.runs_before, seen.runs_after, LEVEL)}", None
    if not seen.seen_before:
        return Outcome.BROKEN, counted, None
    p = chance_of_appearance(seen)
    if p <= LEVEL:
        return Outcome.BROKEN, f"{counted}, p {p:.2g}", p
    return Outcome.UNDECIDED, f"{counted}: it comes and goes, p {p:.2g}", p


def chance_of_appearance(seen: Occurrences) -> float:
    """The chance that so many of the runs with it, or more, are runs after, if all runs were alike."""
    runs, having = seen.runs_before + seen.runs_after, seen.seen_before + seen.seen_after
    ways = sum(
        comb(seen.runs_after, many) * comb(seen.runs_before, having - many)
        for many in range(seen.seen_after, min(having, seen.runs_after) + 1)
        if having - many <= seen.runs_before
    )
    return ways / comb(runs, having)


def _self_shares(run: RunMeasures) -> Mapping[FunctionKey, float]:
    if run.scope_total <= 0:
        return {}
    return {key: values.self_value / run.scope_total for key, values in run.functions.items()}
