"""Whether a process can serve requests now, and if not, why: what `/ready` answers with."""

import os
from asyncio import Event
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio.to_thread

from server.adapters.in_process.background_loops import BackgroundLoops
from server.errors import ServerError

LEAST_FREE_BYTES = 32 << 20
"""Two segments of PostgreSQL's write-ahead log (16 MB each): with less its next checkpoint may stop it."""


class Readiness:
    """Call it for the reasons why not: none when the process is ready. `starting` names what a start waits for."""

    def __init__(
        self,
        *,
        ask_database: Callable[[], Awaitable[object]],
        loops: BackgroundLoops,
        stopping: Event,
        folder: Path,
        free_bytes: Callable[[Path], int] | None = None,
    ) -> None:
        self.starting: set[str] = set()
        self._ask_database = ask_database
        self._loops = loops
        self._stopping = stopping
        self._folder = folder
        self._free_bytes = free_bytes or free_bytes_of

    async def __call__(self) -> tuple[str, ...]:
        reasons = ["stopping"] if self._stopping.is_set() else []
        reasons += sorted(self.starting)
        reasons += [f"background loop {name}" for name in self._loops.failing]
        try:
            if await anyio.to_thread.run_sync(self._free_bytes, self._folder) < LEAST_FREE_BYTES:
                reasons.append("disk full")
        except OSError:
            reasons.append("data folder")
        try:
            await self._ask_database()
        except ServerError:
            reasons.append("database")
        return tuple(reasons)


def free_bytes_of(folder: Path) -> int:
    """Bytes that may still be written in the folder: 0 where it is read-only. Raises OSError."""
    found = os.statvfs(folder)
    return 0 if found.f_flag & os.ST_RDONLY else found.f_bavail * found.f_frsize
