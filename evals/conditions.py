"""Who is asked: the built-in analyst, a model with the tools, or the same model with a text dump and no tools."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.messages.ai import add_ai_message_chunks
from openai import OpenAIError

from evals.answer import Answer, ToolCall
from evals.dump import DUMP_PROMPT, dump
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.model_call.chat_model import ChatModels
from server.agent.turn import Agent, TurnInput
from server.agent.verification.facts import gathered
from server.agent.verification.references.checked_answer import checked_answer
from server.errors import ServerError
from server.ports.identity import LOCAL_USER_ID, Caller
from server.ports.traces import TraceRow
from server.protocol.events import ToolError, ToolResult, ToolStart, TurnEvent
from server.protocol.wire_values import ViewerState
from traces.analysis.summary import summarise
from traces.model import Trace

ASKED_AT = datetime(2026, 1, 2, 15, 4, tzinfo=UTC)


class Condition(Protocol):
    """One way to get an answer. `runs` is how often a case is asked: once where answers cannot differ."""

    @property
    def name(self) -> str: ...

    @property
    def runs(self) -> int: ...

    async def ask(self, trace: Trace, prompt: str) -> Answer: ...


class NoPictures:
    """Pictures are drawn and not kept."""

    async def load(self, turn: TurnInput, tool_call_id: str) -> bytes | None:
        return None

    async def save(self, turn: TurnInput, tool_call_id: str, png: bytes) -> str:
        return "not kept"


@dataclass(slots=True)
class _Steps:
    """The tool calls of a turn; those that start before a result comes are one round."""

    calls: list[ToolCall] = field(default_factory=list)
    rounds: int = 0
    _starting: bool = False

    async def emit(self, event: TurnEvent) -> None:
        if isinstance(event, ToolStart):
            self.rounds += not self._starting
            self._starting = True
        elif isinstance(event, ToolResult | ToolError):
            self._starting = False
            self.calls.append(
                ToolCall(tool=event.tool_name, text=event.text_content if isinstance(event, ToolResult) else "")
            )

    def restore(self, events: Sequence[TurnEvent]) -> None:
        """Nothing is taken up: every case has one attempt."""


@dataclass(slots=True)
class WithTools:
    """The agent as the product runs it; `model` is the name of the model that answers."""

    name: str
    agent: Agent
    workers: InlineTraceWorkers
    model: str | None = None
    runs: int = 1

    async def ask(self, trace: Trace, prompt: str) -> Answer:
        steps = _Steps()
        try:
            answer = await self.agent.answer(self._turn(trace, prompt), steps)
        except ServerError as error:
            return Answer(text="", calls=tuple(steps.calls), tool_rounds=steps.rounds, error=str(error))
        return Answer(
            text=answer.text,
            checks=answer.checks,
            citations=answer.citations,
            calls=tuple(steps.calls),
            tool_rounds=steps.rounds,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
        )

    def _turn(self, trace: Trace, prompt: str) -> TurnInput:
        summary = summarise(trace)
        row = TraceRow(
            trace_id=str(uuid.uuid5(uuid.NAMESPACE_URL, trace.content_key)),
            account_id=LOCAL_USER_ID,
            user_id=LOCAL_USER_ID,
            name=trace.name,
            sha256=trace.content_key,
            size_bytes=trace.source_bytes,
            format=trace.format,
            unit=summary.unit,
            duration_ns=summary.duration_ns,
            summary=summary.as_json(),
            object_path="",
            created_at=ASKED_AT,
        )
        return TurnInput(
            turn_id=str(uuid.uuid4()),
            session_id=str(uuid.uuid4()),
            attempt=1,
            caller=Caller(user_id=LOCAL_USER_ID, account_id=LOCAL_USER_ID),
            trace=row,
            opened=self.workers.hold(trace),
            prompt=prompt,
            history=(),
            viewer=ViewerState(),
            model_name=self.model,
            plan_name="local",
            messages_used=2,
            messages_limit=None,
            local_time=ASKED_AT,
            is_first_answer=True,
        )


@dataclass(slots=True)
class WithDump:
    """The model, one text about the trace, and nothing else."""

    name: str
    models: ChatModels
    model: str | None = None
    runs: int = 1

    async def ask(self, trace: Trace, prompt: str) -> Answer:
        messages = dump(trace)
        asked = [SystemMessage("\n\n".join([DUMP_PROMPT, *(part.text for part in messages)])), HumanMessage(prompt)]
        try:
            pieces = [piece async for piece in self.models.model(self.model).chat.astream(asked)]
        except (ServerError, OpenAIError) as error:
            return Answer(text="", with_tools=False, error=str(error))
        reply = add_ai_message_chunks(*pieces)
        verification = checked_answer(trace, reply.text, gathered(messages, {}), prompt, ())
        usage = reply.usage_metadata
        return Answer(
            text=reply.text,
            checks=verification.checks,
            citations=verification.citations,
            input_tokens=usage["input_tokens"] if usage else None,
            output_tokens=usage["output_tokens"] if usage else None,
            with_tools=False,
        )
