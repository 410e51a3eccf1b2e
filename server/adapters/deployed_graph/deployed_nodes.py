"""The nodes of the deployed graph: the model is called here, everything else is asked of the server of the run."""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import httpx
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from server.adapters.deployed_graph.run_link import RunAccess, RunLink, StepError, StepUpdate
from server.adapters.in_process.clock import SystemClock
from server.agent.bounds import AgentBounds
from server.agent.graph.calls.page_node import PageCall, question_of
from server.agent.graph.compiled_graph import TurnGraph
from server.agent.graph.node_order import FIRST, NODES, SUCCESSORS, next_node
from server.agent.graph.recorded_events import EventRecorder
from server.agent.graph.state import TurnContext, TurnState
from server.agent.graph.state_json import state_as_json, state_of_json
from server.agent.model_call.call_artifacts import CallArtifacts
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import ChatModels, Model
from server.agent.service import model_of
from server.agent.turn import TurnInput
from server.errors import ServerError
from server.ports.identity import Caller
from server.ports.traces import OpenTrace, TraceRow
from server.protocol.events import TurnEvent
from server.protocol.run_steps import ACCESS, ModelFacts, RunSetup, StepFailed, StepName
from server.protocol.wire_values import ViewerState

STEPS: tuple[StepName, ...] = ("setup", "tools", "page", "check", "finish")
HERE = ("agent", "repair")
"""Nodes that call the model."""

EVENT, FAILED = "event", "failed"
"""Keys of the custom events of a run: what a person sees, and why it came to nothing."""


RunContext = TypedDict("RunContext", {ACCESS: RunAccess})  # type: ignore[misc]  # a key that is no name
"""The context of a run. Servers that run graphs copy all of a context into the metadata of checkpoints but for names of
this form."""


class DeployedNodes:
    """Nodes over these models. What a run may ask for comes with its context."""

    def __init__(
        self,
        models: ChatModels,
        client: Callable[[], httpx.AsyncClient],
        failure: "Failure",
        artifacts: CallArtifacts | None = None,
    ) -> None:
        """`client` gives that of the process; `failure` says of an error what a turn does; `artifacts` keeps what each
        call really contained."""
        self._models = models
        self._client = client
        self._failure = failure
        self._artifacts = artifacts

    def compiled(self) -> TurnGraph:
        """The graph as it is deployed: the server that runs it brings its checkpoints."""
        graph: StateGraph[TurnState, RunContext, Any, Any] = StateGraph(TurnState, context_schema=RunContext)
        for step in STEPS:
            graph.add_node(step, self._node(step, self._step(step)))
        for call in HERE:
            graph.add_node(call, self._node(call, self._call(call)))
        graph.add_edge(START, FIRST)
        for name, successors in SUCCESSORS.items():
            places = {one: one or END for one in successors}
            if len(places) == 1:
                graph.add_edge(name, *places.values())
            else:
                graph.add_conditional_edges(name, _choice_after(name), cast("dict[Any, str]", places))
        return cast("TurnGraph", graph.compile(name="flamechat"))

    def _node(self, name: str, work: "Work") -> Any:
        async def run(state: TurnState, runtime: Runtime[RunContext]) -> dict[str, Any]:
            given: dict[str, Any] = cast("Any", runtime.context) or {}
            if (access := given.get(ACCESS)) is None:
                raise ServerError("A run of this graph needs the context that a Flamechat server gives it.")
            write = get_stream_writer()
            try:
                return await work(state, RunLink(access, self._client()), write)
            except StepError as error:
                write({FAILED: error.failed.model_dump()})
                raise
            except Exception as error:
                if is_of_langgraph(error):
                    raise
                write({FAILED: self._failure(error).model_dump()})
                raise

        run.__name__ = name
        return run

    def _step(self, name: StepName) -> "Work":
        async def work(state: TurnState, link: RunLink, write: "Write") -> dict[str, Any]:
            setup = await link.setup()
            page_result = None
            if name == "page":
                first, *_ = state["asked_of_page"]
                page_result = interrupt(asdict(question_of(turn_of(setup), PageCall(**first))))
            models = facts_of(await self._model(setup))
            async for one in link.step(name, state_as_json(state), models=models, page_result=page_result):
                if isinstance(one, StepUpdate):
                    return dict(state_of_json(one.update))
                write({EVENT: one})
            raise AssertionError("a step ends in an update, or raises")

        return work

    def _call(self, name: str) -> "Work":
        async def work(state: TurnState, link: RunLink, write: "Write") -> dict[str, Any]:
            setup = await link.setup()
            model, turn = await self._model(setup), turn_of(setup)
            smallest = model.smallest_context()
            bounds = AgentBounds(**setup.bounds).within(smallest.context, output_tokens=smallest.output_tokens)
            context = TurnContext(
                turn=turn,
                sink=EventRecorder(_CustomEvents(write)),
                model=model,
                prompts=cast("Any", None),  # what no model call looks at is not here
                workers=cast("Any", None),
                pictures=cast("Any", None),
                bounds=bounds,
                tools=(),
                described=(setup.tools, setup.few_tools),
                recorder=None,
                ledger=CallLedger(invocations=link, clock=SystemClock(), graph_version="", artifacts=self._artifacts),
            )
            if name == "agent":
                for call_id in state.get("new_pictures", [])[-bounds.pictures_per_call :]:
                    if png := await link.picture(call_id):
                        context.drawn[call_id] = png
            return await NODES[name](state, context)

        return work

    async def _model(self, setup: RunSetup) -> Model:
        return await model_of(
            self._models, setup.model_name, setup.offered_models, analyst_over_budget=setup.analyst_over_budget
        )


