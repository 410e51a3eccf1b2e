"""One chance for a model to repair an answer too much of which the trace contradicts."""

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from server.agent.bounds import AgentBounds
from server.agent.graph.agent_node import fitted_for, summed
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.call_ledger import outcome_of
from server.agent.model_call.fallback import named
from server.agent.model_call.reply_stream import BrokenReply, ReplyReader
from server.agent.model_call.retry import TRANSIENT, cost_of
from server.errors import ModelFailed
from server.ports.invocations import Outcome
from server.quoting import quoted

LISTED_CLAIMS = 12
"""The most claims that are listed: an answer with more is to be written anew anyhow."""

INSTRUCTION = (
    "Your answer was held against the tool results and the trace. These claims do not fit it:\n{claims}\n"
    "Write the whole answer again: correct each of them from the results above, or leave it out, or say that it is not "
    "known. Keep what was right. Do not mention this message."
)


def needs_repair(state: TurnState, bounds: AgentBounds) -> bool:
    """Whether so many claims are contradicted that the model is asked again; once in a turn."""
    if state.get("repaired"):
        return False
    wrong = len(_wrong(state))
    return bool(wrong >= bounds.contradicted_least and wrong > bounds.contradicted_share * len(state["checks"]))


def _wrong(state: TurnState) -> list[dict[str, Any]]:
    """Claims that the trace speaks against, and names that it does not have."""
    return [check for check in state["checks"] if check["status"] in ("contradicted", "not_found")]


def _listed(check: dict[str, Any]) -> str:
    actual = f": the trace says {quoted(check['actual'], 120)}" if check.get("actual") else ""
    return f"- {check['kind']} {quoted(check['claim'], 80)}{actual}"


async def repair(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """The answer written again in its own place; the first one stays when that fails."""
    model = named(state.get("answered_by"), context.model)
    first = state["messages"][-1]
    if not model.is_language_model:
        return {"repaired": True}
    claims = "\n".join(_listed(check) for check in _wrong(state)[:LISTED_CLAIMS])
    asked = HumanMessage(INSTRUCTION.format(claims=claims), additional_kwargs={TRANSIENT: True})
    most_tokens = context.bounds.answer_tokens
    reader = ReplyReader(context.sink, state["answer_id"], replaces=True, most_tokens=most_tokens)
    shown = fitted_for(state["messages"], context, model, with_tools=False)
    attempts = context.attempts(state["model_calls"] + 1, state["prompt_version"])
    messages = [*shown, asked]
    chat = attempts.observed(model, model.chat, messages)
    try:
        reply = await reader.read(chat, messages, with_tools=False, taken_ids=set())
        await attempts.end(Outcome.OK, tool_calls=0)
        await attempts.keep(messages, [], reply.message, None)
    except (BrokenReply, ModelFailed) as error:
        code = error.code if isinstance(error, ModelFailed) else "model_stream_broken"
        await attempts.end(outcome_of(code), code)
        await attempts.keep(messages, [], None, code)
        await reader.say_instead(first.text)
        return {"repaired": True}
    except BaseException as error:
        await attempts.cut_off(error)
        raise
    return {
        "repaired": True,
        "messages": [AIMessage(reply.message.text, id=first.id)],
        "model_calls": state["model_calls"] + 1,
        "input_tokens": summed(state["input_tokens"], reply.usage and reply.usage["input_tokens"]),
        "output_tokens": summed(state["output_tokens"], reply.usage and reply.usage["output_tokens"]),
        "costs": [*state.get("costs", []), cost_of(model, reply)],
    }
