"""Who joins a session whose turn waits for the page gets what it waits for, as the database has it: its event may have
been lost with its process, or with the table of events.
"""

from typing import Self

from server.ports.conversations import TurnRow
from server.ports.relay import Listening
from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.view_of_turn import SEQS_PER_ATTEMPT, TurnView


class ListeningToAWait:
    """A Listening whose snapshots of the attempt that waits say for what; `first` is sent before all where there is no
    other."""

    def __init__(self, listening: Listening, waiting: TurnRow, *, first: TurnSnapshot | None) -> None:
        self._listening = listening
        self._waiting = waiting
        self._first = first

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TurnEvent | TurnSnapshot:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        event = await anext(self._listening)
        return completed(event, self._waiting) if isinstance(event, TurnSnapshot) else event

    async def aclose(self) -> None:
        await self._listening.aclose()


def completed(snapshot: TurnSnapshot, waiting: TurnRow) -> TurnSnapshot:
    """The snapshot, with what the turn waits for if it is of the attempt that asked."""
    if (snapshot.turn_id, snapshot.attempt) != (waiting.turn_id, waiting.attempt) or snapshot.interrupt is not None:
        return snapshot
    return snapshot.model_copy(update={"interrupt": waiting.interrupt})


def left_of(waiting: TurnRow) -> TurnSnapshot:
    """Of a turn of which nothing else is known: what it waits for. The next attempt's numbers are higher."""
    view = TurnView.at_start(waiting.turn_id, waiting.session_id, waiting.attempt + 1)
    view.seq, view.attempt = waiting.attempt * SEQS_PER_ATTEMPT - 1, waiting.attempt
    return completed(view.snapshot(), waiting)
