"""One chance for a model to repair an answer too much of which is not in the trace."""

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from server.agent.bounds import AgentBounds
from server.agent.graph.agent_node import summed
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.fallback import named
from server.agent.model_call.reply_stream import BrokenReply, ReplyReader
from server.agent.model_call.retry import TRANSIENT, cost_of
from server.errors import ModelFailed
from server.quoting import quoted

LISTED_CLAIMS = 12
"""The most claims that are listed: an answer with more is to be written anew anyhow."""

INSTRUCTION = (
    "Your answer was held against the tool results and the trace. These claims are not found there:\n{claims}\n"
    "Write the whole answer again: correct each of them from the results above, or leave it out, or say that it is not "
    "known. Keep what was right. Do not mention this message."
)


def needs_repair(state: TurnState, bounds: AgentBounds) -> bool:
    """Whether so many claims were not found that the model is asked again; once in a turn."""
    if state.get("repaired"):
        return False
    missing = sum(check["status"] == "not_found" for check in state["checks"])
    return bool(missing >= bounds.unverified_least and missing > bounds.unverified_share * len(state["checks"]))


async def repair(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """The answer written again in its own place; the first one stays when that fails."""
    model = named(state.get("answered_by"), context.model)
    first = state["messages"][-1]
    if not model.is_language_model:
        return {"repaired": True}
    missing = [check for check in state["checks"] if check["status"] == "not_found"]
    claims = "\n".join(f"- {check['kind']} {quoted(check['claim'], 80)}" for check in missing[:LISTED_CLAIMS])
    asked = HumanMessage(INSTRUCTION.format(claims=claims), additional_kwargs={TRANSIENT: True})
    reader = ReplyReader(context.sink, state["answer_id"], replaces=True)
    try:
        reply = await reader.read(model.chat, [*state["messages"], asked], with_tools=False, taken_ids=set())
    except (BrokenReply, ModelFailed):
        await reader.say_instead(first.text)
        return {"repaired": True}
    return {
        "repaired": True,
        "messages": [AIMessage(reply.message.text, id=first.id)],
        "model_calls": state["model_calls"] + 1,
        "input_tokens": summed(state["input_tokens"], reply.usage and reply.usage["input_tokens"]),
        "output_tokens": summed(state["output_tokens"], reply.usage and reply.usage["output_tokens"]),
        "costs": [*state.get("costs", []), cost_of(model, reply)],
    }
