"""Reads each recording of a place once and writes what it measured to tables; a second run goes on."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio
import anyio.to_thread
from anyio.abc import ObjectReceiveStream, ObjectSendStream, TaskGroup

from server.adapters.fleet.sources import FoundFile, Source
from server.adapters.fleet.tables import FileRow, FleetTables
from server.adapters.workers.jobs import MeasuredFile
from server.errors import NotFound, ServerError, WorkerFailed
from server.ports.fleet import BatchDone
from traces.bounds import MAX_UPLOAD_BYTES
from traces.errors import TraceError, TraceTooLarge
from traces.gate.run_history import HistoryColumns

PART_FILES = 200
PART_BYTES = 1 << 30
"""Of the files of a part: what a run that is cut off reads again."""

AHEAD = 2
"""Files that are fetched while the workers read others."""


class Reading(Protocol):
    async def read(self, file: FoundFile) -> MeasuredFile:
        """What a file measured. Raises TraceError, WorkerFailed, NotFound, OSError for one that cannot be read,
        another error where the run cannot go on."""
        ...


@dataclass(slots=True)
class _Read:
    """A file that is being read, and what came of it once it is `ended`."""

    file: FoundFile
    ended: anyio.Event = field(default_factory=anyio.Event)
    row: FileRow | None = None
    history: HistoryColumns | None = None


@dataclass(slots=True)
class _Part:
    """What is written at once."""

    files: list[FileRow] = field(default_factory=list)
    measured: list[tuple[FileRow, HistoryColumns]] = field(default_factory=list)
    size: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.files) >= PART_FILES or self.size >= PART_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """`program` is that of all files; None: the first folder of a file's name."""

    source: Source
    tables: FleetTables
    reading: Reading
    at_once: int
    program: str | None = None
    max_bytes: int = MAX_UPLOAD_BYTES

    async def run(self, progress: Callable[[BatchDone], None] = lambda _: None) -> BatchDone:
        """Raises Busy, ServiceUnavailable; what was read until then is in the tables."""
        with self.tables.alone():
            known, keys = await anyio.to_thread.run_sync(self.tables.known)
            run = _Run(self, known, keys, progress)
            await run.to_its_end()
        if run.failed:
            raise run.failed[0]
        return run.done


class _Run:
    """Files are read side by side and written in the order in which they were listed, so that of equal ones always the
    same counts. What is ahead of the next to be written is bounded by a part's number of files."""

    def __init__(
        self, batch: Batch, known: set[tuple[str, str]], keys: set[str], progress: Callable[[BatchDone], None]
    ) -> None:
        self._batch = batch
        self._known = known
        self._keys = keys
        self._progress = progress
        self._places = anyio.Semaphore(batch.at_once + AHEAD)
        self.done = BatchDone()
        self.failed: list[Exception] = []
        self._cannot_write = False

    async def to_its_end(self) -> None:
        """What fails is kept in `failed`, and ends it after what was read is written."""
        started, reads = anyio.create_memory_object_stream[_Read](PART_FILES)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._begin, tasks, started)
            await self._collect(reads)

    async def _begin(self, tasks: TaskGroup, started: ObjectSendStream[_Read]) -> None:
        async with started:
            try:
                async for file in self._batch.source.files():
                    if (file.name, file.version) in self._known:
                        self.done = replace(self.done, known=self.done.known + 1)
                        continue
                    await self._places.acquire()
                    if self.failed:
                        return
                    one = _Read(file)
                    tasks.start_soon(self._read, one)
                    await started.send(one)
            except ServerError as error:
                self.failed.append(error)

    async def _read(self, one: _Read) -> None:
        batch, file = self._batch, one.file
        row = FileRow(
            name=file.name,
            version=file.version,
            size=file.size,
            key=None,
            outcome="refused",
            reason=None,
            format=None,
            program=batch.program or program_of(file.name),
            day=file.changed_at.date(),
        )
        try:
            if file.size > batch.max_bytes:
                raise TraceTooLarge(f"It has {file.size:,} bytes; {batch.max_bytes:,} are read at most.")
            found = await batch.reading.read(file)
            one.row = replace(row, outcome="read", key=found.key, format=found.format)
            one.history = found.measured
        except (TraceError, WorkerFailed, NotFound, OSError) as error:
            one.row = replace(row, reason=str(error)[:500])
        except Exception as error:  # noqa: BLE001 - raised once what was read is kept
            self.failed.append(error)
        finally:
            self._places.release()
            one.ended.set()

    async def _collect(self, reads: ObjectReceiveStream[_Read]) -> None:
        part = _Part()
        async with reads:
            async for one in reads:
                await one.ended.wait()
                if one.row is None:
                    continue
                row = one.row
                if row.key is not None and row.key in self._keys:
                    row = replace(row, outcome="same")
                elif one.history is not None and row.key is not None:
                    self._keys.add(row.key)
                    part.measured.append((row, one.history))
                part.files.append(row)
                part.size += row.size
                if part.is_full:
                    await self._write(part)
                    part = _Part()
        if part.files:
            await self._write(part)

    async def _write(self, part: _Part) -> None:
        """What cannot be written ends the run, and is read again by the next, with all that would have come after: it
        may be equal to it."""
        if self._cannot_write:
            return
        try:
            await anyio.to_thread.run_sync(self._batch.tables.add, part.files, part.measured)
        except ServerError as error:
            self.failed.append(error)
            self._cannot_write = True
            return
        outcomes = [row.outcome for row in part.files]
        self.done = replace(
            self.done,
            read=self.done.read + outcomes.count("read"),
            same=self.done.same + outcomes.count("same"),
            refused=self.done.refused + outcomes.count("refused"),
        )
        self._progress(self.done)


def program_of(name: str) -> str:
    """The first folder of a file's name."""
    first, slash, _ = name.partition("/")
    return first if slash and first else "unknown"
