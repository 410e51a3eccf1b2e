"""Informs whoever is in a conversation of an account that its memory is another version now."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from server.errors import DatabaseUnavailable, raised_at
from server.ports.core_memory import CoreMemory
from server.protocol.server import MemoryChanged

LOOK_EVERY_S = 3.0
MOST_WAITING = 100
log = structlog.get_logger(__name__)

Broadcast = Callable[[str, MemoryChanged], None]
"""Sends to Realtime's topic of an account."""


@dataclass(slots=True, eq=False)
class MemoryListener:
    """One connection; `account_id` says whose conversation it is in, None before it is in any, and `version` what its
    client knows."""

    account_id: Callable[[], str | None]
    version: Callable[[], int]
    waiting: asyncio.Queue[MemoryChanged] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))

    async def news(self) -> AsyncIterator[MemoryChanged]:
        """What comes, without an end."""
        while True:
            yield await self.waiting.get()


class MemoryInforming:
    """Of one process. `run` ends only by being cancelled."""

    def __init__(self, store: CoreMemory) -> None:
        self._store = store
        self._listeners: set[MemoryListener] = set()

    @contextmanager
    def listener(self, account_id: Callable[[], str | None], version: Callable[[], int]) -> Iterator[MemoryListener]:
        """Somebody who is informed for as long as the context."""
        one = MemoryListener(account_id, version)
        self._listeners.add(one)
        try:
            yield one
        finally:
            self._listeners.discard(one)

    async def run(self) -> None:
        """Look again and again; a look that fails is logged, and made up for."""
        while True:
            try:
                await self.look()
            except DatabaseUnavailable as error:
                log.warning("memory_versions_not_looked_at", error=type(error).__name__, where=raised_at(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Inform everybody whose client knows another version than the one that stands; nothing is asked where nobody
        listens. Raises DatabaseUnavailable."""
        accounts = {account for one in self._listeners if (account := one.account_id()) is not None}
        if not accounts:
            return
        versions = await self._store.versions(frozenset(accounts))
        for listener in self._listeners:
            stands = versions.get(listener.account_id() or "")
            if stands is not None and stands != listener.version() and not listener.waiting.full():
                listener.waiting.put_nowait(MemoryChanged(version=stands))
