"""Gates over HTTP: kept by people, run and read by keys too; what came of uploads, and accepting it."""

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForGates
from server.edges.http.trace_routes import trace_json
from server.ports.gates import LONGEST_NAME, LONGEST_REASON, Gate, GateResult, WebhookState
from server.ports.run_labels import LONGEST_VALUE, MOST_LABELS
from server.protocol.base import WireModel
from server.turns.gate_judging import report_of
from server.turns.gate_keeping import LONGEST_URL, MOST_AFTER, MOST_COMMITS, GateWish, RunWish
from traces.gate.outcome import Outcome
from traces.gate.rules import LONGEST_RULE, MOST_RULES

MAX_BODY_BYTES = 512 << 10
"""More than the longest rules."""

routes = APIRouter(prefix=f"{API}/gates", tags=["gates"], max_body_size=MAX_BODY_BYTES)

RuleTexts = Annotated[
    tuple[Annotated[str, Field(max_length=LONGEST_RULE)], ...], Field(min_length=1, max_length=MOST_RULES)
]
Labels = Annotated[dict[str, Annotated[str, Field(max_length=LONGEST_VALUE)]], Field(max_length=MOST_LABELS + 1)]
Runs = Annotated[int, Field(ge=1, le=100)]
Percent = Annotated[str, Field(max_length=20)] | None


class NewGateBody(WireModel):
    """`labels` choose the uploads that are judged, `baseline` the runs they are judged by, the newest `lastRuns`; in
    both `program` names the program."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    rules: RuleTexts
    baseline: Labels
    labels: Labels = Field(default_factory=dict)
    last_runs: Runs = 10
    single_run: Percent = None
    webhook_url: Annotated[str, Field(max_length=LONGEST_URL)] | None = None


class RunBody(WireModel):
    """Stored runs to be judged now. Where the baseline's commit has no runs, the first of `commits` that has some takes
    its place."""

    after: Annotated[tuple[str, ...], Field(min_length=1, max_length=MOST_AFTER)]
    baseline: Labels
    rules: RuleTexts
    last_runs: Runs = 10
    single_run: Percent = None
    commits: Annotated[tuple[Annotated[str, Field(max_length=LONGEST_VALUE)], ...], Field(max_length=MOST_COMMITS)] = ()


class Acceptance(WireModel):
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]


class GateView(WireModel):
    gate_id: str
    name: str
    program: str | None
    labels: dict[str, str]
    rules: tuple[str, ...]
    baseline: dict[str, str]
    last_runs: int
    single_run: str | None
    webhook_url: str | None
    created_by: str
    created_at: datetime

    @classmethod
    def of(cls, gate: Gate) -> "GateView":
        return cls(
            gate_id=gate.gate_id,
            name=gate.name,
            program=gate.program,
            labels=dict(gate.labels),
            rules=gate.rules,
            baseline=dict(gate.baseline),
            last_runs=gate.last_runs,
            single_run=gate.single_run,
            webhook_url=gate.webhook_url,
            created_by=gate.created_by,
            created_at=gate.created_at,
        )


class MadeGate(WireModel):
    """`webhookSecret` signs what the webhook is sent; it is in no other answer."""

    gate: GateView
    webhook_secret: str | None


class ResultView(WireModel):
    """`outcome` and `problem` are null while it is not judged; `report` is as `flamechat gate --json` has it in part:
    rules with their growth, changed functions, notes."""

    result_id: str
    gate_id: str
    gate_name: str
    trace_id: str
    outcome: Outcome | None
    problem: str | None
    report: dict[str, Any] | None
    created_at: datetime
    judged_at: datetime | None
    accepted_at: datetime | None
    accepted_by: str | None
    accepted_reason: str | None
    webhook: WebhookState
    webhook_tries: int
    webhook_answer: str | None

    @classmethod
    def of(cls, result: GateResult) -> "ResultView":
        return cls(
            result_id=result.result_id,
            gate_id=result.gate_id,
            gate_name=result.gate_name,
            trace_id=result.trace_id,
            outcome=result.outcome,
            problem=result.problem,
            report=None if result.report is None else dict(result.report),
            created_at=result.created_at,
            judged_at=result.judged_at,
            accepted_at=result.accepted_at,
            accepted_by=result.accepted_by,
            accepted_reason=result.accepted_reason,
            webhook=result.webhook,
            webhook_tries=result.webhook_tries,
            webhook_answer=result.webhook_answer,
        )


@routes.get("")
async def gates(caller: CurrentCaller, services: ForGates) -> dict[str, list[GateView]]:
    """Those of the caller's account, by name."""
    return {"gates": [GateView.of(gate) for gate in await services.kept.of_account(caller)]}


@routes.post("", status_code=201)
async def make_gate(body: NewGateBody, caller: CurrentCaller, services: ForGates) -> MadeGate:
    """Keep a gate: from now on each upload that it means is judged."""
    gate, secret = await services.kept.make(caller, GateWish(**body.model_dump()))
    return MadeGate(gate=GateView.of(gate), webhook_secret=secret)


@routes.delete("/{gate_id}", status_code=204)
async def remove_gate(gate_id: str, caller: CurrentCaller, services: ForGates) -> None:
    """With its results."""
    await services.kept.remove(caller, gate_id)


@routes.get("/results")
async def results(
    caller: CurrentCaller,
    services: ForGates,
    gate_id: Annotated[str | None, Query(alias="gateId")] = None,
    trace_id: Annotated[str | None, Query(alias="traceId")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> dict[str, list[ResultView]]:
    """What came of uploads, newest first."""
    found = await services.kept.results(caller, gate_id=gate_id, trace_id=trace_id, limit=limit)
    return {"results": [ResultView.of(result) for result in found]}


@routes.post("/results/{result_id}/accept")
async def accept(result_id: str, body: Acceptance, caller: CurrentCaller, services: ForGates) -> dict[str, ResultView]:
    """What was found is meant: the gate's baseline begins anew with that run, and later reports say why."""
    return {"result": ResultView.of(await services.kept.accept(caller, result_id, body.reason))}


@routes.post("/run")
async def run(body: RunBody, caller: CurrentCaller, services: ForGates) -> dict[str, Any]:
    """Judge stored runs now. `commit` is the one whose runs are the baseline, where it is an ancestor's."""
    done = await services.kept.run(caller, RunWish(**body.model_dump()))
    return {
        "judgement": json.loads(report_of(done.judgement)),
        "before": [trace_json(row) for row in done.before],
        "after": [trace_json(row) for row in done.after],
        "commit": done.commit,
    }
