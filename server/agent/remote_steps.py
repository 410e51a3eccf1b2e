"""A turn's steps for a graph that runs elsewhere: all but the model calls are made here, by the same nodes."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from langchain_core.messages import AIMessage

from server.agent.graph.node_order import NODES
from server.agent.graph.state import TurnState
from server.agent.graph.state_json import state_as_json, state_of_json
from server.agent.model_call.chat_model import Model, ReplyStream
from server.agent.service import FlamechatAgent
from server.agent.tools.all_tools import definitions
from server.agent.turn import TurnInput, TurnSink
from server.errors import BadRequest
from server.protocol.run_steps import ModelFacts, RunSetup, StepName

NEEDS: dict[StepName, frozenset[str]] = {
    "setup": frozenset({"tool_rounds"}),
    "tools": frozenset({"messages", "known", "tool_rounds", "tool_calls", "prompt_version"}),
    "page": frozenset({"messages", "asked_of_page"}),
    "check": frozenset({"messages", "known"}),
    "finish": frozenset({"messages"}),
}
"""Keys of the state without which a step cannot be made."""


class RemoteSteps:
    """Over the agent of this server, of which no model is called here."""

    def __init__(self, agent: FlamechatAgent) -> None:
        self._agent = agent

    def setup(self, turn: TurnInput) -> RunSetup:
        """What the graph needs for its model calls."""
        context = self._agent.context(turn, _Silent(), ELSEWHERE, can_wait=True, has_expired=lambda: False)
        return RunSetup(
            turn_id=turn.turn_id,
            attempt=turn.attempt,
            model_name=turn.model_name,
            offered_models=turn.offered_models,
            token_limit=turn.token_limit,
            analyst_over_budget=turn.analyst_over_budget,
            tools=definitions(context.tools, short=False),
            few_tools=definitions(context.tools, short=True),
            bounds=asdict(context.bounds),
        )

    async def step(
        self,
        turn: TurnInput,
        name: StepName,
        state: dict[str, Any],
        *,
        models: Sequence[ModelFacts],
        page_result: dict[str, Any] | None,
        sink: TurnSink,
    ) -> dict[str, Any]:
        """What the step makes of the state, as JSON; its events go to the sink. The limits of the state are those of
        the turn, whatever the state says.

        Raises BadRequest for a state that is none, or that the step has no use for, and what the node raises.
        """
        known = _state(name, state, turn)
        context = replace(
            self._agent.context(turn, sink, model_of(models), can_wait=True, has_expired=lambda: False),
            plans_by_model=False,
            wait=lambda _: page_result or {},
        )
        return state_as_json(await NODES[name](known, context))


def _state(name: StepName, written: dict[str, Any], turn: TurnInput) -> TurnState:
    try:
        state = state_of_json(written)
    except ValueError as error:
        raise BadRequest(f"state: {error}", field="state") from None
    missing = NEEDS[name] - state.keys()
    if missing:
        raise BadRequest(f"state: {name} needs {', '.join(sorted(missing))}", field="state")
    if "messages" in NEEDS[name] and not state["messages"]:
        raise BadRequest(f"state: {name} needs a message", field="state")
    if name == "tools" and not isinstance(state["messages"][-1], AIMessage):
        raise BadRequest("state: the last message asks for no tool", field="state")
    if name == "page" and not state["asked_of_page"]:
        raise BadRequest("state: nothing is asked of the page", field="state")
    limits = {
        "chat_messages_per_session_limit": turn.messages_limit,
        "plan_name": turn.plan_name,
        "messages_used": turn.messages_used,
    }
    return cast("TurnState", state | limits)


class _Elsewhere:
    """The chat of a model that is called where the graph runs."""

    def bind_tools(self, _: Sequence[Any], /) -> ReplyStream:
        raise AssertionError("this model is called where the graph runs")

    def with_config(self, *, metadata: dict[str, Any]) -> ReplyStream:
        raise AssertionError("this model is called where the graph runs")

    def astream(self, _: Sequence[Any], /) -> Any:
        raise AssertionError("this model is called where the graph runs")


ELSEWHERE = Model(chat=_Elsewhere(), name="", label="", sees_pictures=False)


def model_of(models: Sequence[ModelFacts]) -> Model:
    """The chosen one with its fallbacks, as far as they are known here. Raises BadRequest where there is none."""
    if not models:
        raise BadRequest("models: there is none", field="models")
    chosen, *fallbacks = [Model(chat=_Elsewhere(), **one.model_dump()) for one in models]
    return replace(chosen, fallbacks=tuple(fallbacks))


class _Silent:
    """A TurnSink for what emits nothing."""

    async def emit(self, event: Any) -> None:
        raise AssertionError("nothing is emitted before a step")

    def restore(self, events: Sequence[Any]) -> None:
        raise AssertionError("nothing is restored before a step")
