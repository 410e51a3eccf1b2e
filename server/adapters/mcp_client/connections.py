"""One connection to one server, for one question: nothing of a call is left for the next one, of whatever account."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import structlog
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from server.adapters.mcp_client.allowed_tools import fingerprint
from server.adapters.mcp_client.bounded_http import MAX_BYTES, bounded_client
from server.adapters.mcp_client.child_server import child_server
from server.adapters.mcp_client.server_file import ConfiguredServer
from server.ports.mcp_tools import ForeignCallFailed, ForeignResult

MOST_PAGES = 8
MOST_TOOLS = 256
"""That a server lists; of more, the others are not seen."""

MAX_DESCRIPTION = 4_000
MAX_TEXT = 32_000
"""Characters of an answer that go on; a model reads far fewer."""

NOT_OURS = "a picture, a file or a sound, left out"

log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTool:
    """A tool as its server lists it now."""

    tool: str
    description: str
    schema: dict[str, Any]
    fingerprint: str


class Connections:
    """Asks servers. `seconds` are of one question, from finding the server to its answer."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        for name in ("mcp.client", "mcp.shared", "httpx2"):  # they log what servers send, which may be anything
            logging.getLogger(name).setLevel(logging.CRITICAL)

    async def tools(self, server: ConfiguredServer) -> dict[str, SeenTool]:
        """What it lists, by name. Raises ForeignCallFailed."""
        return await self._asked(server, _listed)

    async def changed(
        self, server: ConfiguredServer, listening: Callable[[], Awaitable[object]], *, most_s: float
    ) -> bool:
        """Await `listening` once the server announces changes of its tools to us, then the first of them; whether one
        came within `most_s`. False as soon as it is clear that none will: a command is started for one question alone,
        and servers of before 2026-07-28 take no such subscription."""
        if server.url is None:
            return False
        is_announced = False
        try:
            with anyio.move_on_after(most_s):
                async with (
                    _connected(server, self._seconds, silent_s=most_s) as client,
                    client.listen(tools_list_changed=True) as changes,
                ):
                    is_announced = bool(changes.honored.tools_list_changed)
                    if is_announced:
                        await listening()
                        async for _ in changes:
                            return True
        except Exception as error:  # noqa: BLE001 - as in a question: what a server makes of a protocol is anything
            _cancelled_if_asked_to()
            log.debug(
                "mcp_server_not_followed", server=server.name, error=type(error).__name__, was_announced=is_announced
            )
        return False

    async def call(
        self, server: ConfiguredServer, tool: str, arguments: dict[str, Any], check: Callable[[SeenTool | None], None]
    ) -> ForeignResult:
        """Ask what the tool is now, `check` that, and call it. Raises ForeignCallFailed, and what `check` raises."""

        async def question(client: Client) -> types.CallToolResult:
            check((await _listed(client)).get(tool))
            return await client.call_tool(tool, arguments)

        answered = await self._asked(server, question)
        return ForeignResult(_without_secrets(_text(answered), server), is_error=bool(answered.is_error))

    async def _asked(self, server: ConfiguredServer, question: Callable[[Client], Awaitable[Answer]]) -> Answer:
        try:
            with anyio.fail_after(self._seconds):
                async with _connected(server, self._seconds) as client:
                    return await question(client)
        except TimeoutError:
            text = f"{server.name} has not answered within {self._seconds:g} s"
            raise ForeignCallFailed(text, "timeout") from None
        except Exception as error:  # noqa: BLE001 - what a server makes of a protocol is anything; one is away for itself
            _cancelled_if_asked_to()
            raise _failure(server, error) from None


def _cancelled_if_asked_to() -> None:
    """Raise the CancelledError that a connection's own failure has taken the place of: a task group of anyio that is
    cancelled while what it waits for fails gives the failure alone, and who follows a server would go on for ever."""
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError


def _failure(server: ConfiguredServer, error: Exception) -> Exception:
    """Ours as it is, from within task groups; of everything else no word of the server's."""
    while isinstance(error, ExceptionGroup):
        ours = error.subgroup(ForeignCallFailed)
        error = (ours or error).exceptions[0]
    if isinstance(error, ForeignCallFailed):
        return error
    return ForeignCallFailed(f"{server.name} is not reachable or does not answer by the protocol", "unavailable")


@asynccontextmanager
async def _connected(
    server: ConfiguredServer, seconds: float, *, silent_s: float | None = None
) -> AsyncIterator[Client]:
    """Without callbacks for sampling, elicitation and roots: the client answers them that it has none."""
    if server.url is None:
        transport = child_server(server.command, server.env)
        async with Client(transport, cache=None, input_required_max_rounds=1) as client:
            yield client
        return
    async with bounded_client(server.headers, seconds=seconds, silent_s=silent_s) as http:
        over = streamable_http_client(server.url, http_client=http, max_sse_event_size=MAX_BYTES)
        async with Client(over, cache=None, input_required_max_rounds=1) as client:
            yield client


async def _listed(client: Client) -> dict[str, SeenTool]:
    found: dict[str, SeenTool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            description, schema = tool.description or "", dict(tool.input_schema)
            seen = SeenTool(
                tool=tool.name,
                description=description[:MAX_DESCRIPTION],
                schema=schema,
                fingerprint=fingerprint(description, schema),
            )
            found.setdefault(tool.name, seen)
        cursor = page.next_cursor
        if cursor is None or len(found) >= MOST_TOOLS:
            break
    return found


def _text(answered: types.CallToolResult) -> str:
    parts = [one.text if isinstance(one, types.TextContent) else NOT_OURS for one in answered.content]
    if not any(isinstance(one, types.TextContent) for one in answered.content) and answered.structured_content:
        parts = [json.dumps(answered.structured_content, ensure_ascii=False)]
    return "\n".join(parts)[:MAX_TEXT]


def _without_secrets(text: str, server: ConfiguredServer) -> str:
    """A server that writes back what it was signed in with writes it to nobody."""
    for secret in server.secrets:
        text = text.replace(secret, "***")
    return text
