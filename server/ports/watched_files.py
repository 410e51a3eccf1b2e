"""Files of a watched place: where they come from, and which were taken in."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

READING_S = 3_600.0
"""After so long a server that began to read a file is taken for gone."""


class ListedFile(Protocol):
    """A file as it was listed. `version` is another one where its bytes may be others."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def version(self) -> str: ...


Listed = TypeVar("Listed", bound=ListedFile)


class WatchedSource(Protocol[Listed]):
    """A folder or bucket."""

    def files(self) -> AsyncIterator[Listed]:
        """All of them. Raises ServiceUnavailable."""
        ...

    async def fetch(self, file: Listed, folder: Path) -> Path:
        """The file on this machine. Raises NotFound for one that is gone, ServiceUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file of a place by name and version; `key` stands for all three."""

    place: str
    name: str
    version: str

    @property
    def key(self) -> str:
        parts = f"{self.place}\0{self.name}\0{self.version}"
        return hashlib.sha256(parts.encode(errors="surrogatepass")).hexdigest()


class WatchedFiles(Protocol):
    """Which files were taken in; the in-memory twin obeys the same contract suite."""

    async def claim(self, file: WatchedFile, user_id: str) -> bool:
        """Whether the file is this process's to take in: nobody has, or whoever began is gone."""
        ...

    async def end(self, file: WatchedFile, *, trace_id: str | None = None, reason: str | None = None) -> None:
        """It became a trace, or was refused for a reason: it is not taken in again."""
        ...

    async def release(self, file: WatchedFile) -> None:
        """It was not looked at, and is anybody's again."""
        ...
