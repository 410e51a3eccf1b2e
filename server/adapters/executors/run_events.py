"""The events of a run, emitted by a task and read by another, with one end whatever becomes of the task."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import anyio

from server.ports.ai_events import CANCELLED, AiEvent, Done, Failed, RunEnd

MOST_WAITING = 256
"""Events that wait for their reader; then whoever emits them waits."""

CANCEL_AGAIN_S = 1.0
"""A cancel that meets the end of `asyncio.wait_for` is lost (Python 3.11, bpo-37658): it is repeated."""

STOPPED = Failed(code=CANCELLED, message="Stopped.", retryable=False)

Emit = Callable[[AiEvent], Awaitable[None]]


class TaskRun:
    """Implements `ports.executor.Run` over work that emits its events and returns how it ended; what it raises is an
    end, too."""

    def __init__(self, work: Callable[[Emit], Awaitable[RunEnd]], failed: Callable[[Exception], RunEnd]) -> None:
        """`failed` makes the end of an exception."""
        self._work = work
        self._failed = failed
        self._end: RunEnd | None = None
        self._ended = asyncio.Event()
        self._events = self._read()

    @property
    def events(self) -> AsyncGenerator[AiEvent]:
        """See `Run.events`."""
        return self._events

    async def final(self) -> RunEnd:
        """See `Run.final`."""
        await self._ended.wait()
        assert self._end is not None
        return self._end

    async def _read(self) -> AsyncGenerator[AiEvent]:
        waiting: asyncio.Queue[AiEvent] = asyncio.Queue(MOST_WAITING)
        task = asyncio.create_task(self._emitted(waiting))
        try:
            while True:
                event = await waiting.get()
                if isinstance(event, Done | Failed):
                    self._resolve(event)
                    yield event
                    return
                yield event
        finally:
            with anyio.CancelScope(shield=True):
                while not task.done():
                    task.cancel()
                    await asyncio.wait({task}, timeout=CANCEL_AGAIN_S)
            self._resolve(STOPPED)

    async def _emitted(self, waiting: asyncio.Queue[AiEvent]) -> None:
        try:
            end = await self._work(waiting.put)
        except Exception as error:  # noqa: BLE001 - the top of a run: whatever went wrong, it ends and says so
            end = self._failed(error)
        await waiting.put(end)

    def _resolve(self, end: RunEnd) -> None:
        if self._end is None:
            self._end = end
            self._ended.set()
