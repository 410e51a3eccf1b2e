"""The agent as the rest of the application knows it: one prompt in, events on the way, an answer out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from langchain_core.messages import AIMessage

from limits.refusals import Decision, LimitType
from server.agent.bounds import AgentBounds
from server.agent.graph.plain_loop import run_nodes
from server.agent.graph.recorded_events import EventRecorder
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import ChatModels, Model
from server.agent.model_call.debug_messages import MessageRecorder
from server.agent.model_call.fallback import named
from server.agent.model_call.offered_models import ANALYST
from server.agent.model_call.token_counts import TokenRates
from server.agent.outside.foreign_tools import foreign_tools
from server.agent.outside.web_tools import web_tools
from server.agent.tools.all_tools import offered_tools
from server.agent.turn import Pictures, TurnAnswer, TurnInput, TurnSink
from server.errors import LimitExceeded, ModelFailed
from server.ports.prompts import Prompts
from server.ports.traces import TraceWorkers
from server.protocol.mounted import answering_tools
from server.protocol.wire_values import Check, Citation, OutsideSource, Usage

Run = Callable[[TurnState, TurnContext], Awaitable[TurnState]]
"""From a turn's first state to the one in which it ends."""


class FlamechatAgent:
    """Implements `turn.Agent` with the graph. `debug_dir` is where each model call's exact messages are written, None:
    nowhere; `tracing` gives the callbacks of a tracing service; `ledger` takes what each model call was and cost.
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
        run: Run = run_nodes,
        clock: Callable[[], float] = time.monotonic,
        ledger: CallLedger | None = None,
    ) -> None:
        self._models = models
        self._prompts = prompts
        self._workers = workers
        self._pictures = pictures
        self._bounds = bounds or AgentBounds()
        self._recorder = MessageRecorder(debug_dir) if debug_dir else None
        self._run = run
        self._clock = clock
        self._ledger = ledger
        self._token_rates = TokenRates()

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """Run one turn to its answer; see `turn.Agent.answer`."""
        model = await model_of(
            self._models, turn.model_name, turn.offered_models, analyst_over_budget=turn.analyst_over_budget
        )
        deadline = asyncio.timeout(self._bounds.turn_seconds)
        can_wait = getattr(self._run, "can_wait", False)
        context = self.context(turn, sink, model, can_wait=can_wait, has_expired=deadline.expired)
        since = self._clock()
        try:
            async with deadline:
                state = await self._run(first_state(turn), context)
        except TimeoutError:
            raise too_late(self._bounds.turn_seconds) from None
        label = named(state.get("answered_by"), context.model).label
        return answer_of(turn, state, label, self._clock() - since)

    def context(
        self, turn: TurnInput, sink: TurnSink, model: Model, *, can_wait: bool, has_expired: Callable[[], bool]
    ) -> TurnContext:
        """What a turn's nodes run with while this model answers. `can_wait` says that it may wait for the page."""
        smallest = model.smallest_context()
        mounted, can_wait = turn.viewer.mounted_tools, can_wait and turn.flags.interrupts
        answering = answering_tools(mounted) if can_wait else frozenset[str]()
        tools = offered_tools(mounted, tool_context=turn.tool_context, hidden=turn.hidden_tools, can_wait=can_wait)
        return TurnContext(
            turn=turn,
            sink=EventRecorder(sink),
            model=model,
            prompts=self._prompts,
            workers=self._workers,
            pictures=self._pictures,
            bounds=self._bounds.within(smallest.context, output_tokens=smallest.output_tokens),
            tools=(
                *tools,
                *web_tools(is_there=turn.web is not None, hidden=turn.hidden_tools),
                *foreign_tools(turn.foreign, hidden=turn.hidden_tools, answering=answering),
            ),
            waits_for=answering,
            tool_context=turn.tool_context,
            recorder=self._recorder,
            token_rates=self._token_rates,
            ledger=self._ledger,
            has_expired=has_expired,
        )


async def model_of(
    models: ChatModels, name: str | None, offered: Sequence[str] | None, *, analyst_over_budget: bool
) -> Model:
    """The model that is to answer a turn, with those that may take over. Raises ModelFailed for one that is not
    offered."""
    await models.learn(name, offered=offered)
    model = models.model(name, offered=offered)
    if analyst_over_budget and model.is_language_model:
        return replace(model, over_budget=models.model(ANALYST))
    return model


def too_late(seconds: float) -> ModelFailed:
    """Of a turn that was not answered within so many seconds."""
    return ModelFailed(
        f"No answer within {seconds:g} s. Try again, or ask a narrower question.",
        code="deadline",
    )


def first_state(turn: TurnInput) -> TurnState:
    """In which the graph begins."""
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


def answer_of(turn: TurnInput, state: TurnState, model: str, seconds: float) -> TurnAnswer:
    """What a turn has come to whose graph ended in this state; `model` is the label of the one that answered. Raises
    LimitExceeded where the session stood over its ceiling."""
    if state["session_message_limit_hit_in_graph"]:
        raise LimitExceeded(_refusal(turn))
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
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
            seconds=round(seconds, 1),
        ),
        citations=tuple(Citation.model_validate(one) for one in state["references"]),
        checks=tuple(Check.model_validate(one) for one in state["checks"]),
        suggestions=tuple(state["suggestions"]),
        sources=tuple(OutsideSource.model_validate(one) for one in state.get("outside_sources", ())),
        used_facts=tuple(state.get("used_facts", ())),
        title=state["title"],
        model=model,
        prompt_version=state["prompt_version"],
        notes=state["notes"],
    )
