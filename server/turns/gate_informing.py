"""Informs whoever is in a conversation of an account what its gates have found of uploads."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from server.errors import DatabaseUnavailable, raised_at
from server.ports.gates import GateResult, Gates
from server.protocol.server import GateChanged

LOOK_EVERY_S = 3.0
LATELY_S = 60.0
"""Far more than between two looks: a database that was away for a moment loses nothing."""
MOST_WAITING = 100
"""Messages of one listener; past it those that come are left out, and the list of results has them."""

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class GateListener:
    """One connection; `account_id` says whose conversation it is in, None before it is in any. `seen` are the results
    of the last minute that it was informed of."""

    account_id: Callable[[], str | None]
    seen: frozenset[str] = frozenset()
    waiting: asyncio.Queue[GateChanged] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))

    async def news(self) -> AsyncIterator[GateChanged]:
        """What comes, without an end."""
        while True:
            yield await self.waiting.get()


class GateInforming:
    """Of one process. `run` ends only by being cancelled."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._listeners: set[GateListener] = set()

    @contextmanager
    def listener(self, account_id: Callable[[], str | None]) -> Iterator[GateListener]:
        """Somebody who is informed for as long as the context."""
        one = GateListener(account_id)
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
                log.warning("gate_results_not_looked_at", error=type(error).__name__, where=raised_at(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Inform everybody of what was judged in the last minute and is new to them; nothing is asked where nobody
        listens. Raises DatabaseUnavailable."""
        if not self._listeners:
            return
        found = await self._gates.judged_lately(LATELY_S)
        for listener in self._listeners:
            mine = [result for result in found if result.account_id == listener.account_id()]
            for result in mine:
                if result.result_id not in listener.seen and not listener.waiting.full():
                    listener.waiting.put_nowait(gate_changed(result))
            listener.seen = frozenset(result.result_id for result in mine)


def gate_changed(result: GateResult) -> GateChanged:
    """What is sent of it."""
    return GateChanged(
        result_id=result.result_id,
        gate_id=result.gate_id,
        gate_name=result.gate_name,
        trace_id=result.trace_id,
        outcome=None if result.outcome is None else result.outcome.value,
        problem=result.problem,
    )
