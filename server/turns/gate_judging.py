"""Judging stored runs by a gate's rules: each is measured in a worker, what they measured is judged here."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import anyio.to_thread
from pydantic import TypeAdapter

from server.agent.tools.contract.resolving import chosen_selection, profile_choice
from server.ports.identity import Caller
from server.ports.traces import OpenTrace
from server.turns.trace_library import TraceLibrary
from traces.analysis.selection import select
from traces.gate.function_keys import FunctionKey, matching
from traces.gate.judgement import Judgement, judge
from traces.gate.rule_findings import findings_of, need_findings
from traces.gate.rules import GrowthRule, Rule
from traces.gate.run_measures import RunMeasures, function_keys, measure_run
from traces.model import Trace

RUNS_BEFORE = "runs_before"


async def judge_runs(
    library: TraceLibrary,
    caller: Caller,
    before: Sequence[str],
    after: Sequence[str],
    rules: Sequence[Rule],
    *,
    single_run: float | None,
) -> Judgement:
    """The judgement of stored traces of the caller's, by their ids. Raises NotFound, InvalidRule for a rule that names
    what no run has, WorkerFailed, TraceError."""
    findings = need_findings(rules)
    opened = [(await library.open(caller, trace_id))[1] for trace_id in (*before, *after)]
    targets = await _targets(library, opened, rules)
    measured = [await library.workers.ask(one, measured_run, targets, findings) for one in opened]
    old, new = measured[: len(before)], measured[len(before) :]
    return await anyio.to_thread.run_sync(lambda: judge(old, new, rules, single_run=single_run))


async def _targets(
    library: TraceLibrary, opened: Sequence[OpenTrace], rules: Sequence[Rule]
) -> dict[str, frozenset[FunctionKey]]:
    """The functions that rules mean, over all runs together, so that a rule means the same in each."""
    named = [rule.function for rule in rules if isinstance(rule, GrowthRule) and rule.function is not None]
    known: set[FunctionKey] = set()
    for one in opened if named else ():
        known |= await library.workers.ask(one, known_functions)
    return {function: matching(function, known) for function in named}


def known_functions(trace: Trace) -> set[FunctionKey]:
    """Every function of a trace, as rules compare them."""
    return set(function_keys(trace))


def measured_run(trace: Trace, targets: Mapping[str, frozenset[FunctionKey]], findings: Sequence[str]) -> RunMeasures:
    """What the profile of a run that is shown first measured."""
    choice = profile_choice(chosen_selection(trace, None))
    found = findings_of(trace, choice, findings) if findings else {}
    return measure_run(select(trace, choice), targets=targets, findings=found)


def report_of(judgement: Judgement, *, runs_before: Sequence[str] = ()) -> bytes:
    """The judgement as JSON that `judgement_of` reads back, with the ids of stored runs that it was judged by, the
    oldest first; what JSON has no number for is a text."""
    return json.dumps(_finite(asdict(judgement)) | {RUNS_BEFORE: list(runs_before)}, allow_nan=False).encode()


def runs_before_of(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Their ids, of a report that has them."""
    return tuple(one for one in report.get(RUNS_BEFORE, ()) if isinstance(one, str))


def judgement_of(report: Mapping[str, Any]) -> Judgement:
    """The judgement of a report. Raises ValueError for one of another version."""
    return _reader().validate_json(json.dumps(report))


@cache
def _reader() -> TypeAdapter[Judgement]:
    return TypeAdapter(Judgement)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