Write = Callable[[Any], None]
Work = Callable[[TurnState, RunLink, Write], Awaitable[dict[str, Any]]]
Failure = Callable[[Exception], StepFailed]


def _choice_after(name: str) -> Any:
    def choice(state: TurnState) -> str:
        return next_node(name, state, AgentBounds())

    return choice


def facts_of(model: Model) -> list[ModelFacts]:
    """What the server needs to know of the model and its fallbacks."""
    return [
        ModelFacts(**{name: getattr(one, name) for name in ModelFacts.model_fields})
        for one in (model, *model.fallbacks, model.over_budget)
        if one is not None
    ]


def turn_of(setup: RunSetup) -> TurnInput:
    """Of the turn what a model call looks at: whose it is, the recording and the history stay with the server."""
    nobody = str(uuid.UUID(int=0))
    return TurnInput(
        turn_id=setup.turn_id,
        session_id=nobody,
        attempt=setup.attempt,
        caller=Caller(user_id=nobody, account_id=nobody),
        trace=_NO_RECORDING,
        opened=OpenTrace(key="", columns=Path()),
        prompt="",
        history=(),
        viewer=ViewerState(),
        model_name=setup.model_name,
        plan_name="",
        messages_used=0,
        messages_limit=None,
        local_time=datetime.now(UTC),
        is_first_answer=False,
        offered_models=setup.offered_models,
        token_limit=setup.token_limit,
    )


def is_of_langgraph(error: Exception) -> bool:
    """Whether it is how LangGraph ends a node that waits."""
    return type(error).__module__.startswith("langgraph.")


class _CustomEvents:
    """A TurnSink whose events are custom ones of the run."""

    def __init__(self, write: Write) -> None:
        self._write = write

    async def emit(self, event: TurnEvent) -> None:
        self._write({EVENT: event.model_dump(mode="json")})

    def restore(self, events: Sequence[TurnEvent]) -> None:
        raise AssertionError("the server restores what was shown")


_NO_RECORDING = TraceRow(
    trace_id="",
    account_id="",
    user_id="",
    name="",
    sha256="",
    size_bytes=0,
    format="",
    unit="",
    duration_ns=None,
    summary={},
    object_path="",
    created_at=datetime(1970, 1, 1, tzinfo=UTC),
)
