"""One supervisor for what a process does over and over: a loop that fails starts again, after a growing pause.

A loop answers for the errors that it expects, such as a database that is away. Whatever else leaves it is a fault of
ours or of another version's: it is logged and counted, and the loop starts again. The process is not ready while one
falls again and again, and leaves when nothing helps.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from server.errors import raised_at

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
STEADY_S = 30.0
"""A loop that has run for so long is taken for well again."""

CANCEL_AGAIN_S = 0.5
FALLS_UNTIL_NOT_READY = 5
"""In a row: after about 1.5 s of trying."""

FALLS_UNTIL_GIVEN_UP = 20
"""In a row: after about 75 s of trying."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Loop:
    falls: int = 0
    since: float = 0.0


class BackgroundLoops:
    """`restarted` is called with the loop's name whenever one starts again; `sleep` and `monotonic` are the clock's."""

    def __init__(
        self,
        restarted: Callable[[str], None] | None = None,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._restarted = restarted
        self._sleep = sleep
        self._monotonic = monotonic
        self._loops: dict[str, _Loop] = {}
        self._given_up = asyncio.Event()

    def start(self, name: str, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Run the loop until its task is cancelled, or until it returns by itself. `name` is a label of a counter."""
        return asyncio.create_task(self.keep(name, work), name=name)

    @staticmethod
    async def stop(*tasks: asyncio.Task[None] | None) -> None:
        """Cancel these loops and wait until they have ended. Asked again and again: a cancel that meets the end of
        `asyncio.wait_for` is lost (Python 3.11, bpo-37658), and the loop goes on."""
        running = [task for task in tasks if task is not None]
        while running:
            for task in running:
                task.cancel()
            _, pending = await asyncio.wait(running, timeout=CANCEL_AGAIN_S)
            running = list(pending)

    @property
    def failing(self) -> tuple[str, ...]:
        """Loops that fall again and again."""
        now = self._monotonic()
        return tuple(
            name
            for name, loop in self._loops.items()
            if loop.falls >= FALLS_UNTIL_NOT_READY and now - loop.since < STEADY_S
        )

    async def given_up(self) -> None:
        """Wait until a loop cannot be kept up."""
        await self._given_up.wait()

    async def keep(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """As `start`, in the caller's task."""
        loop = self._loops.setdefault(name, _Loop())
        while True:
            loop.since = self._monotonic()
            error: BaseException
            try:
                return await work()
            except asyncio.CancelledError as cancelled:
                error = cancelled
            except Exception as fallen:  # noqa: BLE001 - the top of a loop: whatever went wrong, it goes on
                error = fallen
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise asyncio.CancelledError from error  # stopped; otherwise the cancel was of what it waited for
            steady = self._monotonic() - loop.since >= STEADY_S
            loop.falls = 1 if steady else loop.falls + 1
            pause = min(FIRST_PAUSE_S * 2 ** min(loop.falls - 1, 10), LONGEST_PAUSE_S)
            log.error(
                "background_loop_restarts",
                loop=name,
                error=type(error).__name__,
                where=raised_at(error),
                falls=loop.falls,
                pause_s=pause,
            )
            if self._restarted is not None:
                self._restarted(name)
            if loop.falls >= FALLS_UNTIL_GIVEN_UP:
                self._given_up.set()
            await self._sleep(pause)
