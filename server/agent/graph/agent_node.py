"""The agent node: its limit check, one model call, and what the state keeps of it."""

import uuid
from typing import Any

from langchain_core.messages import RemoveMessage, ToolMessage

from limits.refusals import session_limit_reached
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.fallback import named
from server.agent.model_call.reply_stream import ReplyReader
from server.agent.model_call.retry import ModelCall, cost_of
from server.agent.tools.contract.schema import function_definition


async def call_model(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Ask the model once. Sets `session_message_limit_hit_in_graph` instead of calling when the session stands over its
    limit.

    Raises ModelFailed.
    """
    if session_limit_reached(state["messages_used"], state["chat_messages_per_session_limit"]):
        return {"session_message_limit_hit_in_graph": True}
    number = state["model_calls"] + 1
    message_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{context.turn.turn_id}/{number}"))
    is_last = state["tool_rounds"] >= context.bounds.tool_rounds
    call = ModelCall(
        turn=context.turn,
        number=number,
        sink=context.sink,
        reader=ReplyReader(context.sink, message_id),
        recorder=context.recorder,
        chosen=context.model,
        model=named(state.get("answered_by"), context.model),
        messages=state["messages"],
        pictures=drawn(context, state["new_pictures"]),
        definitions=[] if is_last else [function_definition(tool) for tool in context.tools],
        taken_ids={message.tool_call_id for message in state["messages"] if isinstance(message, ToolMessage)},
        is_last=is_last,
        prompt_version=state["prompt_version"],
    )
    reply = await call.reply()
    update: dict[str, Any] = {
        "messages": [*(RemoveMessage(id=one.id or "") for one in call.left_out), reply.message],
        "model_calls": number,
        "input_tokens": summed(state["input_tokens"], reply.usage and reply.usage["input_tokens"]),
        "output_tokens": summed(state["output_tokens"], reply.usage and reply.usage["output_tokens"]),
        "costs": [*state.get("costs", []), cost_of(call.model, reply)],
        "notes": state.get("notes", {}) | call.notes,
    }
    if call.model is not context.model:
        update["answered_by"] = call.model.name
    return update | ({"answer_id": message_id} if reply.message.text else {})


def drawn(context: TurnContext, new_pictures: list[str]) -> list[bytes]:
    """The newest pictures of the round just run, oldest first."""
    newest = new_pictures[-context.bounds.pictures_per_call :]
    return [context.drawn[call_id] for call_id in newest if call_id in context.drawn]


def summed(known: int | None, more: int | None) -> int | None:
    """Tokens so far and of one more call; None as long as no provider has said any."""
    return known if more is None else (known or 0) + more
