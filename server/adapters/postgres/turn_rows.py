"""A row of `chat_turns` as a value."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from psycopg.rows import DictRow

from server.ports.conversations import TurnKind, TurnRow, TurnStatus
from server.protocol.wire_values import AskedOfPage

LATELY = timedelta(minutes=10)


def turn_row(row: DictRow) -> TurnRow:
    return TurnRow(
        turn_id=str(row["id"]),
        session_id=str(row["session_id"]),
        trace_id=str(row["trace_id"]),
        account_id=str(row["account_id"]),
        user_id=str(row["user_id"]),
        kind=TurnKind(row["kind"]),
        status=TurnStatus(row["status"]),
        prompt=row["prompt"],
        model=row["model"],
        context=row["context"],
        attempt=row["attempt"],
        handed_over=row["handed_over"],
        cancel_requested=row["cancel_requested"],
        plan_name=row["plan_name"],
        messages_used=row["messages_used"],
        messages_limit=row["messages_limit"],
        created_at=row["created_at"].astimezone(UTC),
        supersedes=None if row["supersedes"] is None else str(row["supersedes"]),
        owner=row["owner"],
        overtaken=row["overtaken"],
        interrupt=_interrupt(row),
        interrupt_result=row["interrupt_result"],
        request_id=row["request_id"],
        request_trace_id=row["request_trace_id"],
        api_key_id=None if row["api_key_id"] is None else str(row["api_key_id"]),
        overtaken_lately=overtaken_lately(row["overtaken_at"]),
    )


def overtaken_lately(times: Sequence[datetime]) -> int:
    """How many of these fall into the time before the last of them: all are the database's, whatever our clock says."""
    return sum(at > max(times) - LATELY for at in times)


def _interrupt(row: DictRow) -> AskedOfPage | None:
    if row["interrupt"] is None:
        return None
    known = {"interrupt_id": str(row["interrupt_id"]), "expires_at": row["interrupt_expires_at"].astimezone(UTC)}
    return AskedOfPage.model_validate(row["interrupt"] | known)
