"""Repositories, in memory: the twin of OpenRepositories."""

import hashlib
from collections.abc import Mapping

from server.ports.identity import Caller
from server.ports.repositories import RepositoryFailed, RepositoryVersion

Files = Mapping[str, str]


class MemoryRepositories:
    """Implements `Repositories` over texts by path, by commit, oldest first; `accounts` None is everybody."""

    def __init__(self, name: str, commits: Mapping[str, Files], *, accounts: frozenset[str] | None = None) -> None:
        self._name = name
        self._commits = dict(commits)
        self._accounts = accounts

    def name_for(self, caller: Caller) -> str | None:
        return self._name if self._accounts is None or caller.account_id in self._accounts else None

    async def version(self, caller: Caller, commit: str | None) -> RepositoryVersion:
        self._check(caller)
        named = [one for one in self._commits if commit is None or one.startswith(commit)]
        if not named:
            raise RepositoryFailed(f"{self._name} answers 404", "unknown")
        files = {path: _content_id(text) for path, text in self._commits[named[-1]].items()}
        return RepositoryVersion(commit=named[-1], files=files)

    async def content(self, caller: Caller, version: RepositoryVersion, path: str) -> str:
        self._check(caller)
        return self._commits[version.commit][path]

    def _check(self, caller: Caller) -> None:
        if self.name_for(caller) is None:
            raise RepositoryFailed("no repository is named for this account", "unavailable")


def _content_id(text: str) -> str:
    return hashlib.sha1(f"blob {len(text.encode())}\0{text}".encode(), usedforsecurity=False).hexdigest()
