"""The graph of a turn that is asked, on a LangGraph server: the setup, the tools and the end are asked of this process.

async with langgraph_agent("http://127.0.0.1:2024", workers) as agent: ...
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from evals.conditions import NoPictures
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.turn import Agent, TurnAnswer, TurnInput, TurnSink
from server.composing.graph_server import graph_server_of, run_services_of
from server.composing.watching import Watching, prompt_file
from server.edges.http import run_routes
from server.edges.http.problems import answer_with_problems
from server.edges.http.run_services import RunServices
from server.edges.http.serving import bound_socket
from server.ports.conversations import TurnRow
from server.settings import Settings, load_settings
from server.testing.invocations import MemoryInvocations
from server.testing.run_tokens import MemoryRunTokens
from server.testing.running_turn import row_of


class KeptPictures(NoPictures):
    """Pictures as long as their turn is asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], bytes] = {}

    async def load(self, turn: TurnInput, tool_call_id: str) -> bytes | None:
        return self._kept.get((turn.turn_id, tool_call_id))

    async def save(self, turn: TurnInput, tool_call_id: str, png: bytes) -> str:
        self._kept[turn.turn_id, tool_call_id] = png
        return await super().save(turn, tool_call_id, png)

    def forget(self, turn_id: str) -> None:
        self._kept = {key: png for key, png in self._kept.items() if key[0] != turn_id}


@dataclass
class AskedTurns:
    """The agent there, with the turns that it is asked now: the routes of runs look them up."""

    agent: Agent
    pictures: KeptPictures
    asked: dict[str, TurnInput] = field(default_factory=dict)

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """As `Agent.answer`."""
        self.asked[turn.turn_id] = turn
        try:
            return await self.agent.answer(turn, sink)
        finally:
            del self.asked[turn.turn_id]
            self.pictures.forget(turn.turn_id)

    async def unended_turn(self, turn_id: str) -> TurnRow | None:
        """As the database has the row of a turn that runs."""
        turn = self.asked.get(turn_id)
        if turn is None:
            return None
        return row_of(turn)

    async def input_of(self, row: TurnRow) -> TurnInput:
        """What was asked."""
        return self.asked[row.turn_id]


def elsewhere(url: str, callback_url: str, **overrides: Any) -> Settings:
    """The settings with graphs on the LangGraph server at `url`. Raises ConfigError."""
    return load_settings(executor="langgraph", langgraph_url=url, langgraph_callback_url=callback_url, **overrides)


@asynccontextmanager
async def langgraph_agent(url: str, workers: InlineTraceWorkers, model: str | None = None) -> AsyncIterator[Agent]:
    """The agent whose graph runs there, while it may ask this process over loopback. Raises ConfigError."""
    app, pictures = FastAPI(), KeptPictures()
    app.include_router(run_routes.routes)
    answer_with_problems(app)
    async with reached_over_loopback() as place:
        settings = elsewhere(url, place.address, model=model)
        async with graph_server_of(
            settings,
            tokens=MemoryRunTokens(),
            workers=workers,
            pictures=pictures,
            watched=Watching(prompts=prompt_file(settings)),
            invocations=MemoryInvocations(),
        ) as there:
            assert there is not None, "the settings name one"
            turns = AskedTurns(there.agent, pictures)
            app.state.services = _Runs(run_services_of(there, turns, turns.input_of))
            place.application = app
            yield turns


@dataclass(frozen=True, slots=True)
class _Runs:
    """Of the server's services those of runs."""

    runs: RunServices


@dataclass(slots=True)
class Place:
    """Where an application is reached that is set once its address is known."""

    address: str
    application: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.application is not None, "it is asked once it is there"
        await self.application(scope, receive, send)


@asynccontextmanager
async def reached_over_loopback() -> AsyncIterator[Place]:
    """A place on a free port, without the application's lifespan."""
    with bound_socket("127.0.0.1", 0) as listening:
        place = Place(f"http://127.0.0.1:{listening.getsockname()[1]}")
        server = uvicorn.Server(uvicorn.Config(place, log_level="warning", lifespan="off"))
        serving = asyncio.create_task(server.serve([listening]))
        try:
            yield place
        finally:
            server.should_exit = True
            server.force_exit = True
            await serving
