"""Which messages come before a turn."""

from collections.abc import Sequence

from server.ports.conversations import MessageRow, Sender


def earlier_messages(messages: Sequence[MessageRow], turn_id: str) -> tuple[MessageRow, ...]:
    """The messages of the turns asked before this one, turn by turn.

    A prompt that waits behind another is stored before the other's answer, so turns are ordered by their first
    message and each keeps its own messages together.
    """
    turns: dict[str | None, list[MessageRow]] = {}
    for message in sorted(messages, key=lambda message: message.position):
        turns.setdefault(message.turn_id, []).append(message)
    earlier: list[MessageRow] = []
    for asked, rows in turns.items():
        if asked == turn_id:
            break
        earlier += rows
    return tuple(earlier)


def has_answer(messages: Sequence[MessageRow]) -> bool:
    """Whether any turn of these was answered to its end: one that failed or was stopped has a note of that."""
    answered = {message.turn_id for message in messages if message.sender is Sender.MODEL}
    return bool(answered - {message.turn_id for message in messages if message.sender is Sender.SYSTEM_EVENT})
