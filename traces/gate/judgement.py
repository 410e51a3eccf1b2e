"""The judgement of a gate: each rule over the runs before and after, and what follows of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import assert_never

from traces.analysis.compare import are_related, overlap_of
from traces.gate.function_keys import FunctionKey
from traces.gate.growth import LEVEL, Growth, Method, growth_of, needs, runs_for
from traces.gate.occurrences import Occurrences, judge_finding, judge_new_hot
from traces.gate.outcome import Outcome, worst
from traces.gate.rules import FindingRule, GrowthRule, Measure, NewHotFunctionRule, Rule
from traces.gate.run_measures import RunMeasures
from traces.values import Unit

CHANGED = 10
"""Functions in the table of changes."""
SMALLEST_CHANGE = 0.001
"""Of a share, below which a function is not in that table."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule's end, with what it was judged by; `reason` is one line for people."""

    rule: Rule
    outcome: Outcome
    reason: str
    growth: Growth | None = None
    occurrences: Occurrences | None = None


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """Medians of a function's own value and of its share before and after; not tested."""

    name: str
    file: str | None
    self_before: float
    self_after: float
    share_before: float
    share_after: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The end of a gate. `level` is at which each growth rule was tested; `incomparable` says why nothing was."""

    outcome: Outcome
    results: tuple[RuleResult, ...]
    changed: tuple[ChangedFunction, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    unit: Unit
    level: float
    notes: tuple[str, ...]
    incomparable: str | None = None
    single_run: float | None = None


def judge(
    before: Sequence[RunMeasures],
    after: Sequence[RunMeasures],
    rules: Sequence[Rule],
    *,
    single_run: float | None = None,
) -> Judgement:
    """Whether the runs after keep the rules. `single_run` is the growth that breaks a rule where there are too few runs
    for any test; without it such a rule is not decidable. All three sequences have at least one element."""
    incomparable = why_incomparable(before, after)
    level = LEVEL / max(1, sum(isinstance(rule, GrowthRule) for rule in rules))
    if incomparable is not None:
        results = tuple(RuleResult(rule, Outcome.UNDECIDED, "the runs cannot be compared") for rule in rules)
    else:
        results = tuple(_judged(rule, before, after, level, single_run) for rule in rules)
    return Judgement(
        outcome=worst(result.outcome for result in results),
        results=results,
        changed=() if incomparable is not None else changed_functions(before, after),
        before=tuple(run.name for run in before),
        after=tuple(run.name for run in after),
        unit=before[0].unit,
        level=level,
        notes=() if incomparable is not None else _notes(before, after),
        incomparable=incomparable,
        single_run=single_run,
    )


def why_incomparable(before: Sequence[RunMeasures], after: Sequence[RunMeasures]) -> str | None:
    """Why these runs say nothing about each other, or None: another unit, another kind of recording, another
    program."""
    first = before[0]
    for run in (*before, *after):
        if run.scope_total <= 0:
            return f"{run.name} measured nothing"
        if run.unit is not first.unit:
            return f"other unit: {run.name} measures {run.unit.value}, {first.name} {first.unit.value}"
        if run.kind is not first.kind:
            return f"other kind of recording: {run.name} is {run.kind.value}, {first.name} {first.kind.value}"
        if run.value != first.value and (run.format == first.format or run.unit is Unit.COUNT):
            return f"other measure: {run.name} has {run.value}, {first.name} {first.value}"
        if not are_related(first.names, run.names) or not first.names & run.names:
            overlap = overlap_of(first.names, run.names)
            return f"not of one program: only {overlap:.1%} of their functions are in both {first.name} and {run.name}"
    return None


def changed_functions(before: Sequence[RunMeasures], after: Sequence[RunMeasures]) -> tuple[ChangedFunction, ...]:
    """The functions whose median own share changed most, the largest change first."""
    keys: dict[FunctionKey, None] = dict.fromkeys(key for run in (*before, *after) for key in run.functions)
    rows = []
    for key in keys:
        (old, old_share), (new, new_share) = (_medians(key, runs) for runs in (before, after))
        if abs(new_share - old_share) >= SMALLEST_CHANGE:
            rows.append(ChangedFunction(key[0], key[1], old, new, old_share, new_share))
    rows.sort(key=lambda row: (-abs(row.share_after - row.share_before), row.name, row.file or ""))
    return tuple(rows[:CHANGED])


def _medians(key: FunctionKey, runs: Sequence[RunMeasures]) -> tuple[float, float]:
    values = [run.functions[key].self_value if key in run.functions else 0.0 for run in runs]
    shares = [value / run.scope_total for value, run in zip(values, runs, strict=True)]
    return float(median(values)), float(median(shares))


def _judged(
    rule: Rule,
    before: Sequence[RunMeasures],
    after: Sequence[RunMeasures],
    level: float,
    single_run: float | None,
) -> RuleResult:
    match rule:
        case GrowthRule():
            return _judged_growth(rule, before, after, level, single_run)
        case NewHotFunctionRule():
            few = single_run is not None
            outcome, reason, seen = judge_new_hot(rule.share, before, after, few_allowed=few)
            return RuleResult(rule, outcome, reason, occurrences=seen)
        case FindingRule():
            few = single_run is not None
            outcome, reason, seen = judge_finding(rule.finding, before, after, few_allowed=few)
            return RuleResult(rule, outcome, reason, occurrences=seen)
        case _:
            assert_never(rule)


def _judged_growth(
    rule: GrowthRule,
    before: Sequence[RunMeasures],
    after: Sequence[RunMeasures],
    level: float,
    single_run: float | None,
) -> RuleResult:
    old, new = ([_value(rule, run) for run in runs] for runs in (before, after))
    steps = [run.resolution / (run.scope_total if rule.measure.is_share else 1) for run in (*before, *after)]
    growth = growth_of(old, new, resolution=float(median(steps)), level=level)
    if not any(old) and not any(new):
        return RuleResult(rule, Outcome.UNDECIDED, "it has no value in any run", growth)
    if growth.method is Method.NONE:
        if single_run is None:
            return RuleResult(rule, Outcome.UNDECIDED, needs(len(old), len(new), level), growth)
        bound = max(single_run, rule.limit)
        outcome = Outcome.BROKEN if growth.growth > bound else Outcome.KEPT
        return RuleResult(rule, outcome, f"untested; only growth above {bound:.0%} breaks it", growth)
    return RuleResult(rule, *_by_test(rule.limit, growth, level), growth)


def _by_test(limit: float, growth: Growth, level: float) -> tuple[Outcome, str]:
    """Broken: more than chance, and more than the limit. Kept: not above the limit, and growth of the limit would
    have been seen. Else there is too much noise for this limit."""
    half = growth.half_width
    if growth.is_beyond_chance(level) and growth.growth > limit:
        return Outcome.BROKEN, "above the limit, and more than chance"
    if half is not None and growth.high is not None:
        is_seen = growth.growth <= limit and half <= limit
        if is_seen or growth.high <= limit:
            return Outcome.KEPT, "within the limit"
    seen = "any growth" if half is None else f"growth below {half:.1%}"
    more = runs_for(growth, limit)
    return Outcome.UNDECIDED, f"too much noise: these runs cannot show {seen}" + (
        f"; about {more} runs a side would do" if more else ""
    )


def _value(rule: GrowthRule, run: RunMeasures) -> float:
    if rule.function is None:
        return run.scope_total
    values = run.targets[rule.function]
    value = values.self_value if rule.measure in (Measure.SELF, Measure.SELF_SHARE) else values.total_value
    return value / run.scope_total if rule.measure.is_share else value


def _notes(before: Sequence[RunMeasures], after: Sequence[RunMeasures]) -> tuple[str, ...]:
    notes = []
    formats = dict.fromkeys(run.format for run in (*before, *after))
    if len(formats) > 1:
        notes.append(f"the runs are of several formats ({', '.join(formats)}): names may differ")
    threads = [sorted({run.profile for run in runs if run.profile != run.name}) for runs in (before, after)]
    if all(threads) and not set(threads[0]) & set(threads[1]):
        notes.append(f"the thread before is {threads[0][0]}, after {threads[1][0]}: choose with --profile")
    copies = len(before) + len(after) - len({run.content_key for run in (*before, *after)})
    if copies:
        notes.append(f"{copies} of the runs are copies of another: what does not vary says nothing of noise")
    return tuple(notes)
