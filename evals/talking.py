"""Conversations with the product: a complete server in this process, without sockets, asked through `POST /api/chat`
with a session, so that history, other traces and the access checks are those of the product.
"""

import tempfile
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import httpx

from evals.over_langgraph import elsewhere, reached_over_loopback
from evals.questions import Conversation, file_of
from limits.plans import LOCAL_PLAN
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.relay import MemoryRelay
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.verification.references.figure_links import without_addresses
from server.composing.agent import build_agent
from server.composing.graph_server import graph_server_of
from server.composing.use_cases import Adapters, Backing, Rows, compose
from server.composing.watching import Watching, prompt_file
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
from server.testing.run_tokens import MemoryRunTokens
from server.testing.trace_records import MemoryTraceRecords
from server.turns.turn_pictures import StoredPictures

ANSWER_WITHIN_S = 120.0
TOKEN = "asker"
SIGNED_IN = {"Authorization": f"Bearer {TOKEN}"}


class Talking:
    """Asks the built-in analyst, or the model of the settings when `model` is named. Traces are read once. The graph
    runs in this process, or on the LangGraph server at that address."""

    def __init__(self, model: str | None = None, langgraph_url: str | None = None) -> None:
        self._model = model
        self._langgraph_url = langgraph_url
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
        records, objects = MemoryTraceRecords(accounts), MemoryObjects()
        conversations, invocations = MemoryConversations(records), MemoryInvocations()
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            place, settings = None, load_settings(data=folder, model=self._model)
            if self._langgraph_url is not None:
                place = await stack.enter_async_context(reached_over_loopback())
                settings = elsewhere(self._langgraph_url, place.address, data=folder, model=self._model)
            pictures = StoredPictures(objects)
            graph_server = await stack.enter_async_context(
                graph_server_of(
                    settings,
                    tokens=MemoryRunTokens(),
                    workers=self._workers,
                    pictures=pictures,
                    watched=Watching(prompts=prompt_file(settings)),
                    invocations=invocations,
                )
            )
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
                        objects=objects, identity=TokenIdentity({TOKEN: asker}), relay=MemoryRelay(), user=asker
                    ),
                    workers=self._workers,
                    agent=build_agent(settings, workers=self._workers, pictures=pictures),
                    scratch=folder,
                    graph_server=graph_server,
                ),
            )
            application = build_application(parts.services, is_our_name=names_of("127.0.0.1", ()))
            if place is not None:
                place.application = application
            transport = httpx.ASGITransport(app=application)
            tasks = await stack.enter_async_context(anyio.create_task_group())
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
