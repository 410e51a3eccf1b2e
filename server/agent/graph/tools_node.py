"""The tools node: the calls of one round side by side, each ending in one event and one message."""

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import AIMessage, ToolCall, ToolMessage

from server.agent.graph.calls.call_endings import failed_call, finished_call
from server.agent.graph.calls.page_node import PageCall
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.fallback import named
from server.agent.model_call.reply_stream import UNREADABLE
from server.agent.model_call.token_counts import characters_in
from server.agent.outside.known_so_far import known_so_far
from server.agent.tools.all_tools import definitions
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.named_windows import NamedWindow
from server.agent.tools.contract.run_tool import named_tool, run_tool
from server.agent.tools.contract.tool_context import NOWHERE, Need, Reach
from server.agent.tools.contract.tool_errors import ToolFailed, ToolProblem, ToolRetry
from server.agent.tools.contract.tool_progress import Progress, followed_progress
from server.agent.tools.contract.window_argument import known_windows
from server.agent.verification.references.tool_results import last_number
from server.protocol.events import ToolProgress, ToolStart
from server.protocol.mounted import shown_view

if TYPE_CHECKING:
    from server.agent.questions.planner import PlanWriter

LEAST_RESULT = 300
"""Characters of a result however little room there is: a head line and two or three rows."""

FOLLOWED: Need = "history"
"""What tools need whose calls say where they stand: they go through many recordings."""

OUTSIDE_CALLS = 3
"""Of tools that reach outside, in one turn."""

CALLS_IN_A_ROUND = 8
"""Calls run in one round; a model that asks for more gets an answer that says so for each of the rest."""


async def run_tools(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Answer every tool call of the last message, in its order. What only the page can answer is left to its node,
    which comes after the others' results are kept."""
    asked = cast("AIMessage", state["messages"][-1])
    windows = known_windows(state["known"])
    characters = _characters_of_a_result(state, context, len(asked.tool_calls))
    before = last_number(context.turn.history) + state["tool_calls"]
    unreadable: dict[str, str] = asked.additional_kwargs.get(UNREADABLE, {})
    outside_before = _outside_before(asked.tool_calls, context, state.get("outside_calls", 0))
    reach = _reach(state, context) if outside_before[-1] else NOWHERE
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
                        may_leave=outside_before[index] < OUTSIDE_CALLS,
                        number=before + index + 1,
                        characters=characters,
                        reach=reach,
                        plan=plan_writer(state, context, before + index + 1),
                    )
                )
                for index, call in enumerate(asked.tool_calls)
            ]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    done = [task.result() for task in running]
    messages = [one for one in done if isinstance(one, ToolMessage)]
    return {
        "messages": messages,
        "tool_rounds": state["tool_rounds"] + 1,
        "tool_calls": state["tool_calls"] + len(done),
        "outside_calls": outside_before[-1],
        "asked_of_page": [asdict(one) for one in done if isinstance(one, PageCall)],
        "new_pictures": [message.tool_call_id for message in messages if message.tool_call_id in context.drawn],
    }


def plan_writer(state: TurnState, context: TurnContext, number: int) -> "PlanWriter | None":
    """Who plans a question of a call with this number: the model that answers; the built-in analyst has its rules."""
    model = named(state.get("answered_by"), context.model)
    if not model.is_language_model or not context.plans_by_model:
        return None
    from server.agent.graph.calls.plan_calls import PlanCalls  # noqa: PLC0415 - the analyst answers without its schema

    return PlanCalls(context, model, number=number, prompt_version=state["prompt_version"])


def _outside_before(calls: Sequence[ToolCall], context: TurnContext, known: int) -> list[int]:
    """How many calls of the turn have gone outside before each of these, and after all of them."""
    outside = {tool.name for tool in context.tools if tool.is_outside}
    return [known, *itertools.accumulate((call["name"] in outside for call in calls), initial=known)][1:]


def _reach(state: TurnState, context: TurnContext) -> Reach:
    """What calls of this round may reach outside, by what is known now."""
    turn = context.turn
    known = known_so_far(state["messages"], turn.core_memory or ())
    return Reach(foreign=turn.foreign, web=turn.web, found_urls=known.urls, leaks_in=known.leaks_in)


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
    may_leave: bool,
    number: int,
    characters: int,
    reach: Reach,
    plan: "PlanWriter | None",
) -> ToolMessage | PageCall:
    """The call's message, with its result's number in the conversation: addresses of figures name it. Its text has at
    most so many characters. Of a call that waits for the page, what the page is asked."""
    call_id, name = call["id"] or "", call["name"][:64]
    try:
        tool = named_tool(call["name"], context.tools)
        if raw is not None:
            raise ToolRetry(f"{name}: the arguments are not a JSON object: {raw!r}")
        if not allowed:
            raise ToolRetry(
                f"at most {CALLS_IN_A_ROUND} calls run in one round: call {name} again if you still need it"
            )
        if tool.is_outside and not may_leave:
            raise ToolFailed(f"at most {OUTSIDE_CALLS} calls of a turn go outside: answer with what is there")
        progress = Progress(_doing(call, context))
        report = partial(_report_progress, context, call_id, name)
        async with followed_progress(progress, report) if FOLLOWED in tool.needs else nullcontext():
            outcome, cut = await run_tool(
                tool,
                call["args"],
                trace=context.turn.opened,
                workers=context.workers,
                seconds=context.bounds.tool_seconds,
                characters=characters,
                tool_context=context.tool_context,
                windows=windows,
                view=shown_view(context.turn.viewer.mounted_tools),
                colours=context.turn.viewer.colours,
                reach=reach,
                plan=plan,
                progress=progress,
            )
    except ToolProblem as problem:
        return await failed_call(context, call_id, name, problem)
    if outcome.asked is not None and tool.waits_by in context.waits_for:
        return PageCall(call_id, tool.name, call["args"], outcome.asked, number, characters, tool.asks_by)
    return await finished_call(context, call_id, tool, call["args"], outcome, cut=cut, number=number)


async def _report_progress(context: TurnContext, call_id: str, name: str, progress: Progress) -> None:
    """Of a call that takes long."""
    await context.sink.emit(
        ToolProgress(
            tool_call_id=call_id,
            tool_name=name,
            message=progress.doing,
            done=progress.done,
            in_all=progress.in_all,
        )
    )
