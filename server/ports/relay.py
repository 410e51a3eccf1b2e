"""From a running turn to everyone who listens to its session."""

from dataclasses import dataclass
from typing import Protocol, Self

from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot


@dataclass(frozen=True, slots=True)
class Seen:
    """What a listener has of a turn: every event up to this number."""

    turn_id: str
    seq: int


class Listening(Protocol):
    """One listener's events. It receives from the moment it is made; `aclose` stops it, also from outside its loop."""

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> TurnEvent | TurnSnapshot: ...

    async def aclose(self) -> None: ...


class Relay(Protocol):
    """Keeps every event of a running turn, numbered, whether or not anyone listens. A slow listener never slows a
    turn: past its bound it gets a snapshot of the turn, then live events again."""

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        """Give a stamped event (turn, session, seq) to all listeners. A snapshot replaces what was published of its
        turn. The turn is forgotten after its end event."""
        ...

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        """Publish no more of a turn, which another process has taken over: listeners get it from there. False when
        there is no other process to get it from."""
        ...

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        """Events of the session from this call on; begins with a snapshot if a turn is running. Who has `seen` a part
        of that turn gets the events after it instead, where all of them are kept. Ends when it is closed."""
        ...

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        """The running turn as it stands, or None."""
        ...
