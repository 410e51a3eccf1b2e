"""From stored rows to messages a model accepts: newest whole turns that fit, in order, never a tool call without its
result.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.ports.conversations import MessageRow, Sender

CHARACTERS_PER_TOKEN = 3.5
"""A simple estimate: English is near 4, code, paths and numbers nearer 3."""

UNANSWERED = "(This turn was stopped before it was answered.)"


def estimated_tokens(messages: Iterable[AnyMessage]) -> int:
    characters = 0
    for message in messages:
        characters += len(message.text)
        if isinstance(message, AIMessage):
            characters += sum(len(call["name"]) + len(str(call["args"])) for call in message.tool_calls)
    return int(characters / CHARACTERS_PER_TOKEN)


def conversation(rows: Sequence[MessageRow], budget: int) -> tuple[list[AnyMessage], int]:
    """The newest whole turns within `budget` tokens, oldest first, and how many older ones were left out.

    A newest turn that is too long alone is kept without its tool calls, if that fits.
    """
    turns = [list(group) for _, group in groupby(rows, key=_turn_key(rows))]
    kept: list[list[AnyMessage]] = []
    left = budget
    for index, turn in enumerate(reversed(turns)):
        messages = turn_messages(turn)
        if (cost := estimated_tokens(messages)) > left and index == 0:
            messages = [m for m in messages if isinstance(m, HumanMessage) or (isinstance(m, AIMessage) and m.text)]
            messages = [AIMessage(m.text) if isinstance(m, AIMessage) else m for m in messages]
            cost = estimated_tokens(messages)
        if cost > left:
            return [message for one in reversed(kept) for message in one], len(turns) - index
        left -= cost
        if messages:
            kept.append(messages)
    return [message for one in reversed(kept) for message in one], 0


def _turn_key(rows: Sequence[MessageRow]) -> Any:
    """Groups rows by turn; rows without one belong to the prompt before them."""
    keys: dict[str, str] = {}
    current = ""
    for row in rows:
        current = row.turn_id or (row.message_id if row.sender is Sender.USER else current)
        keys[row.message_id] = current
    return lambda row: keys[row.message_id]


def turn_messages(rows: Sequence[MessageRow]) -> list[AnyMessage]:
    """One turn's messages. Calls that never got a result, results that answer no call, and system
    events are left out.
    """
    prompt = next((row for row in rows if row.sender is Sender.USER), None)
    if prompt is None:
        return []
    requests = {row.tool_call_id: row for row in rows if row.sender is Sender.TOOL_REQUEST and row.tool_call_id}
    messages: list[AnyMessage] = [HumanMessage(prompt.text)]
    round_: list[MessageRow] = []
    for row in rows:
        if row.sender in (Sender.TOOL_RESULT, Sender.TOOL_ERROR) and row.tool_call_id and row.tool_name:
            round_.append(row)
        elif row.sender is Sender.MODEL and row.text:
            messages += _round(round_, requests)
            round_ = []
            messages.append(AIMessage(row.text))
    messages += _round(round_, requests)
    if not isinstance(messages[-1], AIMessage):
        messages.append(AIMessage(UNANSWERED))
    return messages


def _round(results: list[MessageRow], requests: dict[str, MessageRow]) -> list[AnyMessage]:
    if not results:
        return []
    calls = [
        {
            "name": row.tool_name or "",
            "args": row.tool_args or getattr(requests.get(row.tool_call_id or ""), "tool_args", None) or {},
            "id": row.tool_call_id,
            "type": "tool_call",
        }
        for row in results
    ]
    answers = [ToolMessage(row.text, tool_call_id=row.tool_call_id or "", name=row.tool_name) for row in results]
    return [AIMessage("", tool_calls=calls), *answers]
