"""What keeps accepted turns from being lost, whoever died: every few seconds, in every process, by one at a time."""

import asyncio
from time import monotonic
from typing import Self

import psycopg
import structlog
from procrastinate.exceptions import ProcrastinateException
from psycopg.types.json import Jsonb
from psycopg_pool import PoolTimeout

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.postgres.statements import statement
from server.adapters.postgres.turn_queue import SILENT_S, PostgresTurnQueue
from server.errors import DatabaseUnavailable
from server.ports.queue import TurnJob
from server.protocol.mounted import NOBODY_THERE

EVERY_S = 2.0
LOCK_KEY = 7_274_463_203

NEWLY_S = 60.0
"""What turns leave that ended so long ago at most is looked for at every round, by an index."""

THOROUGHLY_EVERY_S = 600.0
"""What was missed then (nobody swept, a turn is gone with its conversation) is looked for in all of the tables."""

EVENTS_EVERY_S = 30.0

STATE_VERSIONS = 9
"""Of the state of a turn's graph, by which its checkpoints are named: no fewer than there have been."""

REMAINS = (
    "delete_done_jobs",
    "delete_ended_turns_checkpoint_writes",
    "delete_ended_turns_checkpoint_blobs",
    "delete_ended_turns_checkpoints",
)
"""Statements that remove what ended turns have left, whenever that was."""

log = structlog.get_logger(__name__)


class TurnSweep:
    """`async with TurnSweep(queue):` sweeps until it is left. What it finds: jobs whose worker is dead, which are done
    again; turns that have waited for the page long enough, which go on; accepted turns without a job, which get one;
    what ended turns leave behind, which goes.
    """

    def __init__(
        self,
        queue: PostgresTurnQueue,
        *,
        every_s: float = EVERY_S,
        stalled_s: float | None = None,
        silent_s: float = SILENT_S,
        loops: BackgroundLoops | None = None,
    ) -> None:
        self._queue = queue
        self._every_s = every_s
        self._stalled_s = queue.dead_after_s if stalled_s is None else stalled_s
        self._silent_s = silent_s
        self._loops = loops or BackgroundLoops()
        self._sweeping: asyncio.Task[None] | None = None
        self._due: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        self._sweeping = self._loops.start("sweep", self._sweep_on)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._loops.stop(self._sweeping)

    async def sweep(self) -> list[TurnJob]:
        """One round; returns the turns that got a job. Nothing is done while another process is at it."""
        async with self._queue.pool.connection() as guard, guard.transaction(), guard.cursor() as cursor:
            await cursor.execute(statement("lock_sweep"), {"key": LOCK_KEY})
            if (await cursor.fetchone()) != (True,):
                return []
            await self._queue.retry_stalled(self._stalled_s, self._silent_s)
            await cursor.execute(statement("expire_interrupts"), {"result": Jsonb(NOBODY_THERE)})
            await cursor.execute(statement("turns_without_job"))
            lost = [TurnJob(str(turn), str(session)) for turn, session in await cursor.fetchall()]
            for job in lost:
                await self._queue.put(job)
            newly = {"versions": STATE_VERSIONS, "newly_s": NEWLY_S}
            await cursor.execute(statement("delete_checkpoints_of_newly_ended"), newly)
            for name in (*REMAINS, "empty_old_turn_events"):
                if self._is_due(name, THOROUGHLY_EVERY_S if name in REMAINS else EVENTS_EVERY_S):
                    await cursor.execute(statement(name))
        return lost

    def _is_due(self, name: str, every_s: float) -> bool:
        """Whether it was not done for so long, by this process."""
        now = monotonic()
        if now < self._due.get(name, now):
            return False
        self._due[name] = now + every_s
        return True

    async def _sweep_on(self) -> None:
        while True:
            try:
                for job in await self.sweep():
                    log.info("turn_taken_up", turn_id=job.turn_id)
            except (psycopg.Error, PoolTimeout, ProcrastinateException, DatabaseUnavailable) as error:
                log.warning("sweep_failed", error=type(error).__name__)
            await asyncio.sleep(self._every_s)
