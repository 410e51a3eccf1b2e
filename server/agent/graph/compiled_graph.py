"""A turn's nodes as a LangGraph graph, which keeps a checkpoint after each and can be watched. Compiled once;
everything that belongs to one turn comes with its state and context.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Interrupt, interrupt

from server.agent.graph import node_order
from server.agent.graph.node_order import NODES, SUCCESSORS, next_node
from server.agent.graph.recorded_events import Node, recorded_before
from server.agent.graph.state import STATE_VERSION, TurnContext, TurnState
from server.agent.model_call.fallback import named
from server.agent.tracing import Tracing
from server.agent.turn import PageQuestion, TurnInput, WaitsForPage
from server.protocol.events import TurnStarted

TurnGraph = CompiledStateGraph[TurnState, TurnContext, TurnState, TurnState]

Checkpoints = Callable[[], BaseCheckpointSaver[Any]]
"""A saver for one turn: savers are not shared, they do one thing at a time."""

LIMITS: tuple[Literal["chat_messages_per_session_limit", "plan_name", "messages_used"], ...] = (
    "chat_messages_per_session_limit",
    "plan_name",
    "messages_used",
)
"""Keys of the state that a later attempt takes from the plan as it is now: the session may have reached its limit."""


def build_graph() -> TurnGraph:
    graph: StateGraph[TurnState, TurnContext, Any, Any] = StateGraph(TurnState, context_schema=TurnContext)
    for name, node in NODES.items():
        graph.add_node(name, _with_runtime(node))
    graph.add_edge(START, node_order.FIRST)
    for name, successors in SUCCESSORS.items():
        places = {one: one or END for one in successors}
        if len(places) == 1:
            graph.add_edge(name, *places.values())
        else:
            graph.add_conditional_edges(name, _choice_after(name), cast("dict[Any, str]", places))
    return graph.compile()


def _with_runtime(node: Node) -> Any:
    """The node as LangGraph calls it."""

    async def run(state: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
        return await node(state, runtime.context)

    return run


def _choice_after(name: str) -> Any:
    def choice(state: TurnState, runtime: Runtime[TurnContext]) -> str:
        return next_node(name, state, runtime.context.bounds)

    return choice


class GraphRun:
    """Runs turns through the graph, with a checkpoint after each node and callbacks for those who watch."""

    def __init__(self, *, checkpoints: Checkpoints | None, tracing: Tracing | None) -> None:
        self._graph = build_graph()
        self._checkpoints = checkpoints
        self._tracing = tracing

    async def __call__(self, first: TurnState, context: TurnContext) -> TurnState:
        """The state in which the graph ends. A later attempt goes on after the earlier one's last complete step."""
        turn = context.turn
        config: RunnableConfig = {"recursion_limit": context.bounds.recursion_limit}
        if self._tracing is not None:
            config |= self._tracing(turn)
        if self._checkpoints is None:
            return cast("TurnState", await self._graph.ainvoke(first, config=config, context=context))
        context = replace(context, wait=interrupt)
        graph = self._graph.copy({"checkpointer": self._checkpoints()})
        config["configurable"] = {"thread_id": thread_of(turn), "attempt": turn.attempt}
        given: TurnState | Command[str] = first
        if turn.attempt > 1:
            found = await graph.aget_state(config)
            if version := found.values.get("prompt_version"):
                context.sink.restore(recorded_before(found.values))
                label = named(found.values.get("answered_by"), context.model).label
                await context.sink.emit(TurnStarted(attempt=turn.attempt, model=label, prompt_version=version))
                # Not `found.next`: it is empty, too, between the writes of a step and the checkpoint after it.
                if "title" in found.values or found.values["session_message_limit_hit_in_graph"]:
                    return cast("TurnState", found.values)
                given = Command(update={name: first[name] for name in LIMITS}, resume=_answers(found.interrupts, turn))
                for call_id in found.values["new_pictures"]:
                    if png := await context.pictures.load(turn, call_id):
                        context.drawn[call_id] = png
        ended = await graph.ainvoke(given, config=config, context=context, durability="sync")
        for waiting in ended.get("__interrupt__", ()):
            raise WaitsForPage(PageQuestion(**waiting.value))
        return cast("TurnState", ended)

    @property
    def can_wait(self) -> bool:
        """Whether a turn may wait for the page and go on later."""
        return self._checkpoints is not None


def _answers(waiting: Sequence[Interrupt], turn: TurnInput) -> dict[str, Any] | None:
    """The page's answer for the node that waits for it, by the id that LangGraph gave the wait; None where none waits
    for this one: an earlier attempt has used it."""
    answer = turn.page_answer
    if answer is None:
        return None
    found = {one.id: answer.result for one in waiting if one.value["interrupt_id"] == answer.interrupt_id}
    return found or None


def thread_of(turn: TurnInput) -> str:
    """Where the turn's checkpoints are kept: `user/turn/version of the state`."""
    return f"{turn.caller.user_id}/{turn.turn_id}/{STATE_VERSION}"
