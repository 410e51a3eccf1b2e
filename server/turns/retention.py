"""What must go goes, and what must begin again begins: expired traces are removed with everything that hangs on them,
and monthly counters roll to the month that has begun. Every process may do it at any time: whoever comes second finds
nothing left.
"""

import anyio
import structlog

from limits.administration import PlanRecords
from server.errors import raised_at
from server.ports.clock import Clock
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET, ObjectStore
from server.ports.traces import TraceRecords, TraceWorkers

EVERY_S = 60.0
AT_ONCE = 100

log = structlog.get_logger(__name__)


class Retention:
    """`run` ends only by being cancelled."""

    def __init__(
        self,
        *,
        records: TraceRecords,
        plans: PlanRecords,
        objects: ObjectStore,
        workers: TraceWorkers,
        clock: Clock,
        every_s: float = EVERY_S,
    ) -> None:
        self._records = records
        self._plans = plans
        self._objects = objects
        self._workers = workers
        self._clock = clock
        self._every_s = every_s

    async def run(self) -> None:
        """Sweep now and then again and again; a round that fails is logged, and the next one does its work."""
        while True:
            try:
                await self.sweep()
            except Exception as error:  # noqa: BLE001 - the top of a round: the database may be away for a while
                log.warning("retention_failed", error=type(error).__name__, where=raised_at(error))
            await anyio.sleep(self._every_s)

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
                if not await self._records.are_held(trace.sha256):
                    await self._workers.forget(trace.sha256)
                removed += 1
            if len(expired) < AT_ONCE:
                break
        if removed:
            log.info("expired_traces_removed", traces=removed)
        return removed
