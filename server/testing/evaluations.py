"""How turns went, in memory: the twin of PostgresEvaluations. Of thumbs it knows those of whoever asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from math import ceil, floor

from server.ports.conversations import MessageRow, Sender, TurnRow, TurnStatus
from server.ports.evaluations import SEARCHES, Evaluated, EvaluatedTurn, ToolRun, TurnTotals
from server.ports.identity import Caller
from server.testing.conversations import MemoryConversations
from server.testing.invocations import MemoryInvocations


class MemoryEvaluations:
    """Evaluations over these conversations and the rows of their calls."""

    def __init__(self, conversations: MemoryConversations, invocations: MemoryInvocations) -> None:
        self._conversations = conversations
        self._invocations = invocations

    async def evaluated(self, caller: Caller, *, since: datetime, limit: int, everybody: bool = False) -> Evaluated:
        found = [
            self._turn(turn, messages, feedback)
            for turn, messages, feedback in self._conversations.turns_with_messages()
            if turn.status.has_ended
            and turn.created_at >= since
            and (everybody or (turn.user_id, turn.account_id) == (caller.user_id, caller.account_id))
        ]
        found.sort(key=lambda one: one.asked_at, reverse=True)
        ordered = sorted(found, key=lambda one: (_day(one), one.model is None, one.model or ""))
        groups = [list(rows) for _, rows in groupby(ordered, key=lambda one: (_day(one), one.model))]
        totals = sorted((_totals(rows) for rows in groups), key=lambda one: one.day, reverse=True)
        return Evaluated(found[:limit], totals)

    def _turn(
        self, turn: TurnRow, messages: Sequence[MessageRow], feedback: Mapping[tuple[str, str], int]
    ) -> EvaluatedTurn:
        answer = next((m for m in reversed(messages) if m.sender is Sender.MODEL and "usage" in m.metadata), None)
        metadata = {} if answer is None else answer.metadata
        outcomes = [m for m in messages if m.sender in (Sender.TOOL_RESULT, Sender.TOOL_ERROR)]
        searches = [m for m in outcomes if m.tool_name in SEARCHES]
        calls = [row for row in self._invocations.rows.values() if row.turn_id == turn.turn_id]
        spoke = [
            row.started_at.timestamp() + row.first_token_ms / 1e3 for row in calls if row.first_token_ms is not None
        ]
        costs = [float(row.cost_usd) for row in calls if row.cost_usd is not None]
        usage = metadata.get("usage") or {}
        ended = max([m.created_at for m in messages], default=turn.created_at)
        return EvaluatedTurn(
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            trace_id=turn.trace_id,
            asked_at=turn.created_at,
            question=turn.prompt,
            completed=turn.status is TurnStatus.COMPLETED,
            latency_ms=(ended - turn.created_at).total_seconds() * 1e3,
            first_token_ms=(min(spoke) - turn.created_at.timestamp()) * 1e3 if spoke else None,
            model=turn.model,
            prompt_version=metadata.get("promptVersion"),
            tools=[ToolRun(m.tool_name or "", m.tool_status) for m in outcomes],
            searches=len(searches),
            rag_hits=sum(m.tool_status == "success" for m in searches),
            model_calls=len(calls),
            input_tokens=sum(row.input_tokens or 0 for row in calls) if calls else usage.get("inputTokens"),
            output_tokens=sum(row.output_tokens or 0 for row in calls) if calls else usage.get("outputTokens"),
            cost=(sum(costs) if costs else None) if calls else usage.get("cost"),
            checks=dict(Counter(str(check.get("status", "unchecked")) for check in metadata.get("checks") or ())),
            feedback=None if answer is None else feedback.get((answer.message_id, turn.user_id)),
        )


def _totals(rows: list[EvaluatedTurn]) -> TurnTotals:
    done = [one for one in rows if one.completed]
    latencies = [one.latency_ms for one in done]
    first = [one.first_token_ms for one in done if one.first_token_ms is not None]
    costs = [one.cost for one in rows if one.cost is not None]
    return TurnTotals(
        day=_day(rows[0]),
        model=rows[0].model,
        turns=len(rows),
        completed=len(done),
        p50_latency_ms=_percentile(latencies, 0.5),
        p95_latency_ms=_percentile(latencies, 0.95),
        p50_first_token_ms=_percentile(first, 0.5),
        p95_first_token_ms=_percentile(first, 0.95),
        tool_calls=sum(one.tool_calls for one in rows),
        searches=sum(one.searches for one in rows),
        model_calls=sum(one.model_calls for one in rows),
        input_tokens=sum(one.input_tokens or 0 for one in rows),
        output_tokens=sum(one.output_tokens or 0 for one in rows),
        cost=sum(costs) if costs else None,
        claims=sum(sum(one.checks.values()) for one in rows),
        verified_claims=sum(one.checks.get("verified", 0) + one.checks.get("derived", 0) for one in rows),
        thumbs_up=sum((one.feedback or 0) > 0 for one in rows),
        thumbs_down=sum((one.feedback or 0) < 0 for one in rows),
    )


def _day(one: EvaluatedTurn) -> str:
    return one.asked_at.astimezone(UTC).date().isoformat()


def _percentile(values: list[float], share: float) -> float | None:
    """Between the two that are nearest, as PostgreSQL's percentile_cont."""
    if not values:
        return None
    ordered, place = sorted(values), share * (len(values) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    return low + (high - low) * (place - floor(place))
