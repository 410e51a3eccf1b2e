"""How a tool call ends: one event and one message, whether a worker answered it or the page."""

from dataclasses import replace
from typing import Any

from langchain_core.messages import ToolMessage

from server.agent.graph.state import TurnContext
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.tool_errors import ToolProblem, ToolRetry
from server.agent.verification.references.tool_results import NUMBER
from server.protocol.events import ToolError, ToolResult


async def failed_call(context: TurnContext, call_id: str, name: str, problem: ToolProblem) -> ToolMessage:
    """Of a call without a result."""
    await context.sink.emit(ToolError(tool_call_id=call_id, tool_name=name, code=problem.code, message=problem.text))
    advice = "Call again with this mended." if isinstance(problem, ToolRetry) else "Go on without it."
    return ToolMessage(
        f"{problem.code} error: {problem.text}. {advice}", tool_call_id=call_id, name=name, status="error"
    )


async def finished_call(
    context: TurnContext,
    call_id: str,
    tool: Tool[Any],
    arguments: dict[str, Any],
    outcome: Outcome,
    *,
    cut: bool,
    number: int,
) -> ToolMessage:
    """Of a call with a result, which has a number in the conversation."""
    outcome = replace(outcome, text=f"q{number}: {outcome.text}")
    await _report(tool, call_id, outcome, context, cut=cut, number=number)
    artifact = {"tool": tool.name, "arguments": arguments, "data": outcome.data, NUMBER: number}
    return ToolMessage(outcome.text, tool_call_id=call_id, name=tool.name, artifact=artifact)


async def _report(
    tool: Tool[Any], call_id: str, outcome: Outcome, context: TurnContext, *, cut: bool, number: int
) -> None:
    image_url = None
    if outcome.picture is not None:
        image_url = await context.pictures.save(context.turn, call_id, outcome.picture)
        context.drawn[call_id] = outcome.picture
    if outcome.action is not None:
        await context.sink.emit(outcome.action)
    await context.sink.emit(
        ToolResult(
            tool_call_id=call_id,
            tool_name=tool.name,
            status="success_with_warning" if outcome.warning or cut else "success",
            result_type="image" if image_url else "table" if outcome.table else "text",
            text_content=outcome.text,
            image_url=image_url,
            table=outcome.table,
            ui_payload=outcome.ui,
            truncated=cut,
            number=number,
        )
    )
