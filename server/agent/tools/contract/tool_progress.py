"""What a call that takes long says meanwhile: every second from the second second on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

QUIET_S = 2.0
EVERY_S = 1.0


@dataclass(slots=True)
class Progress:
    """Where a call stands: what it does now, and of how many steps it has done some, where they can be counted."""

    doing: str
    done: int | None = None
    in_all: int | None = None

    def at(self, doing: str, done: int | None = None, in_all: int | None = None) -> None:
        """From now on it does this."""
        self.doing, self.done, self.in_all = doing, done, in_all


@asynccontextmanager
async def followed_progress(progress: Progress, report: Callable[[Progress], Awaitable[None]]) -> AsyncIterator[None]:
    """Report again and again while the block takes longer than QUIET_S; nothing is reported after it."""

    async def follow() -> None:
        await asyncio.sleep(QUIET_S)
        while True:
            await report(progress)
            await asyncio.sleep(EVERY_S)

    async with reporting(follow):
        yield


@asynccontextmanager
async def reporting(follow: Callable[[], Coroutine[None, None, None]]) -> AsyncIterator[None]:
    """Run `follow` beside the block, and end it with the block. A report that cannot be sent ends the reports alone:
    nobody listens, and the call goes on."""
    following = asyncio.create_task(follow())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait([following])
        if not following.cancelled() and (problem := following.exception()):
            structlog.get_logger(__name__).info("progress_not_sent", error=type(problem).__name__)
