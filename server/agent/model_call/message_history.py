"""From stored rows to messages a model accepts: the newest complete turns that fit, in order, never a tool call without
its result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.agent.bounds import CHARACTERS_PER_TOKEN
from server.agent.model_call.token_counts import estimated_tokens
from server.agent.verification.citations import CITATION
from server.agent.verification.references.figure_links import without_addresses
from server.ports.conversations import MessageRow, Sender
from server.quoting import quoted

ASKED_CHARACTERS = 160
SAID_CHARACTERS = 320
SUMMARISED_TURNS = 20
"""Together about 3,000 tokens at most."""

FIRST_POSITION = 1
LOADED = 150
"""Rows from which older ones may not have been loaded: the newest 200 are, some of which belong to turns that do not
count."""
OLDER = "- older messages, which are not loaded any more"
UNANSWERED = "(This turn was stopped before it was answered.)"


@dataclass(frozen=True, slots=True)
class Past:
    """What a model is shown of the past: messages oldest first, and a few words on the `left_out` turns before them."""

    messages: list[AnyMessage]
    left_out: int
    summary: str


def conversation(
    rows: Sequence[MessageRow],
    budget: int,
    trimmed: int | None = None,
    *,
    characters_per_token: float = CHARACTERS_PER_TOKEN,
) -> Past:
    """The newest complete turns. When they have grown past `budget` tokens the oldest go until `trimmed` are left (the
    budget itself by default), and nothing more goes until it is full again: in between, what a provider has cached of
    the beginning stays as it is. Which turns go follows from the rows and the rate alone.

    A turn that is longer than `trimmed` alone is shown without its tool calls, or not at all.
    """
    trimmed = budget if trimmed is None else min(trimmed, budget)
    turns = [list(group) for _, group in groupby(rows, key=turn_key(rows))]
    shown = [_within(turn_messages(turn), trimmed, characters_per_token) for turn in turns]
    costs = [estimated_tokens(messages, characters_per_token) for messages in shown]
    first, tokens = 0, 0
    for index, cost in enumerate(costs):
        tokens += cost
        if tokens > budget:
            while tokens > trimmed:
                tokens -= costs[first]
                first += 1
            assert first <= index + 1
    messages = [message for one in shown[first:] for message in one]
    summary = summarize_session([row for turn in turns[:first] for row in turn])
    if len(rows) >= LOADED and rows[0].position > FIRST_POSITION:
        summary = f"{OLDER}\n{summary}".rstrip()
    return Past(messages, first, summary)


def _within(messages: list[AnyMessage], budget: int, rate: float) -> list[AnyMessage]:
    if estimated_tokens(messages, rate) <= budget:
        return messages
    spoken = [m for m in messages if isinstance(m, HumanMessage) or (isinstance(m, AIMessage) and m.text)]
    words: list[AnyMessage] = [AIMessage(m.text) if isinstance(m, AIMessage) else m for m in spoken]
    return words if estimated_tokens(words, rate) <= budget else []


def summarize_session(rows: Sequence[MessageRow]) -> str:
    """A conversation in a line a turn, oldest first: what was asked, and how the answer began; of a long one the newest
    turns, and how many came before. Empty for no turns.
    """
    lines = []
    for _, group in groupby(rows, key=turn_key(rows)):
        turn = list(group)
        asked = next((row.text for row in turn if row.sender is Sender.USER), None)
        said = next((row.text for row in reversed(turn) if row.sender is Sender.MODEL and row.text), UNANSWERED)
        if asked is not None:
            lines.append(
                f"- asked {quoted(asked, ASKED_CHARACTERS)}; answered {quoted(_first_words(said), SAID_CHARACTERS)}"
            )
    older = len(lines) - SUMMARISED_TURNS
    return "\n".join([f"- {older} questions before these"] * (older > 0) + lines[-SUMMARISED_TURNS:])


def _first_words(answer: str) -> str:
    """The first paragraph in plain words: citations by their label."""
    paragraph = next((part for part in answer.split("\n\n") if part.strip()), "")
    return " ".join(
        CITATION.sub(lambda found: found["label"] or "", without_addresses(paragraph)).replace("*", "").split()
    )


def turn_key(rows: Sequence[MessageRow]) -> Any:
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
