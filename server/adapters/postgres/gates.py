"""Gates, their checks and webhooks in PostgreSQL. Taking one skips what others have taken."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
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
from traces.gate.outcome import Outcome


class PostgresGates:
    """Gates over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make(self, caller: Caller, new: NewGate) -> Gate:
        named = _of(caller) | {
            "gate_id": new_id(new.gate_id, "gate", "gateId"),
            "name": storable_text(new.name),
            "program": None if new.program is None else storable_text(new.program),
            "labels": Jsonb(dict(new.labels)),
            "rules": [storable_text(rule) for rule in new.rules],
            "baseline": Jsonb(dict(new.baseline)),
            "last_runs": new.last_runs,
            "single_run": new.single_run,
            "webhook_url": new.webhook_url,
            "webhook_secret": new.webhook_secret,
            "most": MOST_GATES,
        }
        rows = await self._all("make_gate", named)
        if not rows:
            raise NotAllowed(f"Gates are made by who may write in an account, which has at most {MOST_GATES}.")
        return _gate(rows[0])

    async def of_account(self, caller: Caller) -> Sequence[Gate]:
        return [_gate(row) for row in await self._all("gates_of_account", _of(caller))]

    async def remove(self, caller: Caller, gate_id: str) -> None:
        if not await self._all("remove_gate", _of(caller) | {"gate_id": known_id(gate_id, "gate")}):
            raise not_found("gate")

    async def results(
        self,
        caller: Caller,
        *,
        gate_id: str | None = None,
        trace_id: str | None = None,
        result_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[GateResult]:
        named = _of(caller) | {
            "gate_id": None if gate_id is None else known_id(gate_id, "gate"),
            "trace_id": None if trace_id is None else known_id(trace_id, "trace"),
            "result_id": None if result_id is None else known_id(result_id, "result"),
            "limit": limit,
        }
        return [_result(row) for row in await self._all("gate_results_of_account", named)]

    async def accept(self, caller: Caller, result_id: str, reason: str) -> GateResult:
        found = await self.results(caller, result_id=result_id)
        if not found:
            raise not_found("result")
        if found[0].outcome is not Outcome.BROKEN:
            raise BadRequest("Only what a gate found broken is accepted.", field="resultId")
        named = _of(caller) | {"result_id": known_id(result_id, "result"), "reason": storable_text(reason)}
        if not (await self._all("owns_account", named))[0]["owns"]:
            raise NotAllowed("Only an owner of the account accepts what a gate found.")
        rows = await self._all("accept_gate_result", named)
        if not rows:
            raise not_found("result")
        return _result(rows[0])

    async def note_checks(self, caller: Caller, trace_id: str) -> int:
        named = {"user_id": caller.user_id, "trace_id": known_id(trace_id, "trace")}
        return len(await self._all("note_gate_checks", named))

    async def take_check(self) -> GateCheck | None:
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("take_gate_check"), {"seconds": CHECK_S})).fetchone()
            if row is None:
                return None
            named = {"trace_id": row["trace_id"], "gate_id": row["gate_id"]}
            named |= {"baseline": Jsonb(row["baseline"]), "last_runs": row["last_runs"]}
            runs = await (await connection.execute(statement("runs_of_baseline"), named)).fetchall()
            accepted = await (await connection.execute(statement("acceptances_of_gate"), named)).fetchall()
        return GateCheck(
            result_id=str(row["id"]),
            gate_id=str(row["gate_id"]),
            gate_name=row["gate_name"],
            caller=Caller(user_id=str(row["user_id"]), account_id=str(row["account_id"])),
            trace_id=str(row["trace_id"]),
            rules=tuple(row["rules"]),
            single_run=row["single_run"],
            runs_before=tuple(str(run["id"]) for run in reversed(runs)),
            acceptances=tuple(
                acceptance(one["accepted_at"], one["display_name"], one["accepted_reason"]) for one in accepted
            ),
            tries=row["tries"],
        )

    async def end_check(
        self, result_id: str, *, outcome: Outcome | None, problem: str | None, report: bytes | None, sends: bool
    ) -> bool:
        named = {
            "result_id": known_id(result_id, "result"),
            "outcome": None if outcome is None else outcome.value,
            "problem": None if problem is None else storable_text(problem)[:1_000],
            "report": None if report is None else Jsonb(storable_json(json.loads(report))),
            "sends": sends,
        }
        return bool(await self._all("end_gate_check", named))

    async def judged_lately(self, seconds: float) -> Sequence[GateResult]:
        return [_result(row) for row in await self._all("gate_results_judged_lately", {"seconds": seconds})]

    async def take_webhook(self, seconds: float) -> Webhook | None:
        rows = await self._all("take_webhook", {"seconds": seconds})
        if not rows:
            return None
        row = rows[0]
        return Webhook(
            result=_result(row), url=row["webhook_url"], secret=row["webhook_secret"], tries=row["webhook_tries"]
        )

    async def end_webhook(self, result_id: str, state: WebhookState, answer: str, *, again_in_s: float = 0) -> None:
        named = {
            "result_id": known_id(result_id, "result"),
            "webhook": state.value,
            "answer": storable_text(answer)[:200],
            "seconds": again_in_s,
        }
        async with self._database.transaction() as connection:
            await connection.execute(statement("end_webhook"), named)

    async def _all(self, name: str, named: dict[str, Any]) -> Sequence[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), named)).fetchall()


def _of(caller: Caller) -> dict[str, Any]:
    return {"user_id": caller.user_id, "account_id": caller.account_id}


def _gate(row: DictRow) -> Gate:
    return Gate(
        gate_id=str(row["id"]),
        account_id=str(row["account_id"]),
        name=row["name"],
        rules=tuple(row["rules"]),
        baseline=row["baseline"],
        program=row["program"],
        labels=row["labels"],
        last_runs=row["last_runs"],
        single_run=row["single_run"],
        webhook_url=row["webhook_url"],
        created_by=str(row["created_by"]),
        created_at=row["created_at"].astimezone(UTC),
    )


def _result(row: DictRow) -> GateResult:
    return GateResult(
        result_id=str(row["id"]),
        gate_id=str(row["gate_id"]),
        gate_name=row["gate_name"],
        account_id=str(row["account_id"]),
        trace_id=str(row["trace_id"]),
        outcome=None if row["outcome"] is None else Outcome(row["outcome"]),
        problem=row["problem"],
        report=row["report"],
        created_at=row["created_at"].astimezone(UTC),
        judged_at=_moment(row["judged_at"]),
        accepted_at=_moment(row["accepted_at"]),
        accepted_by=None if row["accepted_by"] is None else str(row["accepted_by"]),
        accepted_reason=row["accepted_reason"],
        webhook=WebhookState(row["webhook"]),
        webhook_tries=row["webhook_tries"],
        webhook_answer=row["webhook_answer"],
    )


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)
