"""Other servers' tools, in memory: the twin of McpServers."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from server.ports.identity import Caller
from server.ports.mcp_tools import MAX_ARGUMENT_BYTES, ForeignCallFailed, ForeignResult, ForeignTool

Answering = Callable[[dict[str, Any]], ForeignResult]


class MemoryMcpTools:
    """Implements `McpTools`: each tool with what answers it. `calls` are those that were answered; `accounts` None is
    everybody."""

    def __init__(self, tools: Mapping[ForeignTool, Answering], *, accounts: frozenset[str] | None = None) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._tools = dict(tools)
        self._accounts = accounts
        self._kept: dict[tuple[str, str, str], ForeignResult] = {}

    async def offered(self, caller: Caller) -> tuple[ForeignTool, ...]:
        return tuple(self._tools) if self._accounts is None or caller.account_id in self._accounts else ()

    async def call(
        self, caller: Caller, name: str, arguments: dict[str, Any], *, is_approved: bool = False
    ) -> ForeignResult:
        written = json.dumps(arguments, sort_keys=True, ensure_ascii=False)
        if len(written.encode()) > MAX_ARGUMENT_BYTES:
            raise ForeignCallFailed(f"the arguments have more than {MAX_ARGUMENT_BYTES:,} bytes", "refused")
        tool = next((one for one in await self.offered(caller) if one.name == name), None)
        if tool is None:
            raise ForeignCallFailed(f"{name} is not offered any more", "refused")
        if tool.access == "ask" and not is_approved:
            raise ForeignCallFailed(f"nobody has allowed this call of {name}", "refused")
        key = (caller.account_id, name, written)
        if tool.access == "read" and key in self._kept:
            return self._kept[key]
        result = self._tools[tool](arguments)
        self.calls.append((name, arguments))
        if tool.access == "read" and not result.is_error:
            self._kept[key] = result
        return result
