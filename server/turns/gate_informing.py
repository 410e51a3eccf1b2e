"""Informs whoever is in a conversation of an account what its gates have found of uploads."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from server.ports.gates import GateResult, Gates
from server.protocol.server import GateChanged
from server.turns.listening import Inbox, listening, look_until_cancelled

LOOK_EVERY_S = 3.0
LATELY_S = 60.0
"""Far more than between two looks: a database that was away for a moment loses nothing."""


@dataclass(slots=True, eq=False)
class GateListener:
    """One connection; `account_id` says whose conversation it is in, None before it is in any. `seen` are the results
    of the last minute that it was informed of."""

    account_id: Callable[[], str | None]
    seen: frozenset[str] = frozenset()
    waiting: Inbox[GateChanged] = field(default_factory=Inbox)


class GateInforming:
    """Of one process. `run` ends only by being cancelled."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._listeners: set[GateListener] = set()

    def listener(self, account_id: Callable[[], str | None]) -> AbstractContextManager[GateListener]:
        """Somebody who is informed for as long as the context."""
        return listening(self._listeners, GateListener(account_id))

    async def run(self) -> None:
        """Look again and again; a look that fails is logged, and made up for."""
        await look_until_cancelled(self.look, every_s=LOOK_EVERY_S, log_event="gate_results_not_looked_at")

    async def look(self) -> None:
        """Inform everybody of what was judged in the last minute and is new to them; nothing is asked where nobody
        listens. Raises DatabaseUnavailable."""
        if not self._listeners:
            return
        found = await self._gates.judged_lately(LATELY_S)
        for listener in self._listeners:
            mine = [result for result in found if result.account_id == listener.account_id()]
            for result in mine:
                if result.result_id not in listener.seen:
                    listener.waiting.offer(gate_changed(result))
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
