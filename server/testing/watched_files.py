"""Which files of watched places were taken in, in a dictionary: the twin of PostgresWatchedFiles."""

from datetime import datetime, timedelta

from server.ports.clock import Clock
from server.ports.watched_files import READING_S, WatchedFile


class MemoryWatchedFiles:
    """`outcomes` has what became of each name: its trace's id, or the reason of a refusal."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._claimed: dict[str, datetime] = {}
        self._ended: set[str] = set()
        self.outcomes: dict[str, str | None] = {}

    async def claim(self, file: WatchedFile, user_id: str) -> bool:
        since = self._claimed.get(file.key)
        is_taken = since is not None and self._clock.now() - since <= timedelta(seconds=READING_S)
        if is_taken or file.key in self._ended:
            return False
        self._claimed[file.key] = self._clock.now()
        return True

    async def end(self, file: WatchedFile, *, trace_id: str | None = None, reason: str | None = None) -> None:
        self._claimed.pop(file.key, None)
        self._ended.add(file.key)
        self.outcomes[file.name] = reason or trace_id

    async def release(self, file: WatchedFile) -> None:
        self._claimed.pop(file.key, None)
