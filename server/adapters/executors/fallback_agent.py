"""An agent of this process where the server for graphs cannot be used."""

from collections.abc import Sequence

import structlog

from server.agent.turn import Agent, TurnAnswer, TurnInput, TurnSink
from server.errors import ExecutorUnreachable
from server.protocol.events import TurnEvent

log = structlog.get_logger(__name__)


class FallbackAgent:
    """Implements `turn.Agent`: the first one answers, and the second where the first's server is gone. What was shown
    by then is taken back, as nothing of it counts for the answer."""

    def __init__(self, first: Agent, second: Agent) -> None:
        self._first = first
        self._second = second

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """See `turn.Agent.answer`."""
        watched = _WatchedSink(sink)
        try:
            return await self._first.answer(turn, watched)
        except ExecutorUnreachable as error:
            log.warning("executor_fell_back", turn_id=turn.turn_id, reason=str(error))
        if watched.has_shown:
            sink.restore(())
        return await self._second.answer(turn, sink)


class _WatchedSink:
    """A TurnSink. `has_shown`: anything went through it."""

    def __init__(self, sink: TurnSink) -> None:
        self._sink = sink
        self.has_shown = False

    async def emit(self, event: TurnEvent) -> None:
        self.has_shown = True
        await self._sink.emit(event)

    def restore(self, events: Sequence[TurnEvent]) -> None:
        self.has_shown = True
        self._sink.restore(events)
