"""Executors for their contract: over a real endpoint, with rows of model calls, and attempts as a test makes them."""

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio
from langgraph.checkpoint.memory import InMemorySaver

from server.adapters.executors.in_process_executor import InProcess
from server.adapters.in_process.clock import SystemClock
from server.agent.bounds import AgentBounds
from server.agent.model_call.call_ledger import GRAPH_NAME, IN_PROCESS, CallLedger
from server.agent.turn import TurnInput
from server.ports.ai_events import (
    AiEvent,
    Done,
    Failed,
    RunEnd,
    TextDelta,
    TextReset,
    TextStart,
)
from server.ports.executor import GraphCaller, GraphExecutor, Run, RunRequest, run_id_of
from server.testing.invocations import MemoryInvocations
from tests.openai_endpoint import Endpoint
from tests.server.agent.turns import endpoint_models, stage

TURN = "11111111-1111-1111-1111-111111111111"
GRAPH_VERSION = "9.9+abc"
BOUND_S = 60


class ExecutorHouse(Protocol):
    """`rows` are those of the model calls; `name` is what they say of the executor."""

    name: str
    rows: MemoryInvocations

    def executor(self, turn: TurnInput, bounds: AgentBounds | None) -> GraphExecutor[TurnInput]: ...


@dataclass
class InProcessHouse:
    """Attempts share their checkpoints."""

    endpoint: Endpoint
    name: str = IN_PROCESS
    rows: MemoryInvocations = field(default_factory=MemoryInvocations)
    saver: InMemorySaver = field(default_factory=InMemorySaver)

    def executor(self, turn: TurnInput, bounds: AgentBounds | None) -> GraphExecutor[TurnInput]:
        """One over an agent of its own, as another process has."""
        ledger = CallLedger(invocations=self.rows, clock=SystemClock(), graph_version=GRAPH_VERSION)
        models = endpoint_models(self.endpoint.base_url)
        scene = stage(models, checkpoints=lambda: self.saver, ledger=ledger, bounds=bounds)
        return InProcess(scene.agent)


def attempt_of(house: ExecutorHouse, *, bounds: AgentBounds | None = None, hostile: Any = None, **turn: Any) -> Run:
    """An attempt at a turn, which asks why the small trace is slow."""
    given = stage(endpoint_models("http://127.0.0.1:1/v1"), hostile, **{"turn_id": TURN, **turn}).turn
    request = RunRequest(caller=caller_of(given), attempt=given.attempt, setup=given)
    return house.executor(given, bounds).run(request)


def caller_of(turn: TurnInput) -> GraphCaller:
    return GraphCaller(
        account_id=turn.caller.account_id,
        user_id=turn.caller.user_id,
        session_id=turn.session_id,
        turn_id=turn.turn_id,
        request_id="r1",
        request_trace_id="0" * 31 + "1",
        graph_run_id=run_id_of(turn.turn_id, turn.attempt),
        graph_name=GRAPH_NAME,
        graph_version=GRAPH_VERSION,
    )


async def read(run: Run, until: Callable[[AiEvent], bool] = lambda _: False) -> list[AiEvent]:
    """Its events up to the end, or to the first of these; then it is closed."""
    events: list[AiEvent] = []
    with anyio.fail_after(BOUND_S):
        async with contextlib.aclosing(run.events) as stream:
            async for event in stream:
                events.append(event)
                if until(event):
                    break
    return events


async def attempted(house: ExecutorHouse, **turn: Any) -> tuple[list[AiEvent], RunEnd]:
    """An attempt's events, whose end is the last and the only one."""
    run = attempt_of(house, **turn)
    events = await read(run)
    ends = [one for one in events if isinstance(one, Done | Failed)]
    assert ends == events[-1:], "exactly one end, and nothing after it"
    assert await run.final() is await run.final() is events[-1]
    return events, ends[0]


def texts_of(events: list[AiEvent]) -> dict[str, str]:
    """What a reader sees of each message; every text at its offset."""
    texts: dict[str, str] = {}
    for event in events:
        if isinstance(event, TextStart | TextDelta):
            before = texts.get(event.message_id, "")
            assert event.offset == len(before)
            texts[event.message_id] = before + event.text
        elif isinstance(event, TextReset):
            texts[event.message_id] = texts[event.message_id][: event.offset]
    return texts


def kinds_of(events: list[AiEvent]) -> list[str]:
    """The types in their order, texts that follow each other as one."""
    kinds: list[str] = []
    for event in events:
        kind = type(event).__name__
        if kind != "TextDelta" and not (kind == "TextStart" and kinds and kinds[-1] == kind):
            kinds.append(kind)
    return kinds


@contextlib.asynccontextmanager
async def in_process(endpoint: Endpoint) -> AsyncIterator[ExecutorHouse]:
    yield InProcessHouse(endpoint)
