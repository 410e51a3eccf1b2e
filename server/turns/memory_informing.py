"""Informs whoever is in a conversation of an account that its memory is another version now, and that something more
was proposed in it: what is noticed in passing may come after the answer."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from server.ports.core_memory import CoreMemory
from server.protocol.server import AccountMessage, MemoryChanged, MemoryProposed
from server.turns.listening import Inbox, listening, look_until_cancelled

LOOK_EVERY_S = 3.0


class Broadcast(Protocol):
    """Sends to those who listen on Realtime."""

    def inform(self, account_id: str, message: AccountMessage) -> None:
        """On the topic of an account."""
        ...

    def announce(self, session_id: str, message: MemoryProposed) -> None:
        """On the topic of a conversation."""
        ...


@dataclass(frozen=True, slots=True)
class MoreProposed:
    """Something was proposed in the conversation that the client may not know."""

    session_id: str


@dataclass(slots=True, eq=False)
class MemoryListener:
    """One connection; `account_id` and `session_id` say in whose conversation it is, None before it is in any, and
    `version` what its client knows."""

    account_id: Callable[[], str | None]
    version: Callable[[], int]
    session_id: Callable[[], str | None] = lambda: None
    waiting: Inbox[MemoryChanged | MoreProposed] = field(default_factory=Inbox)
    proposed: tuple[str, int] | None = None


class MemoryInforming:
    """Of one process. `run` ends only by being cancelled."""

    def __init__(self, store: CoreMemory) -> None:
        self._store = store
        self._listeners: set[MemoryListener] = set()

    def listener(
        self,
        account_id: Callable[[], str | None],
        version: Callable[[], int],
        session_id: Callable[[], str | None] = lambda: None,
    ) -> AbstractContextManager[MemoryListener]:
        """Somebody who is informed for as long as the context."""
        return listening(self._listeners, MemoryListener(account_id, version, session_id))

    async def run(self) -> None:
        """Look again and again; a look that fails is logged, and made up for."""
        await look_until_cancelled(self.look, every_s=LOOK_EVERY_S, log_event="memory_versions_not_looked_at")

    async def look(self) -> None:
        """Inform everybody whose client knows another version than the one that stands, or whose conversation has had
        more proposals; nothing is asked where nobody listens. Raises DatabaseUnavailable."""
        accounts = {account for one in self._listeners if (account := one.account_id()) is not None}
        if accounts:
            await self._look_at_versions(frozenset(accounts))
        sessions = {session for one in self._listeners if (session := one.session_id()) is not None}
        if sessions:
            await self._look_at_proposals(frozenset(sessions))

    async def _look_at_versions(self, accounts: frozenset[str]) -> None:
        versions = await self._store.versions(accounts)
        for listener in self._listeners:
            stands = versions.get(listener.account_id() or "")
            if stands is not None and stands != listener.version():
                listener.waiting.offer(MemoryChanged(version=stands))

    async def _look_at_proposals(self, sessions: frozenset[str]) -> None:
        counts = await self._store.proposed(sessions)
        for listener in self._listeners:
            session = listener.session_id()
            if session is None or session not in counts:
                continue
            now = (session, counts[session])
            if now != listener.proposed:
                listener.proposed = now
                listener.waiting.offer(MoreProposed(session))
