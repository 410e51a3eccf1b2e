"""`/mcp/`: the tools for programs that sign in like every other client. Stateless: each request brings its identity."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.tool import Tool
from server.agent.tools.contract.tool_context import KnownTrace, Need
from server.edges.http.services import ACCOUNT_HEADER, ToolServices, access_token, services_of
from server.edges.mcp.call_progress import ImportUnderWay
from server.edges.mcp.caller_traces import OpenedTrace
from server.edges.mcp.numbered_results import NumberedResults, ResultsByCaller
from server.edges.mcp.tools import Context, tools_server
from server.errors import NotSupported
from server.ports.asking_user import ASKING_USER
from server.ports.identity import Caller, Scope
from server.ports.repositories import CallerRepository
from server.ports.traces import TraceWorkers
from server.protocol.wire_values import LimitsView
from server.turns.key_identity import require
from server.turns.run_questions import runs_of
from server.turns.tool_context import AccountToolContext

MAX_BODY_BYTES = 256 << 10
"""Arguments of one call; nothing is uploaded here."""


@dataclass(frozen=True, slots=True)
class AccountTraces:
    """Implements `CallerTraces` for one signed-in caller: the library checks their access on each call."""

    services: ToolServices
    caller: Caller
    results: NumberedResults

    @property
    def workers(self) -> TraceWorkers:
        return self.services.workers

    @property
    def has(self) -> frozenset[Need]:
        met: frozenset[Need] = frozenset({"traces", "account", "upload"})
        met |= {"history", "library"} if self.services.library.history is not None else frozenset()
        reads = self.services.outside.source_folder is not None or self._repository is not None
        memory = self.services.conversation.memory
        met |= {"recall"} if memory is not None and memory.search is not None else frozenset()
        met |= {"documents"} if memory is not None and memory.knowledge is not None else frozenset()
        return met | {"sources"} if reads else met

    @property
    def _repository(self) -> CallerRepository | None:
        return self.services.outside.repository_of(self.caller)

    @property
    def opens_files(self) -> bool:
        return False

    @property
    def records(self) -> bool:
        return False

    async def importing(self) -> ImportUnderWay | None:
        return None

    async def hidden_tools(self) -> frozenset[str]:
        plan = (await self.services.conversation.limits(self.caller)).plan_name
        hidden = frozenset(
            tool for one in await self.services.administration.plans() if one.name == plan for tool in one.hidden_tools
        )
        return hidden | hidden_from(self.caller)

    async def traces(self) -> Sequence[KnownTrace]:
        return [
            KnownTrace(
                trace_id=row.trace_id, name=row.name, created=f"{row.created_at:%Y-%m-%d %H:%M}", summary=row.summary
            )
            for row in await self.services.library.rows(self.caller)
        ]

    async def open(self, trace_id: str) -> OpenedTrace:
        """Raises NotFound, WorkerFailed."""

        async def limits() -> LimitsView:
            return await self.services.conversation.limits(self.caller)

        row, opened = await self.services.library.open(self.caller, trace_id)
        caller = replace(self.caller, account_id=row.account_id)
        memory = self.services.conversation.memory
        tool_context = AccountToolContext(
            self.services.library,
            caller,
            trace_id,
            limits=limits,
            source_folder=self.services.outside.source_folder,
            repository=self._repository,
            runs=await runs_of(self.services.library, caller, trace_id),
            recall=None if memory is None or memory.search is None else memory.search.of_caller(caller),
            documents=None if memory is None or memory.knowledge is None else memory.knowledge.of_caller(caller),
        )
        return OpenedTrace(opened, tool_context)

    async def open_file(self, path: str) -> KnownTrace:
        raise NotSupported("Upload the file: a server opens none by path.")


def hidden_from(caller: Caller) -> frozenset[str]:
    """The tools that a key has no scope for; none of a person's."""
    if caller.key is None:
        return frozenset()
    scopes = caller.key.scopes
    return frozenset(tool.name for tool in TOOLS if not _scopes_of(tool) <= scopes)


def _scopes_of(tool: Tool[Any]) -> frozenset[Scope]:
    draws = {Scope.RENDER} if tool.name.endswith("_screenshot") else set()
    return frozenset(draws | ({Scope.QUESTIONS} if "history" in tool.needs else set()))


class MountedTools:
    """The ASGI application below `/mcp/`. `running` holds its tasks: it belongs into the application's lifespan. Who
    accepts a stream of events is answered by one, for progress; who does not, by one JSON object."""

    def __init__(self, services: ToolServices, *, version: str) -> None:
        self._services = services
        self._results = ResultsByCaller()
        server = tools_server(self._traces_of_caller, version=version)
        self._streaming, self._at_once = (
            StreamableHTTPSessionManager(
                server,
                stateless=True,
                json_response=json_response,
                max_request_body_size=MAX_BODY_BYTES,
                security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the Guard looked
            )
            for json_response in (False, True)
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._streaming.run(), self._at_once.run():
            yield

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Raises NotAuthenticated, TooManyAtOnce, and NotFound for an account that is not the caller's, before anything
        is read."""
        if scope["type"] != "http":
            raise NotSupported("This is not a WebSocket.")
        request = Request(scope)
        caller = await self._services.identity.identify(access_token(request))
        require(caller, Scope.TRACES_READ)
        services = services_of(request)
        services.rates.admit_message(caller)
        ASKING_USER.set(caller.user_id)
        caller = await services.teams.acting(caller, request.headers.get(ACCOUNT_HEADER))
        streams = "text/event-stream" in request.headers.get("accept", "")
        answering = self._streaming if streams else self._at_once
        await answering.asgi_app({**scope, "state": {**scope.get("state", {}), "caller": caller}}, receive, send)

    async def _traces_of_caller(self, context: Context) -> AccountTraces:
        request = context.request
        assert isinstance(request, Request)
        caller: Caller = request.state.caller
        return AccountTraces(self._services, caller, self._results.of(caller))
