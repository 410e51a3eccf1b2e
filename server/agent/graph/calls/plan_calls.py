"""The model calls that plan a question over recordings: bound to its schema, each with its row in the ledger."""

from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage

from server.agent.graph.state import TurnContext
from server.agent.model_call.call_ledger import outcome_of
from server.agent.model_call.chat_model import Model
from server.agent.model_call.reply_stream import ended
from server.agent.questions.planner import LONGEST_PLAN, ROUNDS, PlanRequest
from server.agent.questions.question_schema import json_schema
from server.errors import ModelFailed
from server.ports.invocations import Outcome, Purpose

CALLS_FROM = 1_000
"""Numbers of a turn's planning calls begin here: those of its answer stay far below."""
NAME = "question"


class PlanCalls:
    """Implements `PlanWriter` for one tool call of a turn; `number` is that of its result."""

    def __init__(self, context: TurnContext, model: Model, *, number: int, prompt_version: str) -> None:
        self._context = context
        self._model = model
        self._next = CALLS_FROM + number * ROUNDS
        self._prompt_version = prompt_version

    async def write(self, request: PlanRequest) -> str:
        """Raises ModelFailed."""
        said, tools = messages_of(request), [definition()]
        attempts = self._context.attempts(self._next, self._prompt_version, Purpose.PLANNER)
        self._next += 1
        chat = attempts.observed(self._model, self._model.chat.bind_tools(tools), said, tools=tools)
        reply, finish = AIMessageChunk(content=""), None
        try:
            async with aclosing(chat.astream(said)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    reply += AIMessageChunk(content=chunk.text, tool_call_chunks=chunk.tool_call_chunks)
                    finish = ended(chunk.response_metadata) or finish
                    if _length(reply) > LONGEST_PLAN:
                        break
        except ModelFailed as error:
            await attempts.end(outcome_of(error.code), error.code)
            raise
        except BaseException as error:
            await attempts.cut_off(error)
            raise
        await attempts.end(Outcome.OK if finish else Outcome.BROKEN, tool_calls=len(reply.tool_call_chunks))
        return _plan(reply)


def definition() -> dict[str, Any]:
    """The one function that the model is bound to."""
    described = "The question over recordings that answers the person."
    return {"type": "function", "function": {"name": NAME, "description": described, "parameters": json_schema()}}


def messages_of(request: PlanRequest) -> list[AnyMessage]:
    """What the model reads: the rules with what exists, the words, and its earlier plans with why they were refused."""
    said: list[AnyMessage] = [SystemMessage(f"{request.rules}\n\n{request.understood}"), HumanMessage(request.words)]
    for plan, why in request.refused:
        said += [AIMessage(plan or "(nothing)"), HumanMessage(f"It was not run: {why} Write it anew.")]
    return said


def _length(reply: AIMessageChunk) -> int:
    return len(reply.text) + sum(len(call["args"] or "") for call in reply.tool_call_chunks)


def _plan(reply: AIMessageChunk) -> str:
    """The arguments of its call; its text where it made none."""
    arguments = next((call["args"] for call in reply.tool_call_chunks if call["args"]), None)
    return reply.text if arguments is None else arguments
