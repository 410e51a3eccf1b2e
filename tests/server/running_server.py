"""A complete server inside the test's process: real HTTP and WebSockets on a free port of loopback, in-memory adapters,
an agent that does what the test wrote."""

import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx
import websockets

from limits.plans import LOCAL_PLAN, Plan
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.relay import MemoryRelay
from server.agent.turn import TurnAnswer, TurnInput, TurnSink
from server.composing.use_cases import Adapters, Backing, Parts, Rows, compose
from server.edges.http.application import build_application, names_of
from server.edges.http.client_config import ClientConfig
from server.edges.http.serving import HttpServer, bound_socket
from server.edges.ws.bounds import PING_EVERY_S, PONG_WITHIN_S
from server.ports.gates import WebhookSender
from server.ports.identity import Caller
from server.ports.traces import TraceWorkers
from server.protocol.events import ModelChunkAppend, ModelChunkStart, TurnEvent, TurnStarted
from server.protocol.wire_values import OutsideSource, Usage
from server.settings import load_settings
from server.testing.account_state import MemoryAccounts
from server.testing.budget_notices import MemoryBudgetNotices
from server.testing.conversations import MemoryConversations
from server.testing.core_memory import MemoryCoreMemory
from server.testing.evaluations import MemoryEvaluations
from server.testing.gates import MemoryGates
from server.testing.history import MemoryHistory
from server.testing.identity import TokenIdentity
from server.testing.invocations import MemoryInvocations
from server.testing.kept_views import MemoryKeptViews
from server.testing.knowledge import MemoryKnowledge
from server.testing.memories import MemoryMemories
from server.testing.notes import MemoryNotes
from server.testing.objects import MemoryObjects
from server.testing.plans import MemoryPlans
from server.testing.program_keys import MemoryProgramKeys, MemoryRenderQuota
from server.testing.saved_questions import MemorySavedQuestions
from server.testing.teams import MemoryTeams
from server.testing.trace_records import MemoryTraceRecords
from tests.inline_workers import inline_workers


