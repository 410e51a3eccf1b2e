"""A turn that has ended, as its events would show it to somebody who comes late: made from its stored messages."""

from collections.abc import Sequence

from server.ports.conversations import MessageRow, Sender, TurnRow, TurnStatus
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnEnd, TurnEvent, TurnFailed
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import SnapshotMessage, SnapshotTool
from server.turns.turn_pictures import picture_address

_NO_ANSWER = "This question has no answer any more."


def events_of_stored(turn: TurnRow, rows: Sequence[MessageRow]) -> list[TurnEvent | TurnSnapshot]:
    """Its snapshot, and its end."""
    calls = {row.tool_call_id: row for row in rows if row.sender is Sender.TOOL_REQUEST}
    messages, tools = [], []
    for row in rows:
        if row.sender is Sender.MODEL:
            messages.append(SnapshotMessage(message_id=row.message_id, position=row.position, text=row.text))
        elif row.sender in (Sender.TOOL_RESULT, Sender.TOOL_ERROR) and row.tool_call_id in calls:
            tools.append(_card(calls[row.tool_call_id], row))
    snapshot = TurnSnapshot(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        attempt=max(turn.attempt, 1),
        seq=0,
        messages=messages,
        tools=tools,
    )
    return [snapshot, _end(turn, rows)]


def _card(call: MessageRow, outcome: MessageRow) -> SnapshotTool:
    failed = outcome.sender is Sender.TOOL_ERROR
    status = "error" if failed else (outcome.tool_status or "success")
    return SnapshotTool.model_validate(
        {
            "tool_call_id": call.tool_call_id,
            "tool_name": call.tool_name,
            "position": call.position,
            "args": call.tool_args or {},
            "message": call.text,
            "status": status,
            "result_type": "text" if failed else outcome.metadata.get("result_type", "text"),
            "text_content": outcome.text,
            "image_url": None if outcome.image_path is None else picture_address(outcome.image_path),
            "table": outcome.metadata.get("table"),
            "ui_payload": outcome.metadata.get("ui_payload"),
            "truncated": bool(outcome.metadata.get("truncated")),
        }
    )


def _end(turn: TurnRow, rows: Sequence[MessageRow]) -> TurnEnd:
    answers = [row for row in rows if row.sender is Sender.MODEL]
    if turn.status is TurnStatus.COMPLETED and answers:
        metadata = answers[-1].metadata
        return ModelResponseEnd.model_validate(
            {
                "turn_id": turn.turn_id,
                "message_id": answers[-1].message_id,
                "usage": metadata.get("usage", {}),
                "citations": metadata.get("citations", []),
                "checks": metadata.get("checks", []),
                "suggestions": metadata.get("suggestions", []),
                "sources": metadata.get("sources", []),
                "used_facts": metadata.get("usedFacts", []),
                "partial": metadata.get("partial", False),
            }
        )
    if turn.status is TurnStatus.CANCELLED:
        return TurnCancelled(turn_id=turn.turn_id, message_id=answers[-1].message_id if answers else None)
    failures = [row for row in rows if row.metadata.get("event") == "turn_failed"]
    code = str(failures[-1].metadata.get("code", "internal_error")) if failures else "not_found"
    text = failures[-1].text if failures else _NO_ANSWER
    return TurnFailed(turn_id=turn.turn_id, code=code, message=text, retryable=False)
