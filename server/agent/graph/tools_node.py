"""The tools node: the calls of one round side by side, each ending in one event and one message."""

import asyncio
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage, ToolCall, ToolMessage

from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.fallback import named
from server.agent.model_call.reply_stream import UNREADABLE
from server.agent.model_call.token_counts import characters_in
from server.agent.tools.all_tools import definitions
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.named_windows import NamedWindow
from server.agent.tools.contract.run_tool import named_tool, run_tool
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.tool_errors import ToolProblem, ToolRetry
from server.agent.tools.contract.window_argument import known_windows
from server.agent.verification.references.tool_results import NUMBER, last_number
from server.protocol.events import ToolError, ToolResult, ToolStart

LEAST_RESULT = 300
"""Characters of a result however little room there is: a head line and two or three rows."""

CALLS_IN_A_ROUND = 8
"""Calls run in one round; a model that asks for more gets an answer that says so for each of the rest."""


async def run_tools(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Answer every tool call of the last message, in its order."""
    asked = cast("AIMessage", state["messages"][-1])
    windows = known_windows(state["known"])
    characters = _characters_of_a_result(state, context, len(asked.tool_calls))
    before = last_number(context.turn.history) + state["tool_calls"]
    unreadable: dict[str, str] = asked.additional_kwargs.get(UNREADABLE, {})
    for call in asked.tool_calls:
        await context.sink.emit(
            ToolStart(
                tool_call_id=call["id"] or "",
                tool_name=call["name"][:64],
                args=call["args"],
                message=_doing(call, context),
            )
        )
    try:
        async with asyncio.TaskGroup() as group:
            running = [
                group.create_task(
                    _answer(
                        call,
                        context,
                        windows,
                        raw=unreadable.get(call["id"] or ""),
                        allowed=index < CALLS_IN_A_ROUND,
                        number=before + index + 1,
                        characters=characters,
                    )
                )
                for index, call in enumerate(asked.tool_calls)
            ]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    messages = [task.result() for task in running]
    return {
        "messages": messages,
        "tool_rounds": state["tool_rounds"] + 1,
        "tool_calls": state["tool_calls"] + len(messages),
        "new_pictures": [message.tool_call_id for message in messages if message.tool_call_id in context.drawn],
    }


def _characters_of_a_result(state: TurnState, context: TurnContext, calls: int) -> int:
    """What each result of this round may take: at most its bound, and its part of what the model's context has left."""
    model = named(state.get("answered_by"), context.model)
    bounds, rate = context.bounds_of(model), context.rate_of(model)
    most = int(bounds.result_tokens * rate)
    if bounds.request_tokens is None:
        return most
    shown = definitions(context.tools, short=bounds.first_request_tokens is not None)
    left = int(bounds.request_tokens * rate) - characters_in(state["messages"], shown)
    return min(most, max(left // max(calls, 1), LEAST_RESULT))


def _doing(call: ToolCall, context: TurnContext) -> str:
    try:
        tool = named_tool(call["name"], context.tools)
        return tool.doing(validated(tool, call["args"]))
    except ToolProblem:
        return f"Calling {call['name'][:64]}"


async def _answer(
    call: ToolCall,
    context: TurnContext,
    windows: tuple[NamedWindow, ...],
    *,
    raw: str | None,
    allowed: bool,
    number: int,
    characters: int,
) -> ToolMessage:
    """The call's message, with its result's number in the conversation: addresses of figures name it. Its text has at
    most so many characters."""
    call_id, name = call["id"] or "", call["name"][:64]
    try:
        tool = named_tool(call["name"], context.tools)
        if raw is not None:
            raise ToolRetry(f"{name}: the arguments are not a JSON object: {raw!r}")
        if not allowed:
            raise ToolRetry(
                f"at most {CALLS_IN_A_ROUND} calls run in one round: call {name} again if you still need it"
            )
        outcome, cut = await run_tool(
            tool,
            call["args"],
            trace=context.turn.opened,
            workers=context.workers,
            seconds=context.bounds.tool_seconds,
            characters=characters,
            tool_context=context.tool_context,
            windows=windows,
        )
    except ToolProblem as problem:
        await context.sink.emit(
            ToolError(tool_call_id=call_id, tool_name=name, code=problem.code, message=problem.text)
        )
        advice = "Call again with this mended." if isinstance(problem, ToolRetry) else "Go on without it."
        return ToolMessage(
            f"{problem.code} error: {problem.text}. {advice}", tool_call_id=call_id, name=name, status="error"
        )
    outcome = replace(outcome, text=f"q{number}: {outcome.text}")
    await _report(tool, call_id, outcome, context, cut=cut, number=number)
    artifact = {"tool": tool.name, "arguments": call["args"], "data": outcome.data, NUMBER: number}
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