def person(name: str, *, is_administrator: bool = False) -> Caller:
    """The same ids in every process: they stand in the names of tests."""
    user, account = (str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{kind}")) for kind in ("user", "account"))
    return Caller(user_id=user, account_id=account, is_administrator=is_administrator)


ANNA, BEN, ROOT = person("anna"), person("ben"), person("root", is_administrator=True)
TOKENS = {"anna": ANNA, "ben": BEN, "root": ROOT}

STACKS = b"main;parse;read 700\nmain;parse 200\nmain;render;paint 80\nmain 20\n"
"""A trace as collapsed stacks; `read` dominates it."""

MESSAGE_ID = str(uuid.uuid4())

BOUND_S = 60
"""For whatever must come: only a bound, however busy the machine is."""


def saying(*words: str) -> list[TurnEvent]:
    """The start of a turn and text, a chunk a word."""
    events: list[TurnEvent] = [TurnStarted(attempt=1, model="script", prompt_version="test")]
    offset = 0
    for word in words:
        kind = ModelChunkAppend if offset else ModelChunkStart
        events.append(kind(message_id=MESSAGE_ID, offset=offset, chunk=word))
        offset += len(word)
    return events


@dataclass
class ScriptedAgent:
    """Emits events, waits at events of anyio, raises exceptions: in the order the test wrote them. Remembers what it
    was asked."""

    script: Sequence[TurnEvent | anyio.Event | Exception] = field(default_factory=lambda: saying("It is ", "read."))
    title: str | None = "Slow read"
    usage: Usage = field(default_factory=lambda: Usage(model_calls=1))
    sources: tuple[OutsideSource, ...] = ()
    asked: list[TurnInput] = field(default_factory=list)

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        self.asked.append(turn)
        for step in self.script:
            if isinstance(step, Exception):
                raise step
            if isinstance(step, anyio.Event):
                await step.wait()
            else:
                await sink.emit(step)
        return TurnAnswer(
            message_id=MESSAGE_ID,
            text="",
            usage=self.usage,
            citations=(),
            checks=(),
            suggestions=("And then?",),
            sources=self.sources,
            title=self.title,
            model="script",
            prompt_version="test",
        )


class Socket:
    """One client's WebSocket, in messages."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection
        self.ack: dict[str, Any] = {}

    async def send(self, **message: Any) -> None:
        await self.connection.send(json.dumps(message))

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(BOUND_S):
            message: dict[str, Any] = json.loads(await self.connection.recv())
            return message

    async def until(self, *types: str) -> list[dict[str, Any]]:
        """Messages up to the first of these types."""
        messages = [await self.next()]
        while messages[-1]["type"] not in types:
            messages.append(await self.next())
        return messages

    async def closed_with(self) -> int | None:
        """The code the server closes with; everything before it is passed over."""
        with anyio.fail_after(BOUND_S):
            with contextlib.suppress(websockets.ConnectionClosedError):
                async for _ in self.connection:
                    pass
            return self.connection.close_code

    @property
    def reason(self) -> str | None:
        """What the server said when it closed."""
        return self.connection.close_reason


@dataclass(frozen=True)
class RunningServer:
    address: str
    parts: Parts
    http: httpx.AsyncClient

    @asynccontextmanager
    async def socket(self, **headers: str) -> AsyncIterator[Socket]:
        url = self.address.replace("http://", "ws://") + "/api/v1/chat"
        async with websockets.connect(
            url, additional_headers=headers, proxy=None, max_size=None, open_timeout=BOUND_S
        ) as connection:
            yield Socket(connection)

    @asynccontextmanager
    async def session(
        self, trace_id: str, *, session_id: str | None = None, token: str = "anna"
    ) -> AsyncIterator[Socket]:
        """A socket that has joined a session and read its acknowledgement, kept as `ack`."""
        async with self.socket() as socket:
            session_id = session_id or str(uuid.uuid4())
            await socket.send(type="start_analysis", traceId=trace_id, sessionId=session_id, accessToken=token)
            ack = await socket.next()
            assert ack["type"] == "connection_ack", ack
            socket.ack = ack
            yield socket

    async def upload(self, content: bytes = STACKS, name: str = "stacks.txt", token: str = "anna") -> httpx.Response:
        return await self.http.post(
            "/api/v1/traces", params={"name": name}, content=content, headers={"Authorization": f"Bearer {token}"}
        )

    async def trace_id(self) -> str:
        """A trace of Anna's."""
        answer = await self.upload()
        assert answer.status_code == 201, answer.text
        trace_id: str = answer.json()["trace"]["traceId"]
        return trace_id


@asynccontextmanager
async def running_server(
    tmp_path: Path,
    agent: ScriptedAgent | None = None,
    *,
    plan: Plan = LOCAL_PLAN,
    workers: TraceWorkers | None = None,
    webhooks: WebhookSender | None = None,
    ping_every_s: float = PING_EVERY_S,
    pong_within_s: float = PONG_WITHIN_S,
    **options: Any,
) -> AsyncIterator[RunningServer]:
    """A server for Anna, Ben and an administrator, whose tokens are anna, ben and root. `options` are settings."""
    accounts = MemoryAccounts(SystemClock())
    for caller in TOKENS.values():
        accounts.add(caller, plan)
    records = MemoryTraceRecords(accounts)
    conversations, teams = MemoryConversations(records), MemoryTeams(records)
    invocations = MemoryInvocations(accounts)
    teams.addresses |= {one.user_id: f"{token}@example.com" for token, one in TOKENS.items()}
    parts = compose(
        load_settings(data=tmp_path, **options),
        Adapters(
            rows=Rows(
                conversations=conversations,
                records=records,
                plans=MemoryPlans(records),
                memory=MemoryCoreMemory(accounts, conversations),
                memories=MemoryMemories(accounts, records, conversations),
                knowledge=MemoryKnowledge(accounts),
                invocations=invocations,
                evaluations=MemoryEvaluations(conversations, invocations),
                notes=MemoryNotes(records),
                kept_views=MemoryKeptViews(records),
                history=MemoryHistory(records),
                keys=MemoryProgramKeys(accounts),
                renders=MemoryRenderQuota(accounts),
                teams=teams,
                saved_questions=MemorySavedQuestions(accounts),
                gates=MemoryGates(records),
                budget_notices=MemoryBudgetNotices(accounts),
            ),
            backing=Backing(
                objects=MemoryObjects(),
                identity=TokenIdentity(TOKENS),
                relay=MemoryRelay(),
                client=ClientConfig(teams=True),
                user=ANNA,
            ),
            workers=workers or inline_workers(),
            agent=agent or ScriptedAgent(),
            scratch=tmp_path,
            webhooks=webhooks,
        ),
    )
    async with serving(parts, ping_every_s=ping_every_s, pong_within_s=pong_within_s) as server:
        yield server


@asynccontextmanager
async def serving(
    parts: Parts, *, ping_every_s: float = PING_EVERY_S, pong_within_s: float = PONG_WITHIN_S
) -> AsyncIterator[RunningServer]:
    """The parts, served on a free port until the context ends."""
    with bound_socket("127.0.0.1", 0) as listening:
        server = HttpServer(
            build_application(parts.services, is_our_name=names_of("127.0.0.1", ())),
            ping_every_s=ping_every_s,
            pong_within_s=pong_within_s,
        )
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            tasks.start_soon(parts.runner.run)
            try:
                async with httpx.AsyncClient(base_url=address, timeout=BOUND_S, trust_env=False, verify=False) as http:
                    yield RunningServer(address, parts, http)
            finally:
                with anyio.CancelScope(shield=True), anyio.fail_after(BOUND_S):
                    await parts.runner.drain(0)
                    server.should_exit = True
