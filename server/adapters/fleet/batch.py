"""Reads each recording of a place once and writes what it measured to tables; a second run goes on."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread

from server.adapters.fleet.sources import FoundFile, Source
from server.adapters.fleet.tables import FileRow, FleetTables
from server.adapters.workers.jobs import MeasuredFile
from server.errors import NotFound, WorkerFailed
from server.ports.fleet import BatchDone
from traces.bounds import MAX_UPLOAD_BYTES
from traces.errors import TraceError
from traces.gate.run_history import RunHistory

PART_FILES = 200
PART_BYTES = 1 << 30
"""Of the files of a part: what a run that is cut off reads again."""

AHEAD = 2
"""Files that are fetched while the workers read others."""


class Measuring(Protocol):
    async def measure(self, source: Path, name: str) -> MeasuredFile:
        """Raises TraceError, WorkerFailed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """`program` is that of all files; None: the first folder of a file's name."""

    source: Source
    tables: FleetTables
    workers: Measuring
    at_once: int
    program: str | None = None
    max_bytes: int = MAX_UPLOAD_BYTES

    async def run(self, progress: Callable[[BatchDone], None] = lambda _: None) -> BatchDone:
        """Raises Busy, ServiceUnavailable; what was read until then is in the tables."""
        with self.tables.alone():
            known, keys = await anyio.to_thread.run_sync(self.tables.known)
            done, part, size = BatchDone(), list[FoundFile](), 0
            async for file in self.source.files():
                if (file.name, file.version) in known:
                    done = replace(done, known=done.known + 1)
                    continue
                part.append(file)
                size += file.size
                if len(part) == PART_FILES or size >= PART_BYTES:
                    done = await self._add(part, keys, done)
                    part, size = [], 0
                    progress(done)
            if part:
                done = await self._add(part, keys, done)
                progress(done)
        return done

    async def _add(self, part: Sequence[FoundFile], keys: set[str], done: BatchDone) -> BatchDone:
        """Read a part and write it; `keys` are those of contents that were read, and grow."""
        found: dict[int, tuple[FileRow, RunHistory | None]] = {}
        places = anyio.Semaphore(self.at_once + AHEAD)
        failed: list[BaseException] = []

        async def read(place: int, file: FoundFile) -> None:
            async with places:
                if failed:
                    return
                try:
                    found[place] = await self._read(file)
                except Exception as error:  # noqa: BLE001 - raised once what was read is kept
                    failed.append(error)

        async with anyio.create_task_group() as tasks:
            for place, file in enumerate(part):
                tasks.start_soon(read, place, file)
        files, measured = [], []
        for place in sorted(found):
            row, history = found[place]
            if row.key is not None and row.key in keys:
                row = replace(row, outcome="same")
            elif history is not None and row.key is not None:
                keys.add(row.key)
                measured.append((row, history))
            files.append(row)
        if files:
            await anyio.to_thread.run_sync(self.tables.add, files, measured)
        if failed:
            raise failed[0]
        outcomes = [row.outcome for row in files]
        return replace(
            done,
            read=done.read + outcomes.count("read"),
            same=done.same + outcomes.count("same"),
            refused=done.refused + outcomes.count("refused"),
        )

    async def _read(self, file: FoundFile) -> tuple[FileRow, RunHistory | None]:
        row = FileRow(
            name=file.name,
            version=file.version,
            size=file.size,
            key=None,
            outcome="refused",
            reason=None,
            format=None,
            program=self.program or program_of(file.name),
            day=file.changed_at.date(),
        )
        if file.size > self.max_bytes:
            return replace(row, reason=f"It has {file.size:,} bytes; {self.max_bytes:,} are read at most."), None
        with tempfile.TemporaryDirectory() as folder:
            try:
                path = await self.source.fetch(file, Path(folder))
                found = await self.workers.measure(path, Path(file.name).name)
            except (TraceError, WorkerFailed, NotFound, OSError) as error:
                return replace(row, reason=str(error)[:500]), None
        return replace(row, outcome="read", key=found.key, format=found.format), found.measured


def program_of(name: str) -> str:
    """The first folder of a file's name."""
    first, slash, _ = name.partition("/")
    return first if slash and first else "unknown"
