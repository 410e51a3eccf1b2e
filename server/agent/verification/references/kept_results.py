"""Results of tools that were called outside of a turn, as what a text is verified by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage

from server.agent.verification.facts import Facts, gathered
from server.agent.verification.references.tool_results import NUMBER, Conversation, returned


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """A result with its number and what its reader saw."""

    number: int
    tool: str
    arguments: dict[str, Any]
    data: dict[str, Any]
    text: str


def facts_of(results: Sequence[KeptResult]) -> tuple[Facts, Conversation]:
    """What they say, and the results by number."""
    messages = [_message(one) for one in results]
    return gathered(messages, {}), returned((), messages, ())


def _message(result: KeptResult) -> ToolMessage:
    artifact = {"tool": result.tool, "arguments": result.arguments, "data": result.data, NUMBER: result.number}
    return ToolMessage(result.text, name=result.tool, tool_call_id=f"q{result.number}", artifact=artifact)
