"""A turn whose prompt comes from a Langfuse project and which that project watches, for the tests about it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.observations import LangfuseObserver
from server.adapters.langfuse.prompts import LangfusePrompts
from server.adapters.langfuse.scores import LangfuseScores
from server.adapters.langfuse.tracing import LangfuseTracing
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.agent.model_call.chat_model import ChatModels
from server.agent.tracing import ObservedAgent
from server.agent.turn import TurnAnswer
from server.testing.manual_clock import ManualClock
from tests.cloud.langfuse_server import LangfuseServer, langfuse_server
from tests.server.agent.turns import RecordingSink, Stage, stage

PROMPT = "You read traces. {{trace_summary}} {{findings}}"


@dataclass(slots=True)
class Watched:
    """`answer` runs the turn to its end, as often as it is called."""

    project: LangfuseServer
    connection: LangfuseConnection
    prompts: LangfusePrompts
    scores: LangfuseScores
    scene: Stage
    clock: ManualClock

    async def answer(self) -> TurnAnswer:
        self.scene.sink = RecordingSink()
        agent = ObservedAgent(self.scene.agent, (LangfuseObserver(self.connection),))
        return await agent.answer(self.scene.turn, self.scene.sink)


@asynccontextmanager
async def watched(
    models: ChatModels | None = None,
    *,
    with_contents: bool = False,
    stale_s: float = 0,
    timeout_s: float = 30,
    turn: dict[str, Any] | None = None,
) -> AsyncIterator[Watched]:
    """A first turn about the small trace, by default with the built-in analyst. What waits is sent when it ends."""
    async with langfuse_server(prompt=PROMPT) as project:
        connection = LangfuseConnection(
            host=project.url,
            public_key=project.public_key,
            secret_key=project.secret_key,
            with_contents=with_contents,
        )
        async with connection:
            clock = ManualClock()
            prompts = LangfusePrompts(connection, clock, stale_s=stale_s, timeout_s=timeout_s)
            scene = stage(
                models or ChosenModels(ModelChoice()),
                prompts=prompts,
                tracing=LangfuseTracing(connection, prompts.linked),
                **(turn or {}),
            )
            yield Watched(project, connection, prompts, LangfuseScores(connection), scene, clock)
