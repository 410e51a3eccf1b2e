"""Where recordings of a fleet lie: a folder, or a bucket below a prefix. Nothing in either is changed."""

import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
import httpx
from obstore.exceptions import BaseError, InvalidPathError
from obstore.store import ObjectStore, from_url

from server.adapters.fleet.unusual_names import SignedRequests, is_unusual
from server.errors import ConfigError, NotFound, ServiceUnavailable

PIECE_BYTES = 4 << 20
GONE = "It is gone."
CHANGED = "It became larger while it was read: the next run reads it."
UNUSUAL = (
    "The bucket has a name with control characters, an empty part between slashes or one of dots alone, and is not"
    " listed. Rename it, or name a prefix without it; of S3 it is listed where the environment has the keys."
)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it was listed. `version` is another one where its bytes may be others."""

    name: str
    size: int
    version: str
    changed_at: datetime


class Source(Protocol):
    def files(self) -> AsyncIterator[FoundFile]:
        """All of them. Raises ServiceUnavailable."""
        ...

    async def fetch(self, file: FoundFile, folder: Path) -> Path:
        """The file on this machine: where it lies, or a copy in `folder`. Raises NotFound for one that is gone,
        ServiceUnavailable."""
        ...


class FolderSource:
    """The regular files below a folder; links are not followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def files(self) -> AsyncIterator[FoundFile]:
        for found in await anyio.to_thread.run_sync(self._listed):
            yield found

    async def fetch(self, file: FoundFile, folder: Path) -> Path:
        path = self._folder / file.name
        try:
            status = await anyio.Path(path).lstat()
        except FileNotFoundError:
            raise NotFound(GONE) from None
        if not stat.S_ISREG(status.st_mode):
            raise NotFound(GONE)
        return path

    def _listed(self) -> list[FoundFile]:
        found = []
        for parent, folders, names in os.walk(self._folder):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    changed = datetime.fromtimestamp(status.st_mtime, UTC)
                    version = f"{status.st_size}-{status.st_mtime_ns}"
                    name_below = str(path.relative_to(self._folder))
                    found.append(FoundFile(name_below, status.st_size, version, changed))
        return found


class BucketSource:
    """The objects below an address such as `s3://bucket/prefix`, by the provider's own variables. Raises ConfigError
    for an address that is none."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._store = store_of(address)

    async def files(self) -> AsyncIterator[FoundFile]:
        listed: set[str] = set()
        try:
            async for page in self._store.list():
                for one in page:
                    listed.add(one["path"])
                    yield _found(one["path"], one["size"], one["e_tag"], one["last_modified"])
        except InvalidPathError:
            async for file in self._unusual():
                if file.name not in listed:
                    yield file
        except (BaseError, FileNotFoundError) as error:
            raise unavailable("listed", error) from error

    async def _unusual(self) -> AsyncIterator[FoundFile]:
        requests = SignedRequests.of(self._address)
        if requests is None:
            raise ServiceUnavailable(UNUSUAL, service="bucket")
        try:
            async for one in requests.objects():
                if one.size or not one.path.endswith("/"):  # "a/" stands for an empty folder
                    yield _found(one.path, one.size, one.e_tag, one.last_modified)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise unavailable("listed", error) from error

    async def fetch(self, file: FoundFile, folder: Path) -> Path:
        target, size = folder / "object", 0
        try:
            async with await anyio.open_file(target, "wb") as written, self._content(file) as pieces:
                async for piece in pieces:
                    size += await written.write(piece)
                    if size > file.size:
                        raise NotFound(CHANGED)
        except FileNotFoundError:
            raise NotFound(GONE) from None
        except (BaseError, httpx.HTTPError, httpx.InvalidURL) as error:
            raise unavailable("read", error) from error
        return target

    @asynccontextmanager
    async def _content(self, file: FoundFile) -> AsyncIterator[AsyncIterator[bytes]]:
        if is_unusual(file.name):
            requests = SignedRequests.of(self._address)
            if requests is None:
                raise NotFound("Its name cannot be asked for.")
            async with requests.content(file.name) as response:
                yield response.aiter_bytes(PIECE_BYTES)
            return
        got = await self._store.get_async(file.name)
        yield (bytes(piece) async for piece in got.stream(min_chunk_size=PIECE_BYTES))


def _found(name: str, size: int, e_tag: str | None, changed: datetime) -> FoundFile:
    return FoundFile(name, size, str(e_tag or f"{size}-{changed.isoformat()}"), changed)


def source_of(where: str) -> Source:
    """The bucket of an address, else the folder. Raises ConfigError."""
    if "://" in where:
        return BucketSource(where)
    folder = Path(where)
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {where}.")
    return FolderSource(folder)


def store_of(address: str) -> ObjectStore:
    """The store of an address. Raises ConfigError."""
    try:
        return from_url(address, client_options={"allow_http": True})
    except (BaseError, ValueError) as error:
        raise ConfigError(f"{address} cannot be used ({type(error).__name__}).") from None


def unavailable(what: str, error: Exception) -> ServiceUnavailable:
    """Without the provider's answer, which may name keys."""
    return ServiceUnavailable(f"The bucket cannot be {what} ({type(error).__name__}).", service="bucket")
