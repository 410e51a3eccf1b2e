"""How turns went: latency, tools, tokens, cost, checks; one's own, and for administrators everybody's."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from server.edges.http.api_address import COMPATIBLE
from server.edges.http.services import CurrentCaller, ForChat
from server.errors import NotAllowed
from server.ports.evaluations import EvaluatedTurn, TurnTotals

LONGEST_DAYS = 366

routes = APIRouter(prefix=COMPATIBLE, tags=["evals"])


class ToolRunView(BaseModel):
    name: str
    status: str | None


class EvaluatedTurnView(BaseModel):
    """`trace_id` is the turn, as in POST /api/chat. Times are in milliseconds from the question, `latency_ms` to the
    stored answer; `checks` counts the answer's claims by status; `rag_hits` are the `searches` that found something.
    What was not reported is null."""

    trace_id: str
    session_id: str
    flamechat_trace_id: str
    asked_at: datetime
    question: str
    completed: bool
    latency_ms: float | None
    first_token_ms: float | None
    model: str | None
    prompt_version: str | None
    tools: list[ToolRunView]
    tool_calls: int
    searches: int
    rag_hits: int
    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    checks: Mapping[str, int]
    feedback: int | None

    @classmethod
    def of(cls, turn: EvaluatedTurn) -> "EvaluatedTurnView":
        values = asdict(turn) | {"tool_calls": turn.tool_calls}
        return cls(**values | {"trace_id": turn.turn_id, "flamechat_trace_id": turn.trace_id})


class TurnTotalsView(BaseModel):
    """Of the turns of one day (UTC) that one model answered. Percentiles and rates are null where there is nothing to
    take them of; `completed_rate` is of all turns, `verified_share` of the claims of answers."""

    day: str
    model: str | None
    turns: int
    completed: int
    completed_rate: float
    p50_latency_ms: float | None
    p95_latency_ms: float | None
    p50_first_token_ms: float | None
    p95_first_token_ms: float | None
    tool_calls: int
    searches: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    claims: int
    verified_share: float | None
    thumbs_up: int
    thumbs_down: int

    @classmethod
    def of(cls, totals: TurnTotals) -> "TurnTotalsView":
        values = asdict(totals)
        verified = values.pop("verified_claims")
        return cls(
            **values,
            completed_rate=totals.completed / totals.turns,
            verified_share=verified / totals.claims if totals.claims else None,
        )


class EvaluatedView(BaseModel):
    """`recent` newest first; `turns` is the same under its former name. `totals` by day and model, newest first."""

    recent: list[EvaluatedTurnView]
    turns: list[EvaluatedTurnView]
    totals: list[TurnTotalsView]


@routes.get("/evals")
async def evals(
    caller: CurrentCaller,
    services: ForChat,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    days: Annotated[int, Query(ge=1, le=LONGEST_DAYS)] = 30,
    scope: Literal["own", "all"] = "own",
) -> EvaluatedView:
    """Turns that have ended, of the last days: one's own in the account that one acts for; `scope=all` is everybody's,
    for administrators."""
    if scope == "all" and not caller.is_administrator:
        raise NotAllowed("Only an administrator of this server sees how everybody's turns went.")
    since = datetime.now(UTC) - timedelta(days=days)
    found = await services.evaluations.evaluated(caller, since=since, limit=limit, everybody=scope == "all")
    recent = [EvaluatedTurnView.of(one) for one in found.recent]
    return EvaluatedView(recent=recent, turns=recent, totals=[TurnTotalsView.of(one) for one in found.totals])
