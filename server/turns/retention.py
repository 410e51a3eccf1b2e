"""What must go goes, and what must begin again begins: expired traces are removed with everything that hangs on them,
pictures that belong to no message go too, and monthly counters roll to the current month. Every process may do
it at any time: whoever comes second finds nothing left.
"""

import itertools

import anyio
import structlog

from limits.administration import PlanRecords
from server.errors import raised_at
from server.ports.clock import Clock
from server.ports.conversations import Conversations
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET, ObjectStore
from server.ports.traces import TraceRecords, TraceWorkers

EVERY_S = 60.0
AT_ONCE = 100
ROUNDS_PER_TIDYING = 60
"""Pictures are looked through at the start and then every hour: it takes a listing of the bucket."""

PICTURES_AT_ONCE = 500

log = structlog.get_logger(__name__)


class Retention:
    """`run` ends only by being cancelled."""

    def __init__(
        self,
        *,
        records: TraceRecords,
        conversations: Conversations,
        plans: PlanRecords,
        objects: ObjectStore,
        workers: TraceWorkers,
        clock: Clock,
        every_s: float = EVERY_S,
    ) -> None:
        self._records = records
        self._conversations = conversations
        self._plans = plans
        self._objects = objects
        self._workers = workers
        self._clock = clock
        self._every_s = every_s

    async def run(self) -> None:
        """Sweep now and then again and again; a round that fails is logged, and the next one does its work."""
        for rounds in itertools.count():
            try:
                await self.sweep()
                if rounds % ROUNDS_PER_TIDYING == 0:
                    await self.tidy_pictures()
                    await self._conversations.sweep_sessions()
            except Exception as error:  # noqa: BLE001 - the top of a round: the database may be away for a while
                log.warning("retention_failed", error=type(error).__name__, where=raised_at(error))
            await anyio.sleep(self._every_s)

    async def tidy_pictures(self) -> int:
        """Remove pictures that no message holds, of turns that were cut off, or overtaken; returns how many."""
        removed = 0
        seen: list[str] = []
        async for path in self._objects.paths(PICTURES_BUCKET):
            seen.append(path)
            if len(seen) == PICTURES_AT_ONCE:
                removed += await self._remove_pictures_of_nobody(seen)
                seen = []
        removed += await self._remove_pictures_of_nobody(seen)
        if removed:
            log.info("pictures_of_nobody_removed", pictures=removed)
        return removed

    async def _remove_pictures_of_nobody(self, paths: list[str]) -> int:
        free = await self._conversations.pictures_of_nobody(paths) if paths else []
        for path in free:
            await self._objects.delete(PICTURES_BUCKET, path)
        return len(free)

    async def sweep(self) -> int:
        """One round; returns how many traces were removed.

        Objects go before their row: whatever stops it half-way, the row is found again and nothing is left behind.
        """
        await self._plans.roll_periods()
        removed = 0
        while expired := await self._records.expired(self._clock.now(), limit=AT_ONCE):
            for trace in expired:
                for path in trace.pictures:
                    await self._objects.delete(PICTURES_BUCKET, path)
                await self._objects.delete(TRACES_BUCKET, trace.object_path)
                await self._records.delete_expired(trace.trace_id, self._clock.now())
                if not await self._records.is_content_used(trace.sha256):
                    await self._workers.forget(trace.sha256)
                removed += 1
            if len(expired) < AT_ONCE:
                break
        if removed:
            log.info("expired_traces_removed", traces=removed)
        return removed
