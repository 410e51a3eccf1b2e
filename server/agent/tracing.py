"""The ports to those who watch turns: a tracing service gives the graph's run callbacks and names; an observer sees
each event on its way to people, and how the turn ended.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from server.agent.turn import Agent, TurnAnswer, TurnInput, TurnSink
from server.protocol.events import TurnEvent

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

PROMPT_VERSION = "prompt_version"
"""Key of the metadata of each model call."""

Tracing = Callable[[TurnInput], "RunnableConfig"]
"""What is added to the configuration of a turn's run. It must not raise and must not wait."""


class TurnObservation(Protocol):
    """Of one attempt at a turn. It must not raise and must not wait."""

    def seen(self, event: TurnEvent) -> None: ...

    def ended(self, answer: TurnAnswer | None, error: BaseException | None) -> None:
        """Once; with the answer, or with what ended the attempt without one."""
        ...


Observer = Callable[[TurnInput], TurnObservation]


class ObservedAgent:
    """An `Agent` whose turns are watched; what it answers and raises is the other one's."""

    def __init__(self, agent: Agent, observers: Sequence[Observer]) -> None:
        self._agent = agent
        self._observers = observers

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        observations = [observer(turn) for observer in self._observers]
        try:
            answer = await self._agent.answer(turn, _ObservedSink(sink, observations))
        except BaseException as error:
            for one in observations:
                one.ended(None, error)
            raise
        for one in observations:
            one.ended(answer, None)
        return answer


class _ObservedSink:
    """A TurnSink. What an earlier attempt emitted was seen then."""

    def __init__(self, sink: TurnSink, observations: Sequence[TurnObservation]) -> None:
        self._sink = sink
        self._observations = observations

    async def emit(self, event: TurnEvent) -> None:
        for one in self._observations:
            one.seen(event)
        await self._sink.emit(event)

    def restore(self, events: Sequence[TurnEvent]) -> None:
        self._sink.restore(events)
