"""Where turns' graphs run, by the settings: here, or on a server that speaks LangGraph's API."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server.adapters.executors.chosen_agent import ChosenAgent
from server.adapters.executors.fallback_agent import FallbackAgent
from server.adapters.executors.in_process_executor import InProcess
from server.adapters.in_process.background_loops import BackgroundLoops
from server.agent.turn import Agent, Pictures, TurnInput
from server.composing.agent import build_agent_itself
from server.composing.build import graph_version
from server.composing.watching import Watching
from server.edges.http.run_services import RunServices
from server.ports.conversations import Conversations, TurnRow
from server.ports.invocations import InvocationLog
from server.ports.run_tokens import RunTokens
from server.ports.traces import TraceWorkers
from server.settings import Settings

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

    from server.agent.remote_steps import RemoteSteps
    from server.turns.deployed_runs import UnendedTurns

ASSISTANT = "flamechat"
"""The graph's name in deploy/langgraph/langgraph.json, by which such a server has an assistant of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphServer:
    """What this server needs of the other one, and the other one of this."""

    agent: Agent
    client: "LangGraphClient"
    steps: "RemoteSteps"
    tokens: RunTokens
    pictures: Pictures
    invocations: InvocationLog
    observation_trace_id: Callable[[str], str] | None = None


@asynccontextmanager
async def graph_server_of(
    settings: Settings,
    *,
    tokens: RunTokens,
    workers: TraceWorkers,
    pictures: Pictures,
    watched: Watching,
    invocations: InvocationLog,
) -> AsyncIterator[GraphServer | None]:
    """The server of the settings; None where graphs run here. Nothing is asked of it yet. Raises ConfigError."""
    settings.check_executor()
    if not settings.may_run_elsewhere or settings.langgraph_url is None:
        yield None
        return
    # Imported here: LangGraph's client takes a while to load, and most servers do without it.
    from server.adapters.executors.graph_server_client import graph_server_client
    from server.adapters.executors.langgraph_server import LangGraphAgent
    from server.agent.remote_steps import RemoteSteps
    from server.agent.tracing import ObservedAgent

    key = settings.langgraph_api_key
    client = graph_server_client(settings.langgraph_url, None if key is None else key.get_secret_value())
    agent: Agent = LangGraphAgent(
        client=client,
        assistant_id=settings.langgraph_assistant_id or ASSISTANT,
        tokens=tokens,
        callback_url=settings.callback_url,
        turn_seconds=settings.turn_seconds,
    )
    itself = build_agent_itself(settings, workers=workers, pictures=pictures, watched=watched)
    try:
        yield GraphServer(
            agent=ObservedAgent(agent, watched.observers) if watched.observers else agent,
            client=client,
            steps=RemoteSteps(itself),
            tokens=tokens,
            pictures=pictures,
            invocations=invocations,
            observation_trace_id=watched.observation_trace_id,
        )
    finally:
        await client.aclose()


def executor_of(settings: Settings, here: Agent, there: GraphServer | None) -> InProcess:
    """What runs turns: the agent of this process, or that of the server for graphs, by the settings and a turn's
    flags."""
    if there is None:
        return InProcess(here)
    elsewhere = there.agent if settings.executor_fallback is None else FallbackAgent(there.agent, here)
    return InProcess(ChosenAgent({"in_process": here, "langgraph": elsewhere}, settings.executor))


def run_services_of(
    there: GraphServer | None,
    conversations: "UnendedTurns",
    inputs: Callable[[TurnRow], Awaitable[TurnInput]],
) -> RunServices:
    """What the deployed graph asks of this server; nothing where graphs run here."""
    if there is None:
        return RunServices()
    from server.agent.model_call.call_ledger import GRAPH_NAME
    from server.turns.deployed_runs import DeployedRuns

    return RunServices(
        deployed_runs=DeployedRuns(
            tokens=there.tokens,
            conversations=conversations,
            inputs=inputs,
            steps=there.steps,
            invocations=there.invocations,
            pictures=there.pictures,
            graph_name=GRAPH_NAME,
            graph_version=graph_version(),
            observation_trace_id=there.observation_trace_id,
        )
    )


@asynccontextmanager
async def sweeping(
    settings: Settings, there: GraphServer | None, conversations: Conversations, loops: BackgroundLoops
) -> AsyncIterator[None]:
    """Threads of turns that are over go from the server for graphs while this lasts."""
    if there is None or not settings.runs_turns:
        yield
        return
    from server.adapters.executors.graph_server_sweep import GraphServerSweep

    async def goes_on(turn_id: str) -> bool:
        return await conversations.unended_turn(turn_id) is not None

    sweep = GraphServerSweep(there.client, server=settings.callback_url, goes_on=goes_on)
    loop = loops.start("graph_server_sweep", sweep.run)
    try:
        yield
    finally:
        await loops.stop(loop)
