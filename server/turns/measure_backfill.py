"""Measures what was stored before measures were kept, a recording at a time, so that questions need not wait for it."""

from dataclasses import dataclass, field

import anyio
import structlog

from server.errors import Busy, DatabaseUnavailable, ServerError, raised_at
from server.ports.history import History
from server.ports.identity import Caller
from server.turns.trace_library import TraceLibrary
from traces.errors import TraceError

AT_ONCE = 20
"""Recordings of one look."""
BETWEEN_S = 1.0
"""After each: people's own questions go first."""
IDLE_S = 600.0
PAUSE_S = 30.0
"""After a look that failed."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class MeasureBackfill:
    """`run` ends only by being cancelled. Every process may do it: what two measure is the same. What cannot be
    measured is left alone until the process ends."""

    history: History
    library: TraceLibrary
    between_s: float = BETWEEN_S
    left_alone: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Look again and again."""
        while True:
            try:
                busy = await self.step()
            except (DatabaseUnavailable, Busy) as error:
                log.warning("backfill_paused", error=type(error).__name__, where=raised_at(error))
                await anyio.sleep(PAUSE_S)
                continue
            if not busy:
                await anyio.sleep(IDLE_S)

    async def step(self) -> bool:
        """Measure the newest few; whether there may be more. Raises DatabaseUnavailable, Busy."""
        found = await self.history.unmeasured_anywhere(limit=AT_ONCE, without=self.left_alone)
        for caller, trace_id in found:
            await self._measure(caller, trace_id)
            await anyio.sleep(self.between_s)
        return bool(found)

    async def _measure(self, caller: Caller, trace_id: str) -> None:
        try:
            _, opened = await self.library.open(caller, trace_id)
            if await self.library.measure(caller, trace_id, opened):
                return
        except (DatabaseUnavailable, Busy):
            raise
        except (ServerError, TraceError, OSError) as error:
            log.info("not_measured", trace_id=trace_id, error=type(error).__name__)
        self.left_alone.add(trace_id)
