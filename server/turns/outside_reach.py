"""What turns of this process may reach outside, and what of it is a caller's."""

from dataclasses import dataclass

from server.ports.identity import Caller
from server.ports.mcp_tools import CallerTools, McpTools
from server.ports.web import CallerWeb, Web


@dataclass(frozen=True, slots=True)
class OutsideReach:
    """Nothing, unless the settings name it."""

    mcp_tools: McpTools | None = None
    web: Web | None = None

    async def tools_of(self, caller: Caller) -> CallerTools | None:
        """Other servers' tools; None for none."""
        return await CallerTools.of(self.mcp_tools, caller)

    def web_of(self, caller: Caller) -> CallerWeb | None:
        """None where no search is set."""
        return None if self.web is None else CallerWeb(self.web, caller)


NOTHING_OUTSIDE = OutsideReach()
