"""Tavily, a search service for programs: https://docs.tavily.com/documentation/api-reference/endpoint/search."""

import asyncio
import json
from typing import Any

import httpx

from server.adapters.trusted_certificates import trusted_certificates
from server.ports.web import WEB_SECONDS, FoundPage, WebFailed

ADDRESS = "https://api.tavily.com"
MOST_FOUND = 5
MAX_BYTES = 1 << 20
MAX_URL = 500
MAX_TITLE = 200
MAX_EXCERPT = 600


class TavilySearch:
    """Searches with a key."""

    def __init__(self, key: str, *, address: str = ADDRESS, seconds: float = WEB_SECONDS) -> None:
        self._key = key
        self._address = address
        self._seconds = seconds

    async def search(self, query: str) -> tuple[FoundPage, ...]:
        """Raises WebFailed."""
        try:
            async with asyncio.timeout(self._seconds):
                return _found(json.loads(await self._asked(query)))
        except TimeoutError:
            raise WebFailed(f"the search has not answered within {self._seconds:g} s", "timeout") from None
        except (httpx.HTTPError, httpx.StreamError, ValueError, RecursionError):
            raise WebFailed("the search is not reachable, or does not answer as it should", "unavailable") from None

    async def _asked(self, query: str) -> bytes:
        content = bytearray()
        headers = {"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
        body = {"query": query, "max_results": MOST_FOUND, "search_depth": "basic"}
        async with (
            httpx.AsyncClient(
                verify=trusted_certificates(), trust_env=False, follow_redirects=False, timeout=self._seconds
            ) as client,
            client.stream("POST", f"{self._address}/search", json=body, headers=headers) as response,
        ):
            if response.status_code != 200:
                raise WebFailed(f"the search answers {response.status_code}", "unavailable")
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > MAX_BYTES:
                    raise WebFailed("the search answers more than is read", "unavailable")
        return bytes(content)


def _found(answered: Any) -> tuple[FoundPage, ...]:
    """Raises WebFailed for what has not their form."""
    results = answered.get("results") if isinstance(answered, dict) else None
    if not isinstance(results, list):
        raise WebFailed("the search does not answer as it should", "unavailable")
    return tuple(
        FoundPage(
            title=str(one.get("title") or "")[:MAX_TITLE],
            url=one["url"],
            excerpt=str(one.get("content") or "")[:MAX_EXCERPT],
        )
        for one in results[:MOST_FOUND]
        if isinstance(one, dict) and _is_address(one.get("url"))
    )


def _is_address(url: Any) -> bool:
    return (
        isinstance(url, str) and len(url) <= MAX_URL and url.startswith(("https://", "http://")) and url.isprintable()
    )
