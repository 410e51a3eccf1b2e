"""Other servers for tests of the MCP client: a well-behaved one of the official package over real HTTP, and one that
answers each request with what a test wrote.
"""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import uvicorn
from mcp.server import MCPServer
from mcp.server.subscriptions import SubscriptionBus
from starlette.types import ASGIApp

from server.adapters.mcp_client.allowed_tools import AllowedTools
from server.adapters.mcp_client.connections import Connections
from server.adapters.mcp_client.mcp_servers import McpServers
from server.adapters.mcp_client.server_file import ConfiguredServer, read_servers
from server.agent.outside.foreign_tools import why_not
from server.agent.tools.all_tools import TOOLS
from server.ports.identity import Caller
from tests.fresh_port import serving_on_a_fresh_port

OWN = frozenset(tool.name for tool in TOOLS)
ANNA = Caller(user_id="u1", account_id="a1")
BEN = Caller(user_id="u2", account_id="a2")
BOUND_S = 60
SECRET = "sk-very-secret-0123456789"
"""In the environment of the client, and in the header of the server that it is for."""


@dataclass
class TrackerServer:
    """A tracker of issues, with what was asked of it and in whose name."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    description: str = "Finds issues by words."
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_asked(self, times: int) -> None:
        """Until so many requests have come. Raises TimeoutError."""
        async with asyncio.timeout(BOUND_S):
            while len(self.headers) < times:
                self.came.clear()
                await self.came.wait()

    def built(self, *, subscriptions: SubscriptionBus | Literal[False] | None = None) -> MCPServer:
        """`subscriptions` announces changes to who listens; False listens to nobody."""
        server = MCPServer("tracker", subscriptions=subscriptions)

        async def search_issues(query: str, limit: int = 5) -> str:
            self.calls.append(("search_issues", {"query": query, "limit": limit}))
            return f"PERF-7: parse_json is slow since 3.2, 4,711 users\nasked: {query}"

        async def close_issue(issue: str) -> str:
            self.calls.append(("close_issue", {"issue": issue}))
            return f"{issue} is closed"

        server.add_tool(search_issues, description=self.description)
        server.add_tool(close_issue, description="Closes an issue.")
        return server


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """An application on loopback; its address."""
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        config = uvicorn.Config(app, log_level="critical", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            while not server.started:
                await asyncio.sleep(0)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def tracker_server(tracker: TrackerServer | None = None) -> AsyncIterator[TrackerServer]:
    tracker = tracker or TrackerServer()
    app = tracker.built().streamable_http_app()

    async def with_headers(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            tracker.headers.append({key.decode(): value.decode() for key, value in scope["headers"]})
            tracker.came.set()
        await app(scope, receive, send)

    async with serving(with_headers) as address:
        tracker.url = f"{address}/mcp"
        yield tracker


Answered = Callable[[dict[str, Any]], Any]
"""From a request's JSON to the `result`, to `bytes` as they stand, to parts of them, or to what waits for either."""


@dataclass
class HostileServer:
    """What it was asked, in order: method and the request as it came; `answered` once it was answered itself."""

    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def called(self) -> int:
        return sum(method == "tools/call" for method, _ in self.asked)


def tool(name: str = "search", description: str = "Finds.", **schema: Any) -> dict[str, Any]:
    """One as it is listed."""
    return {"name": name, "description": description, "inputSchema": {"type": "object"} | schema}


def listing(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tools": list(tools)} | more


def text(*lines: str, **more: Any) -> dict[str, Any]:
    """A result."""
    return {"content": [{"type": "text", "text": line} for line in lines]} | more


STARTED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "other", "version": "1"},
}


@asynccontextmanager
async def hostile_server(answers: Mapping[str, Answered]) -> AsyncIterator[HostileServer]:
    """A server by hand: each request on a connection of its own."""
    hostile = HostileServer()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = next(
                (int(one.split(":")[1]) for one in head.split("\r\n") if one.lower().startswith("content-length")), 0
            )
            body = await reader.readexactly(length)
            answer = await _answered(hostile, answers, head, body)
            async for part in _one(answer) if isinstance(answer, bytes) else answer:
                writer.write(part)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with serving_on_a_fresh_port(accept) as port:
        hostile.url = f"http://127.0.0.1:{port}/mcp"
        yield hostile


async def _one(part: bytes) -> AsyncIterator[bytes]:
    yield part


async def _answered(
    hostile: HostileServer, answers: Mapping[str, Answered], head: str, body: bytes
) -> bytes | AsyncIterator[bytes]:
    request = json.loads(body) if body else {}
    method = request.get("method", head.split(" ", 1)[0])
    hostile.asked.append((method, head + body.decode()))
    if method == "POST":
        hostile.answered.set()
    answer: Any = answers.get(method)
    if answer is None and method == "initialize":
        found: Any = STARTED
    elif answer is None:
        known = method.startswith("notifications/") or "id" not in request
        if known:
            return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        return http(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}}))
    else:
        found = answer(request)
        if isinstance(found, Awaitable):
            found = await found
    if isinstance(found, bytes | AsyncGenerator):
        return found
    return http(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": found}))


def http(body: str | bytes, *, status: str = "200 OK", **headers: str) -> bytes:
    """A response; with `Content_Length` of its own where a test lies about it."""
    written = body.encode() if isinstance(body, str) else body
    given = {"Content-Type": "application/json", "Content-Length": str(len(written)), "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + written


def written_file(folder: Path, text_of_file: str) -> Path:
    path = folder / "mcp.toml"
    path.write_text(text_of_file, encoding="utf-8")
    return path


def client_of(
    path: Path, *, seconds: float = 8.0, people_sign_in: bool = False, monotonic: Callable[[], float] = lambda: 0.0
) -> tuple[McpServers, tuple[ConfiguredServer, ...], AllowedTools]:
    """A client of the file's servers; nobody has been asked yet."""
    servers, allowed = read_servers(path, {"TRACKER_TOKEN": SECRET}, taken=OWN), AllowedTools(path)
    client = McpServers(
        servers,
        allowed,
        connections=Connections(seconds),
        why_not=lambda foreign: why_not(foreign, OWN),
        people_sign_in=people_sign_in,
        monotonic=monotonic,
    )
    client.listed_once.set()
    return client, servers, allowed


async def allow_all(client: McpServers, servers: tuple[ConfiguredServer, ...], allowed: AllowedTools) -> None:
    """As an administrator who allows what is there."""
    for server in servers:
        await client.look(server)
        states = await client.states(server)
        prints = {one.tool: one.seen.fingerprint for one in states if one.seen is not None and one.tool in server.tools}
        allowed.allow(server.name, prints)
