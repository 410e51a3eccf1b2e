"""What keeps accepted turns from being lost, whoever died: every few seconds, in every process, by one at a time."""

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import Self

import psycopg
import structlog
from procrastinate.exceptions import ProcrastinateException
from psycopg_pool import PoolTimeout

from server.adapters.postgres.turn_queue import STALLED_S, PostgresTurnQueue
from server.errors import DatabaseUnavailable
from server.ports.queue import TurnJob

EVERY_S = 2.0
LOCK_KEY = 7_274_463_203

WITHOUT_JOB = """
select t.id, t.session_id from public.chat_turns t
where t.ended_at is null and not exists (
    select from procrastinate_jobs j where j.queueing_lock = t.id::text and j.status in ('todo', 'doing')
)
order by min(t.created_at) over (partition by t.session_id), t.session_id, t.ordinal
"""
REMAINS = (
    "delete from procrastinate_jobs where status not in ('todo', 'doing')",
    # Listeners of other processes may still be reading the end.
    """
    delete from turn_events e
    where e.written_at < now() - interval '10 s'
        and not exists (select from public.chat_turns t where t.id = e.turn_id and t.ended_at is null)
    """,
    *(
        f"""
        delete from {table} c where not exists (
            select from public.chat_turns t
            where t.ended_at is null and t.user_id = split_part(c.thread_id, '/', 1)::uuid
                and t.id = split_part(c.thread_id, '/', 2)::uuid
        )
        """  # noqa: S608 - names of ours
        for table in ("checkpoint_writes", "checkpoint_blobs", "checkpoints")
    ),
)

log = structlog.get_logger(__name__)


class TurnSweep:
    """`async with TurnSweep(queue):` sweeps until it is left. What it finds: jobs whose worker is dead, which are done
    again; accepted turns without a job, which get one; what ended turns leave behind, which goes.
    """

    def __init__(self, queue: PostgresTurnQueue, *, every_s: float = EVERY_S, stalled_s: float = STALLED_S) -> None:
        self._queue = queue
        self._every_s = every_s
        self._stalled_s = stalled_s
        self._sweeping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sweeping = asyncio.create_task(self._sweep_on())
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeping

    async def sweep(self) -> list[TurnJob]:
        """One round; returns the turns that got a job. Nothing is done while another process is at it."""
        async with self._queue.pool.connection() as guard, guard.cursor() as cursor:
            await cursor.execute("select pg_try_advisory_xact_lock(%s)", [LOCK_KEY])
            if (await cursor.fetchone()) != (True,):
                return []
            await self._queue.retry_stalled(self._stalled_s, datetime.now(UTC))
            await cursor.execute(WITHOUT_JOB)
            lost = [TurnJob(str(turn), str(session)) for turn, session in await cursor.fetchall()]
            for job in lost:
                await self._queue.put(job)
            for statement in REMAINS:
                await cursor.execute(statement)
        return lost

    async def _sweep_on(self) -> None:
        while True:
            try:
                for job in await self.sweep():
                    log.info("turn_taken_up", turn_id=job.turn_id)
            except (psycopg.Error, PoolTimeout, ProcrastinateException, DatabaseUnavailable) as error:
                log.warning("sweep_failed", error=type(error).__name__)
            await asyncio.sleep(self._every_s)
