"""A connection that outlives whoever is cancelled while it works for them.

psycopg takes a cancelled statement back and waits for the database's word. Where anyio cancels, that wait is cancelled
too, and the connection is lost: a closed tab would cost a connection, one more to take the statement back, and a new
one with cold caches.
"""

import asyncio
import contextlib

import anyio
import psycopg
from psycopg import AsyncConnection
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow
from psycopg.waiting import wait_async

FINISH_S = 0.5
"""For a statement whose asker has gone: nearly all take milliseconds. One that takes longer is taken back."""

TAKEN_BACK_S = 5.0
"""Until the database confirms that; else the connection is closed."""

WAKE_S = 0.1


class FinishingConnection(AsyncConnection[DictRow]):
    """One whose running statement comes to its end before the cancellation goes on."""

    async def wait(self, gen: PQGen[RV], interval: float = WAKE_S, timeout: float | None = None) -> RV:  # noqa: ASYNC109
        """What the statement gives. Raises psycopg.Error, and CancelledError as soon as the connection is free."""
        try:
            return await wait_async(gen, self.pgconn.socket, interval=interval, timeout=timeout)
        except asyncio.CancelledError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                with anyio.CancelScope(shield=True):
                    await self._finish(gen)
            raise

    async def _finish(self, gen: PQGen[RV]) -> None:
        try:
            with contextlib.suppress(psycopg.Error):
                try:
                    await self._ended(gen, FINISH_S)
                except TimeoutError:
                    await self.cancel_safe(timeout=TAKEN_BACK_S)
                    await self._ended(gen, TAKEN_BACK_S)
        finally:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()

    async def _ended(self, gen: PQGen[RV], within_s: float) -> None:
        """Raises TimeoutError, psycopg.Error. Of a task that is cancelled already, asyncio's own timeout is a
        cancellation before Python 3.11.3."""
        with anyio.fail_after(within_s):
            await wait_async(gen, self.pgconn.socket, interval=WAKE_S)
