"""TraceWorkers over real processes, with bounds on memory, processor time and the clock."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import anyio
import anyio.to_process
import anyio.to_thread
from anyio import BrokenWorkerProcess, CapacityLimiter

from server.adapters.workers import jobs
from server.adapters.workers.fair_places import FairPlaces
from server.adapters.workers.jobs import Bounds, CacheUnusable, MeasuredFile
from server.adapters.workers.shared_progress import shared_progress
from server.adapters.workers.sql_process import SqlBounds, SqlSandbox
from server.adapters.workers.trace_cache import TraceCache
from server.errors import Busy, WorkerFailed
from server.ports.traces import Importing, OpenTrace, SqlRows
from traces.model import Trace
from traces.progress import Progress

P = ParamSpec("P")
R = TypeVar("R")

MOST_IMPORTS = 256
"""Being read or waiting: a team's burst fits, and each waiting one holds a connection and its upload on the disk."""

RETRY_AFTER_S = 30
"""A burst of small traces is read by then; for large ones the next refusal says the same again."""

LOST = "The parsed trace was lost meanwhile. Try again: it is read anew from the upload."


class ProcessWorkers:
    """Imports and questions have their own queues, so that a long import never stands before a question; of questions
    each user gets one answered in turn.

    `cache` is a folder that may be deleted at any time: it is filled again from the stored objects. Each import removes
    what was used longest ago until `cache_bytes` are not exceeded.
    """

    def __init__(
        self,
        cache: Path,
        *,
        cache_bytes: int,
        importers: int,
        askers: int,
        memory_bytes: int,
        import_seconds: int,
        question_seconds: int,
        most_imports: int = MOST_IMPORTS,
        sql_bounds: SqlBounds | None = None,
    ) -> None:
        self._cache = TraceCache(cache, cache_bytes)
        self._importers = CapacityLimiter(importers)
        self._most_imports = most_imports
        self._askers = FairPlaces(askers)
        self._memory_bytes = memory_bytes
        self._import_seconds = import_seconds
        self._question_seconds = question_seconds
        self._line: list[tuple[Path, object]] = []
        """Uploads that wait to be read, in order, each with an object that makes equal paths distinct."""
        self._progress: dict[Path, Progress | None] = {}
        """Of the uploads that are being read."""
        self._sandbox = SqlSandbox(sql_bounds)

    @property
    def imports_running(self) -> int:
        return self._importers.statistics().borrowed_tokens

    @property
    def imports_waiting(self) -> int:
        return self._importers.statistics().tasks_waiting

    @property
    def questions_waiting(self) -> int:
        return self._askers.waiting

    async def read(self, source: Path, *, name: str, key: str) -> OpenTrace:
        """As the port says; raises Busy when too many wait already."""
        if self.imports_running + self.imports_waiting >= self._most_imports:
            raise Busy(
                f"{self._most_imports} traces are waiting to be read already. Try {name} again in {RETRY_AFTER_S} s.",
                retry_after_s=RETRY_AFTER_S,
            )
        waiting = (source, object())
        self._line.append(waiting)
        try:
            async with self._importers:
                self._line.remove(waiting)
                cached = await self.cached(key)
                return cached if cached is not None else await self._import(source, name, key)
        finally:
            if waiting in self._line:
                self._line.remove(waiting)

    async def measure(self, source: Path, name: str) -> MeasuredFile:
        """What a file measured, without keeping it. Raises TraceError, WorkerFailed."""
        bounds = Bounds(self._memory_bytes, self._import_seconds)
        async with self._importers:
            found: MeasuredFile = await self._run(
                self._import_seconds, f"Reading {name}", jobs.measure, source, name, bounds
            )
        return found

    async def importing(self, source: Path) -> Importing | None:
        for place, (waiting, _) in enumerate(self._line, 1):
            if waiting == source:
                return Importing(place=place)
        if source not in self._progress:
            return None
        progress = self._progress[source]
        try:
            size = (await anyio.Path(source).stat()).st_size
        except OSError:
            return Importing()
        return Importing(bytes_read=None if progress is None else progress.bytes_read(size))

    async def _import(self, source: Path, name: str, key: str) -> OpenTrace:
        bounds = Bounds(self._memory_bytes, self._import_seconds)
        with shared_progress() as shared:
            self._progress[source] = shared.progress
            try:
                job = (jobs.import_trace, source, name, key, self._cache, bounds, shared.place)
                columns: Path = await self._run(self._import_seconds, f"Reading {name}", *job)
            finally:
                self._progress.pop(source, None)
        return OpenTrace(key, columns)

    async def cached(self, key: str) -> OpenTrace | None:
        columns = await anyio.to_thread.run_sync(self._cache.find, key)
        if columns is None or not await anyio.Path(columns).exists():
            return None
        opened = OpenTrace(key, columns)
        try:
            is_readable = await self._answer(opened, jobs.is_readable, (), {})
        except CacheUnusable:
            is_readable = False
        if not is_readable:
            await self.forget(key)
            return None
        return opened

    async def forget(self, key: str) -> None:
        await anyio.to_thread.run_sync(self._cache.forget, key)

    async def ask(
        self, trace: OpenTrace, question: Callable[Concatenate[Trace, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        try:
            answered: R = await self._answer(trace, question, args, kwargs)
        except CacheUnusable:
            await self.forget(trace.key)
            raise WorkerFailed(LOST) from None
        return answered

    async def query(self, trace: OpenTrace, sql: str, *, upload: Path | None = None) -> SqlRows:
        if not await anyio.Path(trace.columns).exists():
            raise WorkerFailed(LOST)
        return await self._sandbox.query(trace.columns, sql, upload)

    async def query_library(self, files: Mapping[str, Path], sql: str) -> SqlRows:
        return await self._sandbox.query_library(files, sql)

    async def _answer(
        self, trace: OpenTrace, question: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        bounds = Bounds(self._memory_bytes, self._question_seconds)
        job = (jobs.answer, trace.columns, question, args, kwargs, bounds)
        async with self._askers.place():
            return await self._run(self._question_seconds, "A question about the trace", *job)

    async def _run(self, seconds: int, what: str, job: Callable[..., Any], *args: Any) -> Any:
        """Run a job in a worker now. Its processor time is bounded by the same number of seconds."""
        try:
            with anyio.fail_after(seconds):
                return await anyio.to_process.run_sync(job, *args, cancellable=True, limiter=CapacityLimiter(1))
        except TimeoutError:
            raise WorkerFailed(f"{what} took longer than {seconds} s and was stopped.") from None
        except BrokenWorkerProcess:
            raise WorkerFailed(f"{what} ended its worker process: it needed too much memory or time.") from None
        except MemoryError:
            limit_gb = self._memory_bytes / (1 << 30)
            raise WorkerFailed(f"{what} needed more than the {limit_gb:.1f} GB a worker may use.") from None
