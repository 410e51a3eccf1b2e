"""The workers' twin: traces stay in this process and questions run in a thread."""

import asyncio
import hashlib
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from server.adapters.workers.local_files import LocalFiles
from server.adapters.workers.sql_process import SqlBounds, SqlSandbox
from server.errors import WorkerFailed
from server.ports.traces import Importing, OpenTrace, SqlRows
from traces import cache
from traces.model import Trace
from traces.progress import Progress

P = ParamSpec("P")
R = TypeVar("R")


class InlineTraceWorkers:
    """Implements `TraceWorkers` without bounds, and without processes but a query's: for the command line, where one
    person waits, and for tests. `files` may have a cache.
    """

    def __init__(
        self,
        sql_bounds: SqlBounds | None = None,
        files: LocalFiles | None = None,
        sandbox: SqlSandbox | None = None,
    ) -> None:
        self._files = files or LocalFiles(None, lambda _: None)
        self._traces: dict[str, Trace] = {}
        self._reading: dict[Path, Progress] = {}
        self._sandbox = sandbox or SqlSandbox(sql_bounds)

    async def read(self, source: Path, *, name: str, key: str) -> OpenTrace:
        """Read a file, or answer at once when it is known. Raises TraceError, OSError."""
        if key not in self._traces:
            self._traces[key] = await self._opened(source, name)
        return OpenTrace(key, source)

    async def open(self, source: Path) -> OpenTrace:
        """A file of this machine by its content. Raises TraceError, OSError."""
        return self.hold(await self._opened(source, source.name))

    async def _opened(self, source: Path, name: str) -> Trace:
        progress = self._reading[source] = Progress()
        try:
            return await asyncio.to_thread(self._files.read, source, name, progress)
        finally:
            self._reading.pop(source, None)

    async def importing(self, source: Path) -> Importing | None:
        if (progress := self._reading.get(source)) is None:
            return None
        return Importing(bytes_read=progress.bytes_read((await asyncio.to_thread(source.stat)).st_size))

    def hold(self, trace: Trace) -> OpenTrace:
        """Take a trace that is in hand already."""
        key = trace.content_key or hashlib.sha256(trace.name.encode()).hexdigest()
        self._traces[key] = trace
        return OpenTrace(key, Path(trace.name))

    async def cached(self, key: str) -> OpenTrace | None:
        return OpenTrace(key, Path(key)) if key in self._traces else None

    async def forget(self, key: str) -> None:
        self._traces.pop(key, None)

    async def ask(
        self, trace: OpenTrace, question: Callable[Concatenate[Trace, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Raises what the question raises; WorkerFailed for a trace that was never read here."""
        if trace.key not in self._traces:
            raise WorkerFailed("this trace has not been read here: upload it again")
        opened: list[Any] = [self._traces[value.key] if isinstance(value, OpenTrace) else value for value in args]
        return await asyncio.to_thread(partial(question, self._traces[trace.key], *opened, **kwargs))

    async def query(self, trace: OpenTrace, sql: str, *, upload: Path | None = None) -> SqlRows:
        """As the port says: the query has its process here too, which gets the columns in a file of their own."""
        if trace.key not in self._traces:
            raise WorkerFailed("this trace has not been read here: upload it again")
        columns = self._files.columns(self._traces[trace.key])
        if columns is not None:
            return await self._sandbox.query(columns, sql, upload)
        with tempfile.NamedTemporaryFile(prefix="flamechat-", suffix=".columns") as file:
            await asyncio.to_thread(_write, self._traces[trace.key], file)
            return await self._sandbox.query(Path(file.name), sql, upload)

    async def query_library(self, files: Mapping[str, Path], sql: str) -> SqlRows:
        return await self._sandbox.query_library(files, sql)


def _write(trace: Trace, file: IO[bytes]) -> None:
    file.writelines(cache.encode(trace))
    file.flush()
