"""How the caller's newest turns went: latency, tools, tokens, checks."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from server.edges.http.services import CurrentCaller, ForChat
from server.protocol.wire_values import HistoryMessage

MOST_SESSIONS = 20
"""Looked through for the newest turns: a person's last days."""

routes = APIRouter(tags=["evals"])


class ToolRun(BaseModel):
    name: str
    status: str | None


class EvaluatedTurn(BaseModel):
    """`trace_id` is the turn, as in POST /api/chat. `latency_ms` is from the question to the stored answer; `checks`
    counts the answer's claims by status. What was not reported is null."""

    trace_id: str
    session_id: str
    flamechat_trace_id: str
    asked_at: datetime
    question: str
    completed: bool
    latency_ms: float | None
    model: str | None
    prompt_version: str | None
    tools: list[ToolRun]
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    checks: dict[str, int]
    feedback: int | None


@routes.get("/evals")
async def evals(
    caller: CurrentCaller, services: ForChat, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> dict[str, list[EvaluatedTurn]]:
    """The newest turns, newest first."""
    found: list[EvaluatedTurn] = []
    for session in (await services.conversation.sessions(caller, None))[:MOST_SESSIONS]:
        history = await services.conversation.history(caller, session.session_id)
        by_turn: dict[str, list[HistoryMessage]] = {}
        for message in history:
            if message.turn_id is not None:
                by_turn.setdefault(message.turn_id, []).append(message)
        for turn_id, messages in by_turn.items():
            turn = evaluated(turn_id, session.session_id, session.trace_id, messages)
            if turn is not None:
                found.append(turn)
    return {"turns": sorted(found, key=lambda turn: turn.asked_at, reverse=True)[:limit]}


def evaluated(turn_id: str, session_id: str, trace_id: str, messages: Sequence[HistoryMessage]) -> EvaluatedTurn | None:
    """One turn from its messages; None when its question is on an earlier page of the history."""
    asked = next((message for message in messages if message.sender == "user"), None)
    if asked is None:
        return None
    answer = next((one for one in reversed(messages) if one.sender == "model" and "usage" in one.metadata), None)
    metadata: dict[str, Any] = {} if answer is None else answer.metadata
    usage: dict[str, Any] = metadata.get("usage") or {}
    return EvaluatedTurn(
        trace_id=turn_id,
        session_id=session_id,
        flamechat_trace_id=trace_id,
        asked_at=asked.created_at,
        question=asked.content_text,
        completed=answer is not None,
        latency_ms=None if answer is None else (answer.created_at - asked.created_at).total_seconds() * 1e3,
        model=metadata.get("model"),
        prompt_version=metadata.get("promptVersion"),
        tools=[
            ToolRun(name=one.tool_name or "", status=one.tool_status)
            for one in messages
            if one.sender in ("tool_result", "tool_error")
        ],
        input_tokens=usage.get("inputTokens"),
        output_tokens=usage.get("outputTokens"),
        cost=usage.get("cost"),
        checks=dict(Counter(str(check.get("status")) for check in metadata.get("checks") or ())),
        feedback=None if answer is None else answer.feedback,
    )
