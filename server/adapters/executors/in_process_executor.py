"""The graph in the process that serves the conversation."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from server.adapters.executors.run_events import Emit, TaskRun
from server.agent.turn import Agent, TurnInput, WaitsForPage
from server.errors import raised_at
from server.ports.ai_events import Done, Failed, Restored, RunEnd, TextDelta
from server.ports.executor import RunRequest
from server.protocol.events import ModelChunkAppend, TurnEvent
from server.turns.ai_events_on_the_wire import asked_of, final_of, run_event_of
from server.turns.sink import MAX_CHUNK_CHARACTERS
from server.turns.turn_failures import turn_failure

JOIN_S = 0.01
"""After a piece of text, how long the next may wait: of 30 ms in all, of which the rest is the relay's."""


class InProcess:
    """A GraphExecutor over the agent."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def run(self, request: RunRequest[TurnInput]) -> TaskRun:
        """See `GraphExecutor.run`."""

        async def work(emit: Emit) -> RunEnd:
            sink = RunSink(emit)
            try:
                answer = await self._agent.answer(request.setup, sink)
            except WaitsForPage as waits:
                await sink.close()
                asked = asked_of(waits.question)
                await emit(asked)
                return Done(asked=asked)
            finally:
                await sink.close()
            usage, final = final_of(answer)
            await emit(usage)
            await emit(final)
            return Done(answer=final, usage=usage)

        return TaskRun(work, failed_run)


class RunSink:
    """A TurnSink whose events are those of a run. Text that comes within `join_s` of other text is joined, so that a
    token costs no switch of tasks; whoever publishes the events waits the less."""

    def __init__(self, emit: Emit, *, join_s: float = JOIN_S) -> None:
        self._emit_event = emit
        self._join_s = join_s
        self._due = 0.0
        self._restored: Restored | None = None
        self._text: _Text | None = None
        self._order = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None

    async def emit(self, event: TurnEvent) -> None:
        """Emit it, after what came before."""
        text = self._text
        if isinstance(event, ModelChunkAppend):
            if text is not None and text.takes(event):
                text.chunks.append(event.chunk)
                text.end += len(event.chunk)
                return
            await self.flush()
            self._text = _Text(event.message_id, event.offset, [event.chunk], event.offset + len(event.chunk))
            if (wait_s := self._due - asyncio.get_running_loop().time()) <= 0:
                await self.flush()
            elif self._timer is None:
                self._timer = asyncio.create_task(self._flush_later(wait_s))
            return
        async with self._order:
            await self._flush()
            await self._emit_event(run_event_of(event))

    def restore(self, events: Sequence[TurnEvent]) -> None:
        """Sent before the next event. Text that waits is none of what is kept."""
        self._text = None
        self._restored = Restored(events=tuple(run_event_of(event) for event in events))

    async def flush(self) -> None:
        """Emit what waits."""
        async with self._order:
            await self._flush()

    async def close(self) -> None:
        """Emit what waits; nothing follows."""
        try:
            await self.flush()
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    async def _flush_later(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        self._timer = None
        await self.flush()

    async def _flush(self) -> None:
        restored, self._restored = self._restored, None
        text, self._text = self._text, None
        if restored is not None:
            await self._emit_event(restored)
        if text is not None:
            self._due = asyncio.get_running_loop().time() + self._join_s
            joined = "".join(text.chunks)
            await self._emit_event(TextDelta(message_id=text.message_id, offset=text.offset, text=joined))


@dataclass(slots=True)
class _Text:
    """Pieces of a message that follow each other, from its `offset` to its `end`."""

    message_id: str
    offset: int
    chunks: list[str]
    end: int

    def takes(self, event: ModelChunkAppend) -> bool:
        fits = self.end - self.offset + len(event.chunk) <= MAX_CHUNK_CHARACTERS
        return fits and self.message_id == event.message_id and self.end == event.offset


def failed_run(error: Exception) -> Failed:
    """The end of a run by this error."""
    failed = turn_failure(error)
    return Failed(
        code=failed.code,
        message=failed.message,
        retryable=failed.retryable,
        error=type(error).__name__,
        where=raised_at(error),
    )
