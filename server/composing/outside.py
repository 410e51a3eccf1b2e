"""What reaches outside, by the settings: nothing, unless one of them names it."""

import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.agent.outside.outside_text import outside_text
from server.edges.cli.command_values import ListedForeignTool
from server.errors import ConfigError
from server.ports.identity import Caller
from server.settings import Settings

if TYPE_CHECKING:
    from server.adapters.in_process.background_loops import BackgroundLoops
    from server.adapters.mcp_client.mcp_servers import McpServers
    from server.adapters.mcp_client.server_file import ConfiguredServer
    from server.ports.gates import WebhookSender
    from server.ports.mcp_tools import McpTools
    from server.ports.repositories import Repositories
    from server.ports.web import Web


_ADMINISTRATOR = Caller(user_id="", account_id="", is_administrator=True)
"""Who tries a tool at the command line: of no account."""


@asynccontextmanager
async def mcp_tools_of(settings: Settings, loops: "BackgroundLoops") -> "AsyncIterator[McpTools | None]":
    """Other servers' tools for the turns of this process; None where no file names any. Raises ConfigError."""
    if settings.mcp_servers is None or not settings.runs_turns:
        yield None
        return
    servers = build_mcp_servers(settings, settings.mcp_servers)
    looping = loops.start("mcp_servers", servers.run)
    try:
        yield servers
    finally:
        await loops.stop(looping)


def web_of(settings: Settings) -> "Web | None":
    """The web for the turns of this process; None where no search service is set."""
    if settings.tavily_api_key is None or not settings.runs_turns:
        return None
    from server.adapters.web.open_web import OpenWeb
    from server.adapters.web.page_reader import PageReader
    from server.adapters.web.tavily import TavilySearch

    search = TavilySearch(settings.tavily_api_key.get_secret_value())
    return OpenWeb(search, PageReader(), monotonic=time.monotonic)


def repositories_of(settings: Settings) -> "Repositories | None":
    """The accounts' repositories; None where no file names any. Raises ConfigError."""
    if settings.repositories is None:
        return None
    from server.adapters.repositories.open_repositories import OpenRepositories
    from server.adapters.repositories.repository_file import read_repositories

    return OpenRepositories(
        read_repositories(settings.repositories, os.environ),
        people_sign_in=settings.supabase_url is not None,
        monotonic=time.monotonic,
    )


def build_mcp_servers(settings: Settings, path: Path) -> "McpServers":
    """Those of the file. Raises ConfigError."""
    from server.adapters.mcp_client.allowed_tools import AllowedTools
    from server.adapters.mcp_client.connections import Connections
    from server.adapters.mcp_client.mcp_servers import McpServers
    from server.adapters.mcp_client.server_file import read_servers
    from server.agent.outside.foreign_tools import why_not
    from server.agent.tools.all_tools import TOOLS
    from server.ports.mcp_tools import CALL_SECONDS

    own = frozenset(tool.name for tool in TOOLS)
    return McpServers(
        read_servers(path, os.environ, taken=own),
        AllowedTools(path),
        connections=Connections(CALL_SECONDS),
        why_not=lambda foreign: why_not(foreign, own),
        people_sign_in=settings.supabase_url is not None,
        monotonic=time.monotonic,
    )


def webhooks_of(settings: Settings) -> "WebhookSender | None":
    """What reports gates' results; None where none is to be sent."""
    if not settings.webhooks:
        return None
    from server.adapters.web.webhook_sender import HttpsSender

    return HttpsSender()


class ServersAdministration:
    """Implements `ForeignServers` for the command line."""

    def __init__(self, settings: Settings) -> None:
        if settings.mcp_servers is None:
            raise ConfigError("FLAMECHAT_MCP_SERVERS names no file: no other servers' tools are used")
        self._client = build_mcp_servers(settings, settings.mcp_servers)

    async def listed(self) -> "Sequence[ListedForeignTool]":
        return [one for server in self._client.servers for one in await self._of(server)]

    async def allow(self, server: str, tools: "Sequence[str]") -> "Sequence[ListedForeignTool]":
        found = self._server(server)
        listed = await self._of(found)
        chosen = [one for one in listed if one.tool in tools or (not tools and one.access)]
        if missing := [one for one in tools if one not in found.tools]:
            raise ConfigError(f"the file does not name {', '.join(missing)} of {server}")
        if unseen := [one.tool for one in chosen if one.fingerprint is None]:
            raise ConfigError(f"{server} is away, or has no tool {', '.join(unseen)}")
        await self._client.allow(found, [one.tool for one in chosen])
        return [one for one in await self._of(found) if one.tool in {each.tool for each in chosen}]

    async def call(self, server: str, tool: str, arguments: dict[str, Any]) -> str:
        found = self._server(server)
        await self._client.look(found)
        result = await self._client.call(_ADMINISTRATOR, found.names.get(tool, tool), arguments, is_approved=True)
        return outside_text(server, result.text, note=", which calls it an error" if result.is_error else "")

    def _server(self, name: str) -> "ConfiguredServer":
        for server in self._client.servers:
            if server.name == name:
                return server
        raise ConfigError(f"the file names no server {name}")

    async def _of(self, server: "ConfiguredServer") -> "list[ListedForeignTool]":
        await self._client.look(server)
        return [
            ListedForeignTool(
                server=one.server,
                tool=one.tool,
                name=one.name,
                access=one.access,
                state=one.state or "offered",
                description="" if one.seen is None else one.seen.description,
                schema={} if one.seen is None else one.seen.schema,
                fingerprint=None if one.seen is None else one.seen.fingerprint,
            )
            for one in await self._client.states(server)
        ]
