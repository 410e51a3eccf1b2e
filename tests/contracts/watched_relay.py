"""A PostgresRelay that a test can wait on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

import anyio

from server.adapters.postgres.relay import PostgresRelay
from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot


class WatchedRelay(PostgresRelay):
    """`written` is set, and replaced by a new event, whenever a batch is in the table."""

    written: asyncio.Event

    async def __aenter__(self) -> Self:
        """Returns once announcements are followed: a connection that comes later has every running turn written again
        as a snapshot, which listeners get in place of its events."""
        self.written = first = asyncio.Event()
        await super().__aenter__()
        with anyio.fail_after(60):
            await first.wait()
        return self

    async def _write(self, batch: list[TurnEvent | TurnSnapshot]) -> None:
        await super()._write(batch)
        self.written.set()
        self.written = asyncio.Event()

    async def until(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        """Ask again after each batch. Raises TimeoutError."""
        with anyio.fail_after(60):
            next_batch = self.written
            while not await is_so():
                await next_batch.wait()
                next_batch = self.written
