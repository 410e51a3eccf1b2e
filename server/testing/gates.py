"""Gates, checks and webhooks in dictionaries: the twin of PostgresGates. Who takes one keeps it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from server.adapters.storable import known_id, new_id, not_found, storable_text
from server.errors import BadRequest, NotAllowed
from server.ports.gates import (
    CHECK_S,
    MOST_GATES,
    Gate,
    GateCheck,
    GateResult,
    NewGate,
    Webhook,
    WebhookState,
    acceptance,
)
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceRow, TraceSearch
from server.testing.trace_records import MemoryTraceRecords
from traces.gate.outcome import Outcome


@dataclass(slots=True)
class _Check:
    """A result and what hangs on it. `due` is when its webhook is."""

    result: GateResult
    maker: Caller
    tries: int = 0
    taken_until: datetime | None = None
    due: datetime | None = None


class MemoryGates:
    """Gates of the traces of MemoryTraceRecords."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._accounts = traces.accounts
        self._gates: dict[str, Gate] = {}
        self._secrets: dict[str, str | None] = {}
        self._checks: dict[str, _Check] = {}
        traces.on_delete.append(self._forget)

    async def make(self, caller: Caller, new: NewGate) -> Gate:
        gate_id = str(new_id(new.gate_id, "gate", "gateId"))
        mine = [gate for gate in self._gates.values() if gate.account_id == caller.account_id]
        if not self._accounts.are_of(caller, caller.account_id) or len(mine) >= MOST_GATES:
            raise NotAllowed(f"Gates are made by who may write in an account, which has at most {MOST_GATES}.")
        if gate_id in self._gates or storable_text(new.name) in {gate.name for gate in mine}:
            raise BadRequest("Something with this id exists already. Choose a new one.")
        self._gates[gate_id] = Gate(
            gate_id=gate_id,
            account_id=caller.account_id,
            name=storable_text(new.name),
            rules=tuple(storable_text(rule) for rule in new.rules),
            baseline=dict(new.baseline),
            program=new.program,
            labels=dict(new.labels),
            last_runs=new.last_runs,
            single_run=new.single_run,
            webhook_url=new.webhook_url,
            created_by=caller.user_id,
            created_at=self._accounts.clock.now(),
        )
        self._secrets[gate_id] = new.webhook_secret
        return self._gates[gate_id]

    async def of_account(self, caller: Caller) -> Sequence[Gate]:
        found = [gate for gate in self._gates.values() if self._is_of(caller, gate.account_id)]
        return sorted(found, key=lambda gate: gate.name)

    async def remove(self, caller: Caller, gate_id: str) -> None:
        gate = self._gates.get(str(known_id(gate_id, "gate")))
        if gate is None or not self._is_of(caller, gate.account_id):
            raise not_found("gate")
        del self._gates[gate.gate_id]
        self._checks = {key: one for key, one in self._checks.items() if one.result.gate_id != gate.gate_id}

    async def results(
        self,
        caller: Caller,
        *,
        gate_id: str | None = None,
        trace_id: str | None = None,
        result_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[GateResult]:
        chosen = [(gate_id, "gate_id", "gate"), (trace_id, "trace_id", "trace"), (result_id, "result_id", "result")]
        asked = {name: str(known_id(text, what)) for text, name, what in chosen if text is not None}
        found = [
            one.result
            for one in self._checks.values()
            if self._is_of(caller, one.result.account_id)
            and all(getattr(one.result, name) == value for name, value in asked.items())
        ]
        return sorted(found, key=lambda one: (one.created_at, one.result_id), reverse=True)[:limit]

    async def accept(self, caller: Caller, result_id: str, reason: str) -> GateResult:
        found = await self.results(caller, result_id=result_id)
        if not found:
            raise not_found("result")
        if found[0].outcome is not Outcome.BROKEN:
            raise BadRequest("Only what a gate found broken is accepted.", field="resultId")
        if not self._accounts.owns(caller):
            raise NotAllowed("Only an owner of the account accepts what a gate found.")
        check = self._checks[found[0].result_id]
        if check.result.accepted_at is None:
            check.result = replace(
                check.result,
                accepted_at=self._accounts.clock.now(),
                accepted_by=caller.user_id,
                accepted_reason=storable_text(reason),
            )
        return check.result

    async def note_checks(self, caller: Caller, trace_id: str) -> int:
        row = await self._traces.get(caller, trace_id)
        have = {(one.result.gate_id, one.result.trace_id) for one in self._checks.values()}
        new = [gate for gate in self._gates.values() if _means(gate, row) and (gate.gate_id, row.trace_id) not in have]
        for gate in new:
            result = GateResult(
                result_id=str(uuid4()),
                gate_id=gate.gate_id,
                gate_name=gate.name,
                account_id=gate.account_id,
                trace_id=row.trace_id,
                outcome=None,
                problem=None,
                report=None,
                created_at=self._accounts.clock.now(),
                judged_at=None,
            )
            maker = Caller(user_id=row.user_id, account_id=row.account_id)
            self._checks[result.result_id] = _Check(result, maker)
        return len(new)

    async def take_check(self) -> GateCheck | None:
        now = self._accounts.clock.now()
        for check in self._checks.values():
            result = check.result
            if result.judged_at is not None or (check.taken_until is not None and check.taken_until > now):
                continue
            check.tries += 1
            check.taken_until = now + timedelta(seconds=CHECK_S)
            gate = self._gates[result.gate_id]
            return GateCheck(
                result_id=result.result_id,
                gate_id=gate.gate_id,
                gate_name=gate.name,
                caller=check.maker,
                trace_id=result.trace_id,
                rules=gate.rules,
                single_run=gate.single_run,
                runs_before=await self._runs_before(gate, check),
                acceptances=self._acceptances(gate),
                tries=check.tries,
            )
        return None

    async def end_check(
        self, result_id: str, *, outcome: Outcome | None, problem: str | None, report: bytes | None, sends: bool
    ) -> bool:
        check = self._checks.get(str(known_id(result_id, "result")))
        if check is None or check.result.judged_at is not None:
            return False
        now = self._accounts.clock.now()
        is_sent = sends and self._gates[check.result.gate_id].webhook_url is not None
        document: dict[str, Any] | None = None if report is None else json.loads(report)
        check.due = now
        check.result = replace(
            check.result,
            outcome=outcome,
            problem=None if problem is None else storable_text(problem)[:1_000],
            report=document,
            judged_at=now,
            webhook=WebhookState.WAITING if is_sent else WebhookState.NONE,
        )
        return True

    async def judged_lately(self, seconds: float) -> Sequence[GateResult]:
        since = self._accounts.clock.now() - timedelta(seconds=seconds)
        found = [one.result for one in self._checks.values() if one.result.judged_at and one.result.judged_at > since]
        return sorted(found, key=lambda one: (one.judged_at, one.result_id))

    async def take_webhook(self, seconds: float) -> Webhook | None:
        now = self._accounts.clock.now()
        for check in self._checks.values():
            if check.result.webhook is WebhookState.WAITING and check.due is not None and check.due <= now:
                gate = self._gates[check.result.gate_id]
                check.due = now + timedelta(seconds=seconds)
                check.result = replace(check.result, webhook_tries=check.result.webhook_tries + 1)
                secret = self._secrets[gate.gate_id]
                assert gate.webhook_url is not None, "only those are waiting"
                assert secret is not None, "they come together"
                return Webhook(
                    result=check.result, url=gate.webhook_url, secret=secret, tries=check.result.webhook_tries
                )
        return None

    async def end_webhook(self, result_id: str, state: WebhookState, answer: str, *, again_in_s: float = 0) -> None:
        check = self._checks.get(str(known_id(result_id, "result")))
        if check is not None and check.result.webhook is WebhookState.WAITING:
            check.result = replace(check.result, webhook=state, webhook_answer=storable_text(answer)[:200])
            check.due = self._accounts.clock.now() + timedelta(seconds=again_in_s)

    async def _runs_before(self, gate: Gate, check: _Check) -> tuple[str, ...]:
        judged = await self._traces.get(check.maker, check.result.trace_id)
        program = judged.run.program
        criteria = TraceSearch(run=RunLabels(gate.baseline, program))
        rows = await self._traces.search(check.maker, criteria, limit=1_000_000)
        accepted = [
            (await self._traces.get(one.maker, one.result.trace_id)).created_at
            for one in self._checks.values()
            if one.result.gate_id == gate.gate_id and one.result.accepted_at is not None
        ]
        since = max((at for at in accepted if at < judged.created_at), default=None)
        before = [
            row
            for row in rows
            if row.run.program == program
            and (row.created_at, row.trace_id) < (judged.created_at, judged.trace_id)
            and (since is None or row.created_at >= since)
        ]
        return tuple(row.trace_id for row in reversed(before[: gate.last_runs]))

    def _acceptances(self, gate: Gate) -> tuple[str, ...]:
        found = [one.result for one in self._checks.values() if one.result.gate_id == gate.gate_id]
        lines = [
            (one.accepted_at, acceptance(one.accepted_at, None, one.accepted_reason))
            for one in found
            if one.accepted_at is not None and one.accepted_reason is not None
        ]
        return tuple(line for _, line in sorted(lines, reverse=True)[:5])

    def _is_of(self, caller: Caller, account_id: str) -> bool:
        return account_id == caller.account_id and self._accounts.are_of(caller, account_id)

    def _forget(self, trace_id: str) -> None:
        self._checks = {key: one for key, one in self._checks.items() if one.result.trace_id != trace_id}


def _means(gate: Gate, row: TraceRow) -> bool:
    is_of_program = gate.program is None or gate.program == row.run.program
    return gate.account_id == row.account_id and is_of_program and gate.labels.items() <= row.run.labels.items()
