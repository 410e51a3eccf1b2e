"""What turns of this process may reach outside, and what of it is a caller's."""

from dataclasses import dataclass
from pathlib import Path

from server.ports.identity import Caller
from server.ports.mcp_tools import CallerTools, McpTools
from server.ports.repositories import CallerRepository, Repositories
from server.ports.web import CallerWeb, Web


@dataclass(frozen=True, slots=True)
class OutsideReach:
    """Nothing, unless the settings name it; `source_folder` is on this machine."""

    mcp_tools: McpTools | None = None
    web: Web | None = None
    repositories: Repositories | None = None
    source_folder: Path | None = None

    async def tools_of(self, caller: Caller) -> CallerTools | None:
        """Other servers' tools; None for none."""
        return await CallerTools.of(self.mcp_tools, caller)

    def repository_of(self, caller: Caller) -> CallerRepository | None:
        """Where the account's sources are; None for nowhere."""
        return CallerRepository.of(self.repositories, caller)

    def web_of(self, caller: Caller) -> CallerWeb | None:
        """None where no search is set."""
        return None if self.web is None else CallerWeb(self.web, caller)


NOTHING_OUTSIDE = OutsideReach()
