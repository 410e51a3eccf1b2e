"""The row that a database would have of a turn, where there is none."""

from datetime import UTC, datetime

from server.agent.turn import TurnInput
from server.ports.conversations import TurnKind, TurnRow, TurnStatus


def row_of(turn: TurnInput, status: TurnStatus = TurnStatus.RUNNING) -> TurnRow:
    """The row that a database would have of the turn."""
    return TurnRow(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        trace_id=turn.trace.trace_id,
        account_id=turn.caller.account_id,
        user_id=turn.caller.user_id,
        kind=TurnKind.PROMPT,
        status=status,
        prompt=turn.prompt,
        model=turn.model_name,
        context={},
        attempt=turn.attempt,
        handed_over=0,
        cancel_requested=False,
        plan_name=turn.plan_name,
        messages_used=turn.messages_used,
        messages_limit=turn.messages_limit,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
