"""The servers of the file as one port: what of them is offered to whom, and calls that are allowed."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from server.adapters.kept_answers import KeptAnswers
from server.adapters.mcp_client.allowed_tools import AllowedTools
from server.adapters.mcp_client.connections import Connections, SeenTool
from server.adapters.mcp_client.server_file import ConfiguredServer
from server.errors import ConfigError
from server.ports.identity import Caller
from server.ports.mcp_tools import KEPT_SECONDS, MAX_ARGUMENT_BYTES, ForeignCallFailed, ForeignResult, ForeignTool

LIST_AGAIN_S = 300.0
"""How often servers are asked what they have, besides when they announce a change; each call asks for its own tool once
more."""

CHANGED_S = 1.0
"""From the announcement to the look at the list: a server that announces without end is asked no more often."""

AWAY_AGAIN_S = 60.0
FIRST_WAIT_S = 2.0
"""How long the first turn after a start waits for the first lists."""

log = structlog.get_logger(__name__)

WhyNot = Callable[[ForeignTool], str | None]
"""Why a tool cannot be offered to a model, None where it can: the agent's rules for descriptions and schemas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolState:
    """A tool of the file and what is the matter with it; `state` is empty where it is offered."""

    server: str
    tool: str
    name: str
    access: str
    state: str
    seen: SeenTool | None


