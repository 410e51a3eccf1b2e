"""The port over a search service and a reader of pages; the same call of an account is answered from before."""

from collections.abc import Callable
from typing import Protocol

from server.adapters.kept_answers import KeptAnswers
from server.adapters.web.page_reader import PageReader
from server.ports.identity import Caller
from server.ports.mcp_tools import KEPT_SECONDS
from server.ports.web import FoundPage


class Search(Protocol):
    async def search(self, query: str) -> tuple[FoundPage, ...]:
        """Raises WebFailed."""
        ...


class OpenWeb:
    """Implements `Web`."""

    def __init__(self, search: Search, reader: PageReader, *, monotonic: Callable[[], float]) -> None:
        self._search = search
        self._reader = reader
        self._found: KeptAnswers[tuple[FoundPage, ...]] = KeptAnswers(KEPT_SECONDS, monotonic)
        self._read: KeptAnswers[str] = KeptAnswers(KEPT_SECONDS, monotonic)

    async def search(self, caller: Caller, query: str) -> tuple[FoundPage, ...]:
        key = (caller.account_id, query)
        if (kept := self._found.get(key)) is not None:
            return kept
        found = await self._search.search(query)
        self._found.keep(key, found)
        return found

    async def read(self, caller: Caller, url: str) -> str:
        key = (caller.account_id, url)
        if (kept := self._read.get(key)) is not None:
            return kept
        text = await self._reader.read(url)
        self._read.keep(key, text)
        return text
