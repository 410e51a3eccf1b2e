"""One question to a host of repositories: its token goes to no other place, and no more is read than is needed."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from server.adapters.repositories.repository_file import ConfiguredRepository
from server.adapters.trusted_certificates import trusted_certificates
from server.ports.repositories import SOURCE_SECONDS, RepositoryFailed

MAX_LIST_BYTES = 32 << 20
"""Of a list of files: GitHub ends one at 7 MB, some of other makes may not."""

_MEANT = {
    401: ": it does not take the token",
    403: ": the token may not read it, or has asked too often",
    404: ": there is no such thing, or the token may not read it",
    429: ": it is asked too often",
}


class HostAnswers:
    """Asks the interface of one repository."""

    def __init__(self, repository: ConfiguredRepository, headers: Mapping[str, str]) -> None:
        self._repository = repository
        self._headers = {**headers, "Accept-Encoding": "identity", "User-Agent": "flamechat"}

    async def json(self, path: str, *, query: Mapping[str, str] | None = None, accept: str = "application/json") -> Any:
        """Raises RepositoryFailed."""
        content = await self.content(path, query=query, accept=accept, most=MAX_LIST_BYTES)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self.wrong() from None

    async def content(
        self, path: str, *, most: int, query: Mapping[str, str] | None = None, accept: str = "application/octet-stream"
    ) -> bytes:
        """Raises RepositoryFailed; `unknown` for what is not there."""
        name = self._repository.project
        content = bytearray()
        try:
            async with (
                httpx.AsyncClient(
                    verify=trusted_certificates(), trust_env=False, follow_redirects=False, timeout=SOURCE_SECONDS
                ) as client,
                client.stream(
                    "GET",
                    f"{self._repository.api}{path}",
                    params=query,
                    headers=self._headers | {"Accept": accept},
                ) as response,
            ):
                if (status := response.status_code) != 200:
                    code: Any = "unknown" if status in (404, 422) else "unavailable"
                    raise RepositoryFailed(f"{name} answers {status}{_MEANT.get(status, '')}", code)
                async for chunk in response.aiter_raw():
                    content += chunk
                    if len(content) > most:
                        raise RepositoryFailed(f"{name} answers more than is read", "unavailable")
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError, ValueError):
            raise RepositoryFailed(f"{name} is not reachable, or does not answer as it should", "unavailable") from None
        return bytes(content)

    def wrong(self) -> RepositoryFailed:
        """For an answer of another form."""
        return RepositoryFailed(f"{self._repository.project} does not answer as it should", "unavailable")
