"""The port over hosts of repositories; what was read for an account is used again for a while."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from server.adapters.kept_answers import KeptAnswers
from server.adapters.repositories.hosts import RepositoryHost, host_of
from server.adapters.repositories.repository_file import ConfiguredRepository
from server.ports.identity import Caller
from server.ports.mcp_tools import KEPT_SECONDS
from server.ports.repositories import SOURCE_SECONDS, RepositoryFailed, RepositoryVersion

MOST_VERSIONS = 8
"""Lists of files that are kept: of a large repository one is some megabytes."""

Answer = TypeVar("Answer")


class OpenRepositories:
    """Implements `Repositories`."""

    def __init__(
        self,
        repositories: Sequence[ConfiguredRepository],
        *,
        people_sign_in: bool,
        monotonic: Callable[[], float],
        seconds: float = SOURCE_SECONDS,
    ) -> None:
        self._repositories = [one for one in repositories if one.missing is None]
        self._people_sign_in = people_sign_in
        self._seconds = seconds
        self._versions: KeptAnswers[RepositoryVersion] = KeptAnswers(KEPT_SECONDS, monotonic, most=MOST_VERSIONS)
        self._contents: KeptAnswers[str] = KeptAnswers(KEPT_SECONDS, monotonic)

    def name_for(self, caller: Caller) -> str | None:
        found = self._for(caller)
        return None if found is None else found.project

    async def version(self, caller: Caller, commit: str | None) -> RepositoryVersion:
        key = (caller.account_id, commit)
        if (kept := self._versions.get(key)) is not None:
            return kept
        found = await self._within(caller, lambda host: host.version(commit))
        self._versions.keep(key, found)
        return found

    async def content(self, caller: Caller, version: RepositoryVersion, path: str) -> str:
        key = (caller.account_id, version.files[path])
        if (kept := self._contents.get(key)) is not None:
            return kept
        read = await self._within(caller, lambda host: host.content(version.files[path]))
        text = read.decode("utf-8", "replace")
        self._contents.keep(key, text)
        return text

    def _for(self, caller: Caller) -> ConfiguredRepository | None:
        fitting = (
            one for one in self._repositories if one.is_for(caller.account_id, people_sign_in=self._people_sign_in)
        )
        return next(fitting, None)

    async def _within(self, caller: Caller, question: Callable[[RepositoryHost], Awaitable[Answer]]) -> Answer:
        repository = self._for(caller)
        if repository is None:
            raise RepositoryFailed("no repository is named for this account", "unavailable")
        try:
            async with asyncio.timeout(self._seconds):
                return await question(host_of(repository))
        except TimeoutError:
            text = f"{repository.project} has not answered within {self._seconds:g} s"
            raise RepositoryFailed(text, "timeout") from None
