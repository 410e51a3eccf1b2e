"""Stored messages as clients see them."""

from server.ports.conversations import MessageRow
from server.protocol.wire_values import HistoryMessage
from server.turns.turn_pictures import picture_address


def history_message(row: MessageRow) -> HistoryMessage:
    """A stored message as clients see it."""
    return HistoryMessage.model_validate(
        {
            "message_id": row.message_id,
            "turn_id": row.turn_id,
            "position": row.position,
            "sender": row.sender.value,
            "content_text": row.text,
            "content_image_url": None if row.image_path is None else picture_address(row.image_path),
            "tool_name": row.tool_name,
            "tool_call_id": row.tool_call_id,
            "tool_args": row.tool_args,
            "tool_status": row.tool_status,
            "metadata": row.metadata,
            "created_at": row.created_at,
            "feedback": row.feedback,
        }
    )