class McpServers:
    """Implements `McpTools`. `why_not` says what may not be offered; `monotonic` is the clock's."""

    def __init__(
        self,
        servers: Sequence[ConfiguredServer],
        allowed: AllowedTools,
        *,
        connections: Connections,
        why_not: WhyNot,
        people_sign_in: bool,
        monotonic: Callable[[], float],
    ) -> None:
        self.servers = tuple(servers)
        self._allowed = allowed
        self._connections = connections
        self._why_not = why_not
        self._people_sign_in = people_sign_in
        self._seen: dict[str, dict[str, SeenTool]] = {}
        self.listed_once = asyncio.Event()
        self._off: set[tuple[str, str]] = set()
        self._kept: KeptAnswers[ForeignResult] = KeptAnswers(KEPT_SECONDS, monotonic)

    async def run(self) -> None:
        """Ask each server what it has, at once and again and again; no server waits for another."""
        async with asyncio.TaskGroup() as group:
            firsts = [asyncio.Event() for _ in self.servers]
            for server, first in zip(self.servers, firsts, strict=True):
                group.create_task(self._follow(server, first))
            for first in firsts:
                await first.wait()
            self.listed_once.set()

    async def _follow(self, server: ConfiguredServer, first: asyncio.Event) -> None:
        while True:
            there = await self.look(server)
            first.set()
            again_at = asyncio.get_running_loop().time() + (LIST_AGAIN_S if there else AWAY_AGAIN_S)
            if there and await self._connections.changed(server, lambda: self.look(server), most_s=LIST_AGAIN_S):
                again_at = min(again_at, asyncio.get_running_loop().time() + CHANGED_S)
            await asyncio.sleep(again_at - asyncio.get_running_loop().time())

    async def look(self, server: ConfiguredServer) -> bool:
        """Ask one server what it has; whether it answered. One whose secret is not set is not asked."""
        if server.missing:
            return False
        try:
            self._seen[server.name] = await self._connections.tools(server)
        except ForeignCallFailed as error:
            self._seen.pop(server.name, None)
            log.warning("mcp_server_away", server=server.name, code=error.code)
            return False
        await self._turn_off_changed(server)
        return True

    async def _turn_off_changed(self, server: ConfiguredServer) -> None:
        """What is not as it was allowed is off until it is allowed again, also if it changes back."""
        try:
            allowed = (await asyncio.to_thread(self._allowed.read)).get(server.name, {})
        except ConfigError:
            return  # then nothing is offered
        for tool, seen in self._seen.get(server.name, {}).items():
            if tool not in server.tools or allowed.get(tool, seen.fingerprint) == seen.fingerprint:
                continue
            log.warning("mcp_tool_changed", server=server.name, tool=server.names[tool])
            try:
                await asyncio.to_thread(self._allowed.forget, server.name, tool)
            except ConfigError:
                self._off.add((server.name, tool))

    async def states(self, server: ConfiguredServer) -> list[ToolState]:
        """Every tool of the file, and those that the server has besides. Raises ConfigError."""
        allowed = (await asyncio.to_thread(self._allowed.read)).get(server.name, {})
        seen = self._seen.get(server.name)
        others = {} if seen is None else {name: "not in the file" for name in seen if name not in server.tools}
        found = []
        for tool in [*server.tools, *others]:
            state = others.get(tool) or self._state(server, tool, allowed)
            found.append(
                ToolState(
                    server=server.name,
                    tool=tool,
                    name=server.names.get(tool, ""),
                    access=server.tools.get(tool, ""),
                    state=state,
                    seen=None if seen is None else seen.get(tool),
                )
            )
        return found

    def _state(self, server: ConfiguredServer, tool: str, allowed: dict[str, str]) -> str:
        seen = self._seen.get(server.name)
        if server.missing:
            return f"off: {', '.join(server.missing)} is not set"
        if seen is None:
            return "away"
        if tool not in seen:
            return "off: the server has no such tool"
        if tool not in allowed:
            return "off: not allowed yet, or changed since"
        if (server.name, tool) in self._off or allowed[tool] != seen[tool].fingerprint:
            return "off: changed since it was allowed"
        why = self._why_not(_foreign(server, seen[tool]))
        return f"off: {why}" if why else ""

    async def allow(self, server: ConfiguredServer, tools: Sequence[str]) -> None:
        """As the server lists them now. Raises ConfigError."""
        seen = self._seen.get(server.name, {})
        prints = {tool: seen[tool].fingerprint for tool in tools if tool in seen}
        await asyncio.to_thread(self._allowed.allow, server.name, prints)
        self._off -= {(server.name, tool) for tool in prints}

    async def offered(self, caller: Caller) -> tuple[ForeignTool, ...]:
        servers = [one for one in self.servers if self._may_use(one, caller)]
        if not servers:
            return ()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_WAIT_S):
                await self.listed_once.wait()
        try:
            allowed = await asyncio.to_thread(self._allowed.read)
        except ConfigError as error:
            log.warning("mcp_tools_not_allowed", error=str(error))
            return ()
        return tuple(
            _foreign(server, self._seen[server.name][tool])
            for server in servers
            for tool in server.tools
            if not self._state(server, tool, allowed.get(server.name, {}))
        )

    def _may_use(self, server: ConfiguredServer, caller: Caller) -> bool:
        """An administrator of no account tries tools, at the command line."""
        is_trying = caller.is_administrator and not caller.account_id
        return is_trying or server.is_for(caller.account_id, people_sign_in=self._people_sign_in)

    async def call(
        self, caller: Caller, name: str, arguments: dict[str, Any], *, is_approved: bool = False
    ) -> ForeignResult:
        written = json.dumps(arguments, sort_keys=True, ensure_ascii=False)
        if len(written.encode()) > MAX_ARGUMENT_BYTES:
            raise ForeignCallFailed(f"the arguments have more than {MAX_ARGUMENT_BYTES:,} bytes", "refused")
        foreign = next((one for one in await self.offered(caller) if one.name == name), None)
        if foreign is None:
            raise ForeignCallFailed(f"{name} is not offered any more", "refused")
        if foreign.access == "ask" and not is_approved:
            raise ForeignCallFailed(f"nobody has allowed this call of {name}", "refused")
        key = (caller.account_id, name, written)
        if foreign.access == "read" and (kept := self._kept.get(key)) is not None:
            return kept
        server = next(one for one in self.servers if one.name == foreign.server)
        try:
            result = await self._connections.call(server, foreign.tool, arguments, self._checks(server, foreign))
        except ForeignCallFailed as error:
            if error.code == "refused":
                await self._turn_off_changed(server)
            raise
        if foreign.access == "read" and not result.is_error:
            self._kept.keep(key, result)
        return result

    def _checks(self, server: ConfiguredServer, foreign: ForeignTool) -> Callable[[SeenTool | None], None]:
        """That the tool is still what was allowed, as its server lists it in the connection of the call."""

        def check(seen: SeenTool | None) -> None:
            if seen is None or seen.fingerprint != foreign.fingerprint:
                if seen is None:
                    self._seen.get(server.name, {}).pop(foreign.tool, None)
                else:
                    self._seen.setdefault(server.name, {})[foreign.tool] = seen
                raise ForeignCallFailed(f"{foreign.name} has changed since it was allowed, and is off", "refused")

        return check


def _foreign(server: ConfiguredServer, seen: SeenTool) -> ForeignTool:
    return ForeignTool(
        name=server.names.get(seen.tool, ""),
        server=server.name,
        tool=seen.tool,
        description=seen.description,
        schema=json.dumps(seen.schema, sort_keys=True),
        access=server.tools.get(seen.tool, "ask"),
        fingerprint=seen.fingerprint,
        masks_names=server.mask_names,
    )
