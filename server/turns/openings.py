"""How a conversation about a trace begins: what its recording says, and what a gate found of it. By rule, so that it
costs nothing and needs no model."""

from collections.abc import Sequence

from server.agent.opening import opening
from server.analyst.wording import coded
from server.errors import NotFound
from server.ports.gates import GateResult, Gates
from server.ports.identity import Caller
from server.ports.traces import OpenTrace, TraceRow
from server.protocol.wire_values import GateOpening, Opening
from server.turns.gate_judging import judgement_of, runs_before_of
from server.turns.trace_library import TraceLibrary
from traces.gate.growth_text import figures, shares_of
from traces.gate.judgement import Judgement, RuleResult
from traces.gate.outcome import Outcome
from traces.gate.rules import GrowthRule

MOST_RESULTS = 50
"""Of a trace: as many as an account has gates."""
MOST_RULES = 10
MOST_CHANGED = 3
MOST_LOOKED_FOR = 10
"""Runs before, of which the newest may have been deleted."""
TEXT_CHARACTERS = 300
COMMIT = "commit"


class Openings:
    """`gates` is None where none are kept."""

    def __init__(self, library: TraceLibrary, gates: Gates | None) -> None:
        self._library = library
        self._gates = gates

    async def of(self, caller: Caller, trace_id: str, opened: OpenTrace) -> Opening:
        """For who may read the trace. Raises WorkerFailed, DatabaseUnavailable."""
        opened_with = await self._library.workers.ask(opened, opening)
        gate = await self._gate(caller, trace_id)
        first = () if gate is None or gate.before_name is None else (asked_first(gate.before_name),)
        return Opening(
            summary=opened_with.summary,
            findings=list(opened_with.findings),
            suggestions=[*first, *opened_with.suggestions],
            gate=gate,
        )

    async def _gate(self, caller: Caller, trace_id: str) -> GateOpening | None:
        """What the gate says that broke last."""
        if self._gates is None:
            return None
        results = await self._gates.results(caller, trace_id=trace_id, limit=MOST_RESULTS)
        broken = next((one for one in results if one.outcome is Outcome.BROKEN), None)
        if broken is None or broken.report is None:
            return None
        after = await self._library.row(caller, trace_id)
        before = await self._newest(caller, runs_before_of(broken.report))
        return GateOpening(
            result_id=broken.result_id,
            gate_name=broken.gate_name,
            text=text_of(broken, before, after),
            before_trace_id=None if before is None else before.trace_id,
            before_name=None if before is None else before.name,
        )

    async def _newest(self, caller: Caller, runs: Sequence[str]) -> TraceRow | None:
        """The last that is still there."""
        for trace_id in reversed(runs[-MOST_LOOKED_FOR:]):
            try:
                return await self._library.row(caller, trace_id)
            except NotFound:
                continue
        return None


def asked_first(before: str) -> str:
    """What is asked of a run that broke a gate."""
    return f"What changed compared with {coded(before)}?"


def text_of(result: GateResult, before: TraceRow | None, after: TraceRow) -> str:
    """What is known of a broken result, as Markdown: names are code, in which nothing is a link."""
    assert result.report is not None, "a broken result has a report"
    parts = [f"**The gate {coded(result.gate_name)} is broken by this recording.**"]
    try:
        judgement = judgement_of(result.report)
    except ValueError:  # written by another version
        judgement = None
    if judgement is not None:
        parts[0] += f" It was judged by {len(judgement.before)} runs before{_newest_of(before)}."
        parts += _rules(judgement)
        parts += _changed(judgement)
    parts.append(_commits(before, after))
    if result.accepted_at is not None:
        reason = coded(result.accepted_reason or "", TEXT_CHARACTERS)
        parts.append(f"It was accepted on {result.accepted_at:%Y-%m-%d}: {reason}.")
    return "\n\n".join(parts)


def _newest_of(before: TraceRow | None) -> str:
    return ", which are no longer here" if before is None else f", the newest {coded(before.name)}"


def _rules(judgement: Judgement) -> list[str]:
    broken = [one for one in judgement.results if one.outcome is Outcome.BROKEN]
    lines = [f"- {coded(one.rule.text)}: {_evidence(one, judgement)}" for one in broken[:MOST_RULES]]
    if len(broken) > MOST_RULES:
        lines.append(f"- and {len(broken) - MOST_RULES} more rules")
    return ["\n".join(lines)]


def _evidence(result: RuleResult, judgement: Judgement) -> str:
    if result.growth is not None and isinstance(result.rule, GrowthRule):
        return figures(result.rule, result.growth, judgement)
    return coded(result.reason, TEXT_CHARACTERS)


def _changed(judgement: Judgement) -> list[str]:
    if not judgement.changed:
        return []
    rows = [f"{coded(row.name)} ({shares_of(row)})" for row in judgement.changed[:MOST_CHANGED]]
    return [f"Most changed by their own share, untested: {', '.join(rows)}."]


def _commits(before: TraceRow | None, after: TraceRow) -> str:
    """The range of commits in which the change lies, where both runs say theirs."""
    first = None if before is None else before.run.labels.get(COMMIT)
    last = after.run.labels.get(COMMIT)
    if first is None or last is None:
        return f"The range of commits is not known: {_unlabelled(first, last)} no label {coded(COMMIT)}."
    if first == last:
        return f"Both runs are of commit {coded(last)}: no commit made the difference."
    return f"It came between two commits: {coded(f'git log {first}..{last}', TEXT_CHARACTERS)}."


def _unlabelled(first: str | None, last: str | None) -> str:
    if first is None and last is None:
        return "the runs have"
    return "the newest run before has" if first is None else "this run has"
