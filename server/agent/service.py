"""The agent as the rest of the application knows it: one prompt in, events on the way, an answer out."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command

from limits.decisions import Decision, LimitType
from server.agent.bounds import AgentBounds
from server.agent.graph.compiled_graph import build_graph
from server.agent.graph.recorded_events import EventRecorder, recorded_before
from server.agent.graph.state import STATE_VERSION, TurnContext, TurnState
from server.agent.model_call.chat_model import ChatModels
from server.agent.model_call.debug_messages import MessageRecorder
from server.agent.model_call.fallback import named
from server.agent.tools.all_tools import offered_tools
from server.agent.tracing import Tracing
from server.agent.turn import Pictures, TurnAnswer, TurnInput, TurnSink
from server.errors import LimitExceeded, ModelFailed
from server.ports.prompts import Prompts
from server.ports.traces import TraceWorkers
from server.protocol.events import TurnStarted
from server.protocol.wire_values import Check, Citation, Usage

LIMITS: tuple[Literal["chat_messages_per_session_limit", "plan_name", "messages_used"], ...] = (
    "chat_messages_per_session_limit",
    "plan_name",
    "messages_used",
)
"""Keys of the state that a later attempt takes from the plan as it is now: the session may have reached its limit."""

Checkpoints = Callable[[], BaseCheckpointSaver[Any]]
"""A saver for one turn: savers are not shared, they do one thing at a time."""


class FlamechatAgent:
    """Implements `turn.Agent` with the graph. `debug_dir` is where each model call's exact messages are written, None:
    nowhere; `tracing` gives the callbacks of a tracing service.
    """

    def __init__(
        self,
        *,
        models: ChatModels,
        prompts: Prompts,
        workers: TraceWorkers,
        pictures: Pictures,
        bounds: AgentBounds | None = None,
        debug_dir: Path | None = None,
        checkpoints: Checkpoints | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._models = models
        self._prompts = prompts
        self._workers = workers
        self._pictures = pictures
        self._bounds = bounds or AgentBounds()
        self._recorder = MessageRecorder(debug_dir) if debug_dir else None
        self._graph = build_graph()
        self._checkpoints = checkpoints
        self._tracing = tracing

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """Run one turn to its answer; see `turn.Agent.answer`."""
        context = TurnContext(
            turn=turn,
            sink=EventRecorder(sink),
            model=self._models.model(turn.model_name, offered=turn.offered_models),
            prompts=self._prompts,
            workers=self._workers,
            pictures=self._pictures,
            bounds=self._bounds,
            tools=offered_tools(turn.viewer.mounted_tools, tool_context=turn.tool_context, hidden=turn.hidden_tools),
            tool_context=turn.tool_context,
            recorder=self._recorder,
        )
        try:
            async with asyncio.timeout(self._bounds.turn_seconds):
                state = await self._run(turn, context)
        except TimeoutError:
            raise ModelFailed(
                f"No answer within {self._bounds.turn_seconds:g} s. Try again, or ask a narrower question.",
                code="deadline",
            ) from None
        if state["session_message_limit_hit_in_graph"]:
            raise LimitExceeded(_refusal(turn))
        return _answer(cast("TurnState", state), context)

    async def _run(self, turn: TurnInput, context: TurnContext) -> dict[str, Any]:
        """The state in which the graph ends. A later attempt goes on after the earlier one's last complete step."""
        config: RunnableConfig = {"recursion_limit": self._bounds.recursion_limit}
        if self._tracing is not None:
            config |= self._tracing(turn)
        if self._checkpoints is None:
            return await self._graph.ainvoke(_first_state(turn), config=config, context=context)
        graph = self._graph.copy({"checkpointer": self._checkpoints()})
        config["configurable"] = {"thread_id": _thread_of(turn), "attempt": turn.attempt}
        first = _first_state(turn)
        given: TurnState | Command[str] = first
        if turn.attempt > 1:
            found = await graph.aget_state(config)
            if version := found.values.get("prompt_version"):
                context.sink.restore(recorded_before(found.values))
                label = named(found.values.get("answered_by"), context.model).label
                await context.sink.emit(TurnStarted(attempt=turn.attempt, model=label, prompt_version=version))
                # Not `found.next`: it is empty, too, between the writes of a step and the checkpoint after it.
                if "title" in found.values or found.values["session_message_limit_hit_in_graph"]:
                    return found.values
                given = Command(update={name: first[name] for name in LIMITS})
                for call_id in found.values["new_pictures"]:
                    if png := await self._pictures.load(turn, call_id):
                        context.drawn[call_id] = png
        return await graph.ainvoke(given, config=config, context=context, durability="sync")


def _thread_of(turn: TurnInput) -> str:
    """Where the turn's checkpoints are kept: `user/turn/version of the state`."""
    return f"{turn.caller.user_id}/{turn.turn_id}/{STATE_VERSION}"


def _first_state(turn: TurnInput) -> TurnState:
    return TurnState(
        messages=[],
        tool_rounds=0,
        model_calls=0,
        tool_calls=0,
        input_tokens=None,
        output_tokens=None,
        new_pictures=[],
        recorded_events=[],
        chat_messages_per_session_limit=turn.messages_limit,
        plan_name=turn.plan_name,
        messages_used=turn.messages_used,
        session_message_limit_hit_in_graph=False,
    )


def _refusal(turn: TurnInput) -> Decision:
    return Decision(
        allowed=False,
        plan_name=turn.plan_name,
        messages_used=turn.messages_used,
        messages_limit=turn.messages_limit,
        limit_type=LimitType.SESSION_MESSAGES,
        used=turn.messages_used,
        limit=turn.messages_limit,
    )


def _answer(state: TurnState, context: TurnContext) -> TurnAnswer:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    model = named(state.get("answered_by"), context.model).label
    costs = [cost for cost in state["costs"] if cost is not None]
    return TurnAnswer(
        message_id=state["answer_id"],
        text=last.text,
        usage=Usage(
            input_tokens=state["input_tokens"],
            output_tokens=state["output_tokens"],
            model_calls=state["model_calls"],
            tool_calls=state["tool_calls"],
            cost=sum(costs) if len(costs) == len(state["costs"]) else None,
            model=model,
        ),
        citations=tuple(Citation.model_validate(one) for one in state["references"]),
        checks=tuple(Check.model_validate(one) for one in state["checks"]),
        suggestions=tuple(state["suggestions"]),
        title=state["title"],
        model=model,
        prompt_version=state["prompt_version"],
        notes=state["notes"],
    )
