"""The web, in memory: the twin of OpenWeb."""

from collections.abc import Mapping

from server.ports.identity import Caller
from server.ports.web import FoundPage, WebFailed


class MemoryWeb:
    """Implements `Web` over pages by address; every query finds them all. `queries` and `read_urls` are what left."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.queries: list[str] = []
        self.read_urls: list[str] = []
        self._pages = dict(pages)

    async def search(self, caller: Caller, query: str) -> tuple[FoundPage, ...]:
        self.queries.append(query)
        return tuple(FoundPage(title="A page", url=url, excerpt=text[:80]) for url, text in self._pages.items())

    async def read(self, caller: Caller, url: str) -> str:
        self.read_urls.append(url)
        if url not in self._pages:
            raise WebFailed("there is no such host", "unavailable")
        return self._pages[url]
