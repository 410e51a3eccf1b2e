"""The agent node: its limit check, one model call, and what the state keeps of it."""

import uuid
from typing import Any

from langchain_core.messages import AnyMessage, RemoveMessage, ToolMessage

from limits.refusals import session_limit_reached
from server.agent.graph.state import TurnContext, TurnState
from server.agent.graph.tools_node import LEAST_RESULT
from server.agent.model_call.chat_model import Model
from server.agent.model_call.fallback import named
from server.agent.model_call.fitting import fitted
from server.agent.model_call.reply_stream import ReplyReader
from server.agent.model_call.retry import ModelCall, cost_of
from server.agent.model_call.token_counts import characters_in


async def call_model(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Ask the model once. Sets `session_message_limit_hit_in_graph` instead of calling when the session stands over its
    limit.

    Raises ModelFailed.
    """
    if session_limit_reached(state["messages_used"], state["chat_messages_per_session_limit"]):
        return {"session_message_limit_hit_in_graph": True}
    number = state["model_calls"] + 1
    message_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{context.turn.turn_id}/{number}"))
    model = named(state.get("answered_by"), context.model)
    is_last = (
        state["tool_rounds"] >= context.bounds.tool_rounds
        or has_used_its_tokens(state, context)
        or not has_room(state, context, model)
    )
    call = ModelCall(
        turn=context.turn,
        number=number,
        sink=context.sink,
        reader=ReplyReader(context.sink, message_id, most_tokens=context.bounds.answer_tokens),
        recorder=context.recorder,
        chosen=context.model,
        model=model,
        messages=state["messages"],
        fit=lambda one, messages: fitted_for(messages, context, one, with_tools=not is_last),
        pictures=drawn(context, state["new_pictures"]),
        definitions=lambda one: [] if is_last else definitions_for(context, one),
        taken_ids={message.tool_call_id for message in state["messages"] if isinstance(message, ToolMessage)},
        is_last=is_last,
        prompt_version=state["prompt_version"],
        attempts=context.attempts(number, state["prompt_version"]),
        gave_up=state.get("gave_up", ""),
    )
    reply = await call.reply()
    if call.sent_characters is not None and reply.usage:
        context.token_rates.learn(call.model.name, call.sent_characters, reply.usage["input_tokens"])
    update: dict[str, Any] = {
        "messages": [*(RemoveMessage(id=one.id or "") for one in call.left_out), reply.message],
        "model_calls": number,
        "input_tokens": summed(state["input_tokens"], reply.usage and reply.usage["input_tokens"]),
        "output_tokens": summed(state["output_tokens"], reply.usage and reply.usage["output_tokens"]),
        "costs": [*state.get("costs", []), cost_of(call.model, reply)],
        "notes": state.get("notes", {}) | call.notes,
    }
    if call.model is not context.model:
        update |= {
            "answered_by": call.model.name,
            "answered_as": call.model.label,
            "gave_up": call.gave_up,
        }
    return update | ({"answer_id": message_id} if reply.message.text else {})


def definitions_for(context: TurnContext, model: Model) -> list[dict[str, Any]]:
    """The tools as this model is offered them. The analyst looks at their names alone: where nobody keeps what it was
    asked, the schemas of all arguments are not made, which takes 20 ms."""
    if not model.is_language_model and context.recorder is None and context.ledger is None and not context.described:
        return [{"type": "function", "function": {"name": tool.name}} for tool in context.tools]
    return context.definitions(short=context.bounds_of(model).first_request_tokens is not None)


def has_used_its_tokens(state: TurnState, context: TurnContext) -> bool:
    """Whether the turn has come to the tokens that its plan allows it."""
    limit = context.turn.token_limit
    return limit is not None and (state["input_tokens"] or 0) + (state["output_tokens"] or 0) >= limit


def has_room(state: TurnState, context: TurnContext, model: Model) -> bool:
    """Whether the model's context has room for one more tool call with its result."""
    bounds = context.bounds_of(model)
    if bounds.request_tokens is None:
        return True
    messages = fitted_for(state["messages"], context, model, with_tools=True)
    taken = characters_in(messages, definitions_for(context, model))
    return taken + 2 * LEAST_RESULT <= bounds.request_tokens * context.rate_of(model)


def fitted_for(messages: list[AnyMessage], context: TurnContext, model: Model, *, with_tools: bool) -> list[AnyMessage]:
    """The messages as this model's context takes them."""
    bounds = context.bounds_of(model)
    if bounds.request_tokens is None:
        return messages
    tools = characters_in([], definitions_for(context, model)) if with_tools else 0
    return fitted(messages, int(bounds.request_tokens * context.rate_of(model)) - tools)


def drawn(context: TurnContext, new_pictures: list[str]) -> list[bytes]:
    """The newest pictures of the round just run, oldest first."""
    newest = new_pictures[-context.bounds.pictures_per_call :]
    return [context.drawn[call_id] for call_id in newest if call_id in context.drawn]


def summed(known: int | None, more: int | None) -> int | None:
    """Tokens so far and of one more call; None as long as no provider has said any."""
    return known if more is None else (known or 0) + more
