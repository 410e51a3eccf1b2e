"""The workers' twin: traces stay in this process and questions run in a thread."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from server.adapters.workers.sql_process import SqlBounds, SqlSandbox
from server.errors import WorkerFailed
from server.ports.traces import Importing, OpenTrace, SqlRows
from traces import cache
from traces.model import Trace
from traces.progress import Progress
from traces.reader import read_trace

P = ParamSpec("P")
R = TypeVar("R")


class InlineTraceWorkers:
    """Implements `TraceWorkers` without files or bounds, and without processes but a query's: for the command line,
    where one person waits, and for tests.
    """

    def __init__(self, sql_bounds: SqlBounds | None = None) -> None:
        self._traces: dict[str, Trace] = {}
        self._reading: dict[Path, Progress] = {}
        self._sandbox = SqlSandbox(sql_bounds)

    async def read(self, source: Path, *, name: str, sha256: str) -> OpenTrace:
        """Parse a file, or answer at once when it is known. Raises TraceError, OSError."""
        if sha256 not in self._traces:
            progress = self._reading[source] = Progress()
            try:
                self._traces[sha256] = await asyncio.to_thread(_read, source, name, progress)
            finally:
                self._reading.pop(source, None)
        return OpenTrace(sha256, source)

    async def importing(self, source: Path) -> Importing | None:
        if (progress := self._reading.get(source)) is None:
            return None
        return Importing(bytes_read=progress.bytes_read((await asyncio.to_thread(source.stat)).st_size))

    def hold(self, trace: Trace) -> OpenTrace:
        """Take a trace that is in hand already."""
        key = trace.sha256 or hashlib.sha256(trace.name.encode()).hexdigest()
        self._traces[key] = trace
        return OpenTrace(key, Path(trace.name))

    async def cached(self, sha256: str) -> OpenTrace | None:
        return OpenTrace(sha256, Path(sha256)) if sha256 in self._traces else None

    async def forget(self, sha256: str) -> None:
        self._traces.pop(sha256, None)

    async def ask(
        self, trace: OpenTrace, question: Callable[Concatenate[Trace, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Raises what the question raises; WorkerFailed for a trace that was never read here."""
        if trace.sha256 not in self._traces:
            raise WorkerFailed("this trace has not been read here: upload it again")
        opened: list[Any] = [self._traces[value.sha256] if isinstance(value, OpenTrace) else value for value in args]
        return await asyncio.to_thread(partial(question, self._traces[trace.sha256], *opened, **kwargs))

    async def query(self, trace: OpenTrace, sql: str) -> SqlRows:
        """As the port says: the query has its process here too, which gets the columns in a file of their own."""
        if trace.sha256 not in self._traces:
            raise WorkerFailed("this trace has not been read here: upload it again")
        with tempfile.NamedTemporaryFile(prefix="flamechat-", suffix=".columns") as file:
            await asyncio.to_thread(_write, self._traces[trace.sha256], file)
            return await self._sandbox.query(Path(file.name), sql)


def _write(trace: Trace, file: IO[bytes]) -> None:
    file.writelines(cache.encode(trace))
    file.flush()


def _read(source: Path, name: str, progress: Progress) -> Trace:
    """Through a mapping; a trace keeps nothing of its source."""
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = mmap(file.fileno(), 0, access=ACCESS_READ) if size else file.read()
        return read_trace(data, name=name, progress=progress)
