"""Takes up what collectors left that were killed: every server looks for them, and each is taken up once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from server.errors import DatabaseUnavailable, ServerError, raised_at
from server.ports.conversations import Conversations, TurnRow
from server.ports.core_memory import COLLECTING_S, CoreMemory
from traces.errors import TraceError

AT_ONCE = 8
"""Turns of one look."""
IDLE_S = 30.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorRecovery:
    """`collect` begins a turn's collector; whether there is anything to look at."""

    store: CoreMemory
    conversations: Conversations
    collect: Callable[[TurnRow], Awaitable[bool]]
    idle_s: float = IDLE_S
    after_s: float = COLLECTING_S

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.step()
            except DatabaseUnavailable as error:
                log.warning("collectors_not_taken_up", error=type(error).__name__, where=raised_at(error))
            await asyncio.sleep(self.idle_s)

    async def step(self) -> int:
        """Begin again what was left; how many there were. What cannot be started again ends. Raises
        DatabaseUnavailable."""
        left = await self.store.left_collecting(AT_ONCE, after_s=self.after_s)
        for caller, turn_id in left:
            try:
                has_started = await self.collect(await self.conversations.turn(caller, turn_id))
            except DatabaseUnavailable:
                raise
            except (ServerError, TraceError) as error:
                log.info("facts_not_looked_for", error=type(error).__name__, where=raised_at(error))
                has_started = False
            if not has_started:
                await self.store.end_collecting(turn_id)
        return len(left)
