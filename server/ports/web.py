"""The web, where an administrator lets answers ask it: a search, and the pages that it found."""

from dataclasses import dataclass
from typing import Literal, Protocol

from server.ports.identity import Caller

WEB_SECONDS = 8.0
"""Of one search or page."""

MAX_QUERY = 200
MAX_PAGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """One result of a search; all of it is written by somebody else."""

    title: str
    url: str
    excerpt: str


class WebFailed(Exception):
    """Nothing was read. The text is ours."""

    def __init__(self, text: str, code: Literal["unavailable", "timeout", "refused"]) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class Web(Protocol):
    async def search(self, caller: Caller, query: str) -> tuple[FoundPage, ...]:
        """The best first. Raises WebFailed."""
        ...

    async def read(self, caller: Caller, url: str) -> str:
        """A page's text. Only public addresses are asked. Raises WebFailed."""
        ...


@dataclass(frozen=True, slots=True)
class CallerWeb:
    """The web for one caller."""

    port: Web
    caller: Caller

    async def search(self, query: str) -> tuple[FoundPage, ...]:
        """Raises WebFailed."""
        return await self.port.search(self.caller, query)

    async def read(self, url: str) -> str:
        """Raises WebFailed."""
        return await self.port.read(self.caller, url)
