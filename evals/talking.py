"""Conversations with the product: a complete server in this process, without sockets, asked through `POST /api/chat`
with a session, so that history, other traces and the access checks are those of the product.
"""

import tempfile
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx

from evals.conditions import NoPictures
from evals.questions import Conversation, file_of
from limits.plans import LOCAL_PLAN
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.relay import MemoryRelay
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.verification.references.figure_links import without_addresses
from server.composing.agent import build_agent
from server.composing.use_cases import Adapters, Backing, Rows, compose
from server.edges.http.application import build_application, names_of
from server.ports.identity import Caller
from server.settings import load_settings
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.evaluations import MemoryEvaluations
from server.testing.identity import TokenIdentity
from server.testing.invocations import MemoryInvocations
from server.testing.objects import MemoryObjects
from server.testing.plans import MemoryPlans
from server.testing.trace_records import MemoryTraceRecords

ANSWER_WITHIN_S = 120.0
TOKEN = "asker"
SIGNED_IN = {"Authorization": f"Bearer {TOKEN}"}


class Talking:
    """Asks the built-in analyst, or the model of the settings when `model` is named. Traces are read once."""

    def __init__(self, model: str | None = None) -> None:
        self._model = model
        self._workers = InlineTraceWorkers()

    async def answers(self, conversation: Conversation, asked: Sequence[str] | None = None) -> list[str]:
        """The answers' texts in order; empty for a turn that failed. `asked` replaces the questions.

        Raises BadCase for a missing trace; httpx.HTTPStatusError when a trace is refused.
        """
        said: list[str] = []
        async with self._server() as http:
            for trace in (*conversation.others, conversation.trace):
                trace_id = await _upload(http, file_of(trace))
            question: dict[str, str] = {"flamechat_trace_id": trace_id}
            for prompt in [turn.prompt for turn in conversation.turns] if asked is None else asked:
                reply = await http.post("/api/chat", json=question | {"message": prompt})
                if not reply.is_success:
                    said.append("")
                    continue
                said.append(without_addresses(reply.json()["answer"]))
                question = {"session_id": reply.json()["session_id"]}
        return said

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[httpx.AsyncClient]:
        asker = Caller(user_id=str(uuid.uuid4()), account_id=str(uuid.uuid4()))
        accounts = MemoryAccounts(SystemClock())
        accounts.add(asker, LOCAL_PLAN)
        records = MemoryTraceRecords(accounts)
        with tempfile.TemporaryDirectory() as folder:
            settings = load_settings(data=Path(folder), model=self._model)
            conversations, invocations = MemoryConversations(records), MemoryInvocations()
            parts = compose(
                settings,
                Adapters(
                    rows=Rows(
                        conversations=conversations,
                        records=records,
                        plans=MemoryPlans(records),
                        invocations=invocations,
                        evaluations=MemoryEvaluations(conversations, invocations),
                    ),
                    backing=Backing(
                        objects=MemoryObjects(), identity=TokenIdentity({TOKEN: asker}), relay=MemoryRelay(), user=asker
                    ),
                    workers=self._workers,
                    agent=build_agent(settings, workers=self._workers, pictures=NoPictures()),
                    scratch=Path(folder),
                ),
            )
            application = build_application(parts.services, is_our_name=names_of("127.0.0.1", ()))
            transport = httpx.ASGITransport(app=application)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(parts.runner.run)
                try:
                    async with httpx.AsyncClient(
                        transport=transport, base_url="http://127.0.0.1", headers=SIGNED_IN, timeout=ANSWER_WITHIN_S
                    ) as http:
                        yield http
                finally:
                    with anyio.CancelScope(shield=True), anyio.fail_after(ANSWER_WITHIN_S):
                        await parts.runner.drain(0)


async def _upload(http: httpx.AsyncClient, path: Path) -> str:
    """The trace's id. Its name is the file's with its program's, as people name what they upload."""
    name = path.name if path.parent.parent.name != "programs" else f"{path.parent.name}-{path.name}"
    reply = await http.post("/api/v1/traces", params={"name": name}, content=await anyio.Path(path).read_bytes())
    reply.raise_for_status()
    trace_id: str = reply.json()["trace"]["traceId"]
    return trace_id
