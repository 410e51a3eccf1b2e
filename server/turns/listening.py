"""What all who inform people besides their turns have in common: what waits for each connection, who listens, and
looking again and again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import structlog

from server.errors import DatabaseUnavailable, raised_at

MOST_WAITING = 100

M = TypeVar("M")
L = TypeVar("L")

log = structlog.get_logger(__name__)


class Inbox(asyncio.Queue[M]):
    """The messages that one connection is yet to be sent; past MOST_WAITING those that come are left out."""

    def __init__(self) -> None:
        super().__init__(MOST_WAITING)

    def offer(self, message: M) -> None:
        """It is left out where too many wait already."""
        if not self.full():
            self.put_nowait(message)

    async def news(self) -> AsyncIterator[M]:
        """What comes, without an end."""
        while True:
            yield await self.get()


@contextmanager
def listening(listeners: set[L], one: L) -> Iterator[L]:
    """Somebody who is informed for as long as the context."""
    listeners.add(one)
    try:
        yield one
    finally:
        listeners.discard(one)


async def look_until_cancelled(look: Callable[[], Awaitable[None]], *, every_s: float, log_event: str) -> None:
    """A look that the database fails is logged under that event, and made up for by the next."""
    while True:
        try:
            await look()
        except DatabaseUnavailable as error:
            log.warning(log_event, error=type(error).__name__, where=raised_at(error))
        await asyncio.sleep(every_s)
