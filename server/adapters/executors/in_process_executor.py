"""The graph in the process that serves the conversation."""

from collections.abc import Sequence

from server.adapters.executors.run_events import Emit, TaskRun
from server.agent.turn import Agent, TurnInput, WaitsForPage
from server.errors import raised_at
from server.ports.ai_events import Done, Failed, Restored, RunEnd
from server.ports.executor import RunRequest
from server.protocol.events import TurnEvent
from server.turns.ai_events_on_the_wire import asked_of, final_of, run_event_of
from server.turns.turn_failures import turn_failure


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
                await sink.flush()
                asked = asked_of(waits.question)
                await emit(asked)
                return Done(asked=asked)
            await sink.flush()
            usage, final = final_of(answer)
            await emit(usage)
            await emit(final)
            return Done(answer=final, usage=usage)

        return TaskRun(work, failed_run)


class RunSink:
    """A TurnSink whose events are those of a run."""

    def __init__(self, emit: Emit) -> None:
        self._emit_event = emit
        self._restored: Restored | None = None

    async def emit(self, event: TurnEvent) -> None:
        """Emit it."""
        await self.flush()
        await self._emit_event(run_event_of(event))

    def restore(self, events: Sequence[TurnEvent]) -> None:
        """Sent before the next event."""
        self._restored = Restored(events=tuple(run_event_of(event) for event in events))

    async def flush(self) -> None:
        """Emit what was restored and not emitted yet."""
        restored, self._restored = self._restored, None
        if restored is not None:
            await self._emit_event(restored)


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
