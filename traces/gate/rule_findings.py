"""Whether a run has the findings that rules name."""

from collections.abc import Sequence

from traces.gate.rules import FindingRule, InvalidRule, Rule
from traces.handles import ProfileChoice
from traces.insights.insight import Kind, State
from traces.insights.registry import DETECTORS, insight
from traces.model import Trace

BOUNDABLE = {detector.id for detector in DETECTORS if detector.kind is not Kind.COMPARISON}
"""Findings of one recording: those of two are what a gate's other rules are for."""


def need_findings(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The findings that rules name. Raises InvalidRule for one that there is not."""
    named = tuple(dict.fromkeys(rule.finding for rule in rules if isinstance(rule, FindingRule)))
    for finding in named:
        if finding not in BOUNDABLE:
            raise InvalidRule(
                f"there is no finding {finding} of one recording: there are {', '.join(sorted(BOUNDABLE))}."
            )
    return named


def findings_of(trace: Trace, profile: ProfileChoice, named: Sequence[str]) -> dict[str, bool | None]:
    """Whether the trace has each; None where it cannot show it."""
    index = profile if isinstance(profile, int) else None
    states = {finding: insight(trace, finding, profile=index).state for finding in named}
    return {
        finding: None if state is State.NOT_APPLICABLE else state is State.FAIL for finding, state in states.items()
    }
