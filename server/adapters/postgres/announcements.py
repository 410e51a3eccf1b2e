"""What other processes announce by NOTIFY: each session has a channel of its own, to which the processes listen in
which somebody follows it, so that what a turn costs does not grow with the processes that are there.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection
from time import monotonic
from typing import Any

import psycopg
import structlog
from psycopg import AsyncConnection, sql

from server.adapters.postgres.event_rows import Announcement, PassedOver, announcement
from server.adapters.postgres.pool import noticing_a_lost_machine

CHANNEL = "flamechat_turns"
"""What processes announce everything on that are older than channels of sessions."""

POLL_S = 1.0
"""How often sessions with listeners are looked at even if nothing was announced: a NOTIFY may be lost with its
connection, and a pooler of transactions passes none on."""

DEAF_POLL_S = 0.2
"""Likewise, where no NOTIFY arrives at all."""

GATHER_S = 0.02
"""Sessions that are joined within it are listened to at once."""

RETRY_S = 0.3

log = structlog.get_logger(__name__)


def channel_of(session_id: str) -> str:
    """Where what is written of a session is announced."""
    return f"{CHANNEL}_{session_id.replace('-', '')}"


class Announcements:
    """`followed` are the sessions that somebody follows here, as they are at any time; `look_at` is called with those
    of which something may have been written, `connected` when a connection listens, and `received` with what comes.
    Without `listen_dsn`, which must not be a pooler of transactions, all are looked at again and again."""

    def __init__(
        self,
        listen_dsn: str | None,
        followed: Collection[str],
        *,
        received: Callable[[Announcement], None],
        look_at: Callable[[list[str]], None],
        connected: Callable[[], None],
        passed_over: PassedOver,
    ) -> None:
        self._listen_dsn = listen_dsn
        self._followed = followed
        self._received = received
        self._look_at = look_at
        self._connected = connected
        self._passed_over = passed_over
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Others are followed now."""
        self._changed.set()

    async def run(self) -> None:
        """Listen until cancelled, over connections that come and go."""
        while self._listen_dsn is None:
            self._look_at(list(self._followed))
            await asyncio.sleep(DEAF_POLL_S)
        lost_machine: dict[str, Any] = dict(noticing_a_lost_machine(self._listen_dsn))
        while True:
            try:
                async with await AsyncConnection.connect(
                    self._listen_dsn, autocommit=True, **lost_machine
                ) as connection:
                    await self._listen(connection)
            except psycopg.Error as error:
                log.warning("announcements_not_heard", error=type(error).__name__)
                await asyncio.sleep(RETRY_S)

    async def _listen(self, connection: AsyncConnection[Any]) -> None:
        """Raises psycopg.Error."""
        await connection.execute(sql.SQL("listen {}").format(sql.Identifier(CHANNEL)))
        self._connected()
        listened, looked_at = set[str](), -POLL_S
        while True:
            self._changed.clear()
            new, gone = set(self._followed) - listened, listened - set(self._followed)
            if new or gone:
                orders = [("listen", one) for one in new] + [("unlisten", one) for one in gone]
                await connection.execute(
                    sql.SQL("; ").join(
                        sql.SQL("{} {}").format(sql.SQL(what), sql.Identifier(channel_of(session)))
                        for what, session in orders
                    )
                )
                listened = (listened | new) - gone
                self._look_at(list(new))
            if monotonic() >= looked_at + POLL_S:
                looked_at = monotonic()
                self._look_at(list(self._followed))
            await self._receive(connection)

    async def _receive(self, connection: AsyncConnection[Any]) -> None:
        """Until others are followed, or for a while. Raises psycopg.Error."""
        receiving = asyncio.create_task(self._receive_on(connection))
        changing = asyncio.create_task(self._changed.wait())
        try:
            await asyncio.wait({receiving, changing}, return_when=asyncio.FIRST_COMPLETED)
            if changing.done():
                await asyncio.sleep(GATHER_S)
        finally:
            changing.cancel()
            receiving.cancel()
            await asyncio.wait({receiving, changing})
        with contextlib.suppress(asyncio.CancelledError):
            receiving.result()

    async def _receive_on(self, connection: AsyncConnection[Any]) -> None:
        async for news in connection.notifies(timeout=POLL_S):
            what = announcement(news.payload, self._passed_over)
            if what is not None:
                self._received(what)
