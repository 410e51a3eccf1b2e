"""Sources as a repository keeps them, where an administrator has named one for the account."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from server.ports.identity import Caller

SOURCE_SECONDS = 8.0
"""Of one reading, with everything that it asks."""

MAX_SOURCE_BYTES = 4 << 20
"""Larger files are data or generated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryVersion:
    """The files of one commit: what each holds, by a name of its content. `is_cut`: there are more."""

    commit: str
    files: Mapping[str, str] = field(repr=False)
    is_cut: bool = False


class RepositoryFailed(Exception):
    """Nothing was read. The text is ours; `unknown` is a commit that is not there."""

    def __init__(self, text: str, code: Literal["unavailable", "timeout", "unknown"]) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class Repositories(Protocol):
    def name_for(self, caller: Caller) -> str | None:
        """Whose sources the caller's account may read; None for none."""
        ...

    async def version(self, caller: Caller, commit: str | None) -> RepositoryVersion:
        """The files at a commit, or at the newest one of the default branch. Raises RepositoryFailed."""
        ...

    async def content(self, caller: Caller, version: RepositoryVersion, path: str) -> str:
        """What a file of it holds. Raises RepositoryFailed."""
        ...


@dataclass(frozen=True, slots=True)
class CallerRepository:
    """The one repository of a caller, `name` as people know it."""

    port: Repositories
    caller: Caller
    name: str

    @classmethod
    def of(cls, port: Repositories | None, caller: Caller) -> "CallerRepository | None":
        """None where there is none."""
        name = None if port is None else port.name_for(caller)
        return None if port is None or name is None else cls(port, caller, name)

    async def version(self, commit: str | None) -> RepositoryVersion:
        """Raises RepositoryFailed."""
        return await self.port.version(self.caller, commit)

    async def content(self, version: RepositoryVersion, path: str) -> str:
        """Raises RepositoryFailed."""
        return await self.port.content(self.caller, version, path)
