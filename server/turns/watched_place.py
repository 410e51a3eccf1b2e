"""A folder or bucket that is watched: new files become traces of one user as they come, under an upload's bounds."""

import hashlib
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

import anyio
import anyio.to_thread
import structlog

from server.errors import Busy, DatabaseUnavailable, LimitExceeded, NotFound, ServiceUnavailable, WorkerFailed
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceRow
from server.ports.watched_files import ListedFile, WatchedFile, WatchedFiles, WatchedSource
from traces.bounds import MAX_UPLOAD_BYTES
from traces.errors import TraceError

log = structlog.get_logger(__name__)

NAME_CHARACTERS = 200


class Uploads(Protocol):
    """As TraceLibrary has it."""

    async def add(
        self, caller: Caller, upload: Path, *, name: str, sha256: str, run: RunLabels | None = None
    ) -> TraceRow: ...


class WatchedPlace:
    """Looks again after each pause. `owner` gives the user whose traces they become; where their plan has no more room
    or the server is busy, the rest waits for a later look."""

    def __init__(
        self,
        place: str,
        source: WatchedSource[Any],
        *,
        owner: Callable[[], Awaitable[Caller]],
        uploads: Uploads,
        files: WatchedFiles,
        scratch: Path,
        pause: Callable[[], Awaitable[None]],
        max_bytes: int = MAX_UPLOAD_BYTES,
    ) -> None:
        self._place = place
        self._source = source
        self._owner = owner
        self._uploads = uploads
        self._files = files
        self._scratch = scratch
        self._pause = pause
        self._max_bytes = max_bytes

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self.look()
            except (ServiceUnavailable, DatabaseUnavailable) as error:
                log.warning("watched_place_away", place=self._place, error=type(error).__name__)
            await self._pause()

    async def look(self) -> int:
        """Take in what is new; how many files that were. Raises ServiceUnavailable, DatabaseUnavailable."""
        owner, taken = await self._owner(), 0
        async for listed in self._source.files():
            file = WatchedFile(self._place, listed.name, listed.version)
            if not await self._files.claim(file, owner.user_id):
                continue
            try:
                await self._take_in(owner, listed, file)
            except (LimitExceeded, Busy) as error:
                await self._files.release(file)
                log.warning("watched_place_waits", place=self._place, error=type(error).__name__)
                break
            except BaseException:
                with anyio.CancelScope(shield=True), suppress(DatabaseUnavailable):
                    await self._files.release(file)
                raise
            taken += 1
        return taken

    async def _take_in(self, owner: Caller, listed: ListedFile, file: WatchedFile) -> None:
        if listed.size > self._max_bytes:
            await self._files.end(file, reason=f"It has {listed.size:,} bytes; {self._max_bytes:,} are read at most.")
            return
        try:
            with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
                path = await self._source.fetch(listed, Path(folder))
                sha256 = await anyio.to_thread.run_sync(_sha256, path)
                name = PurePosixPath(listed.name).name[-NAME_CHARACTERS:] or "trace"
                row = await self._uploads.add(owner, path, name=name, sha256=sha256, run=_run_of(listed.name))
        except (TraceError, WorkerFailed, NotFound, OSError) as error:
            await self._files.end(file, reason=str(error)[:500])
        else:
            await self._files.end(file, trace_id=row.trace_id)


def _run_of(name: str) -> RunLabels | None:
    """The program is the first folder of a file's name, as for a fleet's tables."""
    first, *rest = PurePosixPath(name).parts
    return RunLabels(program=first[:NAME_CHARACTERS]) if rest else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
