"""Informs whoever is in a conversation of an account that its memory is another version now."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from server.ports.core_memory import CoreMemory
from server.protocol.server import MemoryChanged
from server.turns.listening import Inbox, listening, look_until_cancelled

LOOK_EVERY_S = 3.0

Broadcast = Callable[[str, MemoryChanged], None]
"""Sends to Realtime's topic of an account."""


@dataclass(slots=True, eq=False)
class MemoryListener:
    """One connection; `account_id` says whose conversation it is in, None before it is in any, and `version` what its
    client knows."""

    account_id: Callable[[], str | None]
    version: Callable[[], int]
    waiting: Inbox[MemoryChanged] = field(default_factory=Inbox)


class MemoryInforming:
    """Of one process. `run` ends only by being cancelled."""

    def __init__(self, store: CoreMemory) -> None:
        self._store = store
        self._listeners: set[MemoryListener] = set()

    def listener(
        self, account_id: Callable[[], str | None], version: Callable[[], int]
    ) -> AbstractContextManager[MemoryListener]:
        """Somebody who is informed for as long as the context."""
        return listening(self._listeners, MemoryListener(account_id, version))

    async def run(self) -> None:
        """Look again and again; a look that fails is logged, and made up for."""
        await look_until_cancelled(self.look, every_s=LOOK_EVERY_S, log_event="memory_versions_not_looked_at")

    async def look(self) -> None:
        """Inform everybody whose client knows another version than the one that stands; nothing is asked where nobody
        listens. Raises DatabaseUnavailable."""
        accounts = {account for one in self._listeners if (account := one.account_id()) is not None}
        if not accounts:
            return
        versions = await self._store.versions(frozenset(accounts))
        for listener in self._listeners:
            stands = versions.get(listener.account_id() or "")
            if stands is not None and stands != listener.version():
                listener.waiting.offer(MemoryChanged(version=stands))
