"""An executor over a real LangGraph server: `langgraph dev` in an environment of its own runs the deployed graph, and
asks what it needs of the routes of runs, served here."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import uvicorn
from fastapi import FastAPI
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from server.adapters.executors.graph_server_client import graph_server_client
from server.adapters.executors.in_process_executor import InProcess
from server.adapters.executors.langgraph_server import LangGraphAgent, thread_of
from server.agent.bounds import AgentBounds
from server.agent.model_call.call_ledger import GRAPH_NAME
from server.agent.remote_steps import RemoteSteps
from server.agent.turn import TurnInput
from server.edges.http import run_routes
from server.edges.http.problems import answer_with_problems
from server.edges.http.run_services import RunServices
from server.edges.http.serving import bound_socket
from server.ports.conversations import TurnRow
from server.ports.executor import GraphExecutor
from server.testing.invocations import MemoryInvocations
from server.testing.run_tokens import MemoryRunTokens
from server.testing.running_turn import row_of
from server.turns.deployed_runs import LANGGRAPH, DeployedRuns
from tests.contracts.executors import GRAPH_VERSION
from tests.openai_endpoint import Endpoint
from tests.server.agent.turns import endpoint_models, stage

ASSISTANT = "flamechat"


@dataclass
class LangGraphHouse:
    """`turns` are those that run, by their id, each in its newest attempt."""

    graph_server: str
    address: str
    name: str = LANGGRAPH
    rows: MemoryInvocations = field(default_factory=MemoryInvocations)
    tokens: MemoryRunTokens = field(default_factory=MemoryRunTokens)
    turns: dict[str, TurnInput] = field(default_factory=dict)
    services: SimpleNamespace = field(default_factory=SimpleNamespace)
    client: LangGraphClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = graph_server_client(self.graph_server, None)

    async def close(self) -> None:
        """Remove what the server keeps: the tests ask about turns of the same ids."""
        for turn in self.turns.values():
            with contextlib.suppress(NotFoundError):
                await self.client.threads.delete(thread_of(turn))
        await self.client.aclose()

    def executor(self, turn: TurnInput, bounds: AgentBounds | None) -> GraphExecutor[TurnInput]:
        scene = stage(endpoint_models("http://127.0.0.1:1/v1"), bounds=bounds)
        self.turns[turn.turn_id] = turn
        deployed = DeployedRuns(
            tokens=self.tokens,
            conversations=self,
            inputs=self._input,
            steps=RemoteSteps(scene.agent),
            invocations=self.rows,
            pictures=scene.pictures,
            graph_name=GRAPH_NAME,
            graph_version=GRAPH_VERSION,
        )
        self.services.runs = RunServices(deployed_runs=deployed)
        agent = LangGraphAgent(
            client=self.client,
            assistant_id=ASSISTANT,
            tokens=self.tokens,
            callback_url=self.address,
            turn_seconds=(bounds or AgentBounds()).turn_seconds,
            clock=lambda: 0.0,
        )
        return InProcess(agent)

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        """As the database has it."""
        turn = self.turns.get(turn_id)
        return None if turn is None else row_of(turn)

    async def _input(self, row: TurnRow) -> TurnInput:
        return self.turns[row.turn_id]


@contextlib.asynccontextmanager
async def on_langgraph(endpoint: Endpoint, graph_server: str, model_port: int) -> AsyncIterator[LangGraphHouse]:
    """With a model behind the port that the graph server's settings name."""
    services = SimpleNamespace()
    async with forwarded(model_port, endpoint), served_runs(services) as address:
        house = LangGraphHouse(graph_server, address, services=services)
        try:
            yield house
        finally:
            await house.close()


@contextlib.asynccontextmanager
async def served_runs(services: Any) -> AsyncIterator[str]:
    """The routes of runs on a free port; returns the address."""
    app = FastAPI()
    app.state.services = services
    app.include_router(run_routes.routes)
    answer_with_problems(app)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    with bound_socket("127.0.0.1", 0) as listening:
        serving = asyncio.create_task(server.serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            server.force_exit = True
            await serving


@contextlib.asynccontextmanager
async def forwarded(port: int, endpoint: Endpoint) -> AsyncIterator[None]:
    """Connections to the port as connections to the endpoint, each end closed with the other."""
    host, _, to = endpoint.base_url.removeprefix("http://").partition("/")[0].partition(":")

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    open_ones: set[asyncio.Future[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there = await asyncio.open_connection(host, int(to))
        pumps = asyncio.gather(pump(reader, there), pump(there_reader, writer))
        open_ones.add(pumps)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await pumps
        finally:
            open_ones.discard(pumps)
            writer.close()
            there.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()
        for one in list(open_ones):
            one.cancel()
