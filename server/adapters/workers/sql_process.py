"""SQL queries in processes that are made for one query each and killed when they pass their bounds."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
from anyio import CapacityLimiter
from anyio.abc import Process

from server.errors import WorkerFailed
from server.ports.traces import SqlColumnType, SqlRefused, SqlRows

MOST_SQL_CHARACTERS = 8_000
"""Planning grows faster than the text: 300 subqueries take 1.5 s to plan."""

STARTING_S = 10.0
"""Until a new process has loaded its libraries on a busy machine; the query's own time is counted there."""

NOT_AT_HAND = "spans.args is NULL: none were recorded, or the file is not at hand"

OF_A_TRACE = "server.adapters.workers.sql_sandbox"
OF_A_LIBRARY = "server.adapters.workers.library_sandbox"

_ARGUMENTS = re.compile(r"\bargs\b", re.IGNORECASE)

KILLED_AFTER_S = 3.0
"""What the process may take beyond the query's time before it is killed: its own timer and the system's bound come
first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlBounds:
    """Of one query: its time, and how much it may answer. `at_once` bounds the processes."""

    seconds: float = 10.0
    rows: int = 1_000
    characters: int = 1_000_000
    at_once: int = 2


class SqlSandbox:
    """Answers queries over columns in the cache, each in a process of its own."""

    def __init__(self, bounds: SqlBounds | None = None) -> None:
        self._bounds = bounds or SqlBounds()
        self._at_once = CapacityLimiter(self._bounds.at_once)

    async def query(self, columns: Path, sql: str, upload: Path | None = None) -> SqlRows:
        """The rows of one SELECT. Raises SqlRefused for a query that is wrong, forbidden or too much; WorkerFailed when
        there is no process to be had."""
        read = {"columns": str(columns), "upload": _absolute(upload) if reads_arguments(sql) else None}
        rows = await self._answer(OF_A_TRACE, sql, read)
        return replace(rows, note=NOT_AT_HAND) if upload is None and reads_arguments(sql) else rows

    async def query_library(self, files: Mapping[str, Path], sql: str) -> SqlRows:
        """The rows of one SELECT over tables in files. Raises as `query` does."""
        return await self._answer(OF_A_LIBRARY, sql, {"files": {name: _absolute(one) for name, one in files.items()}})

    async def _answer(self, module: str, sql: str, read: Mapping[str, Any]) -> SqlRows:
        if len(sql) > MOST_SQL_CHARACTERS:
            raise SqlRefused("refused", f"the query has {len(sql)} characters; {MOST_SQL_CHARACTERS} are read")
        bounds = self._bounds
        bounded = {"sql": sql, "seconds": bounds.seconds, "rows": bounds.rows, "characters": bounds.characters}
        async with self._at_once:
            answer, code = await self._run(module, json.dumps({**read, **bounded}).encode())
        return self._read(answer, code)

    async def _run(self, module: str, request: bytes) -> tuple[bytes, int | None]:
        """What the process wrote, and its exit code; None when it was killed at the end of its time."""
        try:
            process = await anyio.open_process(
                [sys.executable, "-m", module],
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
            )
        except OSError as error:
            raise WorkerFailed(f"No process could be started for the query: {error.strerror}.") from error
        answer = bytearray()
        try:
            with anyio.move_on_after(STARTING_S + self._bounds.seconds + KILLED_AFTER_S):
                await _write_request(process, request)
                most = 8 * self._bounds.characters
                assert process.stdout is not None
                async for piece in process.stdout:
                    answer += piece
                    if len(answer) > most:
                        return b"", None
                return bytes(answer), await process.wait()
            return b"", None
        finally:
            with anyio.CancelScope(shield=True):
                with suppress(ProcessLookupError):
                    process.kill()
                await process.aclose()

    def _read(self, answer: bytes, code: int | None) -> SqlRows:
        if code is not None and code > 0:
            raise WorkerFailed(f"The process for queries ended with code {code} before it answered.")
        reply: dict[str, Any] | None = json.loads(answer) if code == 0 and answer else None
        if reply is None:
            raise SqlRefused("time", f"the query passed its {self._bounds.seconds:g} s or its memory and was stopped")
        match reply.get("refused"):
            case None:
                kinds = tuple(SqlColumnType(one["name"], one["type"]) for one in reply["columns"])
                return SqlRows(
                    columns=kinds, rows=tuple(map(tuple, reply["rows"])), more=reply["more"], note=reply["note"]
                )
            case "memory":
                why = "the query needs more memory than it may use: aggregate, filter or LIMIT inside it"
                raise SqlRefused("memory", why)
            case "time":
                why = f"the query took longer than {self._bounds.seconds:g} s: filter earlier or aggregate"
                raise SqlRefused("time", why)
            case kind:
                raise SqlRefused(kind, reply["why"], tuple(reply["tables"]))


async def _write_request(process: Process, request: bytes) -> None:
    assert process.stdin is not None
    with suppress(anyio.BrokenResourceError):  # it ended already: its exit code says why
        await process.stdin.send(request)
        await process.stdin.aclose()


def _absolute(file: Path | None) -> str | None:
    """The process runs elsewhere."""
    return None if file is None else str(file.absolute())


def reads_arguments(sql: str) -> bool:
    """Whether a query may ask for the arguments of spans, which are read from the upload."""
    return _ARGUMENTS.search(sql) is not None


def _environment() -> dict[str, str]:
    """Nothing of the server's own: no key, no home, no address."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "OPENBLAS_NUM_THREADS": "1", "HOME": "/"}
