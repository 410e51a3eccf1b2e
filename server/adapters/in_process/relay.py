"""Fan-out inside one process."""

import asyncio
from collections import deque
from collections.abc import Container
from typing import Self

from server.ports.relay import Listening, Seen
from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.followed_turn import FollowedTurn
from server.turns.lifecycle import ends_turn
from server.turns.view_of_turn import TurnView

EVENTS_PER_LISTENER = 512
"""Events that wait for one listener: about 15 s of a fast answer (one frame per 30 ms); past them a snapshot is
cheaper than the backlog.
"""


class MemoryRelay:
    """Relay over queues of this process. What is still to come of a turn changes nothing of another of its session: the
    next one may have begun before the end of the one before is passed on."""

    def __init__(self, *, events_per_listener: int = EVENTS_PER_LISTENER) -> None:
        self._bound = events_per_listener
        self._turns: dict[str, dict[str, FollowedTurn]] = {}
        self._listeners: dict[str, set[_Listener]] = {}

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        if isinstance(event, TurnSnapshot):
            self.take_up(FollowedTurn.of_snapshot(event, events_kept=self._bound))
            return
        turns = self._turns.setdefault(event.session_id, {})
        turn = turns.get(event.turn_id)
        if turn is None:
            view = TurnView(event.turn_id, event.session_id)
            turn = turns[event.turn_id] = FollowedTurn(view, events_kept=self._bound)
        turn.add(event)
        for listener in self._listeners.get(event.session_id, ()):
            listener.receive(event, turn)
        if ends_turn(event):
            self.forget(event.turn_id, event.session_id)

    def skip(self, turn_id: str, session_id: str, seq: int) -> None:
        """The event of this number cannot be read: send the turn on from where it stands."""
        turn = self._turns.get(session_id, {}).get(turn_id)
        if turn is None:
            turn = FollowedTurn(TurnView(turn_id, session_id), events_kept=self._bound)
        turn.skip_to(seq)
        self.take_up(turn)

    def take_up(self, turn: FollowedTurn) -> None:
        """Send a turn on from where it stands, in place of what was published of it."""
        self.know(turn)
        for listener in self._listeners.get(turn.view.session_id, ()):
            listener.resync(turn)

    def know(self, turn: FollowedTurn) -> None:
        """Take a turn in as it stands: listeners are sent what is still to come of it."""
        self._turns.setdefault(turn.view.session_id, {})[turn.view.turn_id] = turn

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        listener = _Listener(self, session_id, self._bound, seen)
        self._listeners.setdefault(session_id, set()).add(listener)
        for turn in self._turns.get(session_id, {}).values():
            listener.resync(turn)
        return listener

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        turns = list(self._turns.get(session_id, {}).values())
        return turns[-1].view.snapshot() if turns else None

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        return False

    def view(self, turn_id: str, session_id: str) -> TurnView | None:
        """A running turn as it was published."""
        turn = self._turns.get(session_id, {}).get(turn_id)
        return None if turn is None else turn.view

    def forget(self, turn_id: str, session_id: str) -> None:
        """Drop what is known of a running turn."""
        turns = self._turns.get(session_id, {})
        turns.pop(turn_id, None)
        if not turns:
            self._turns.pop(session_id, None)

    def forget_others(self, session_id: str, kept: Container[str]) -> None:
        """Drop what is known of the session's turns but these."""
        for turn_id in [one for one in self._turns.get(session_id, {}) if one not in kept]:
            self.forget(turn_id, session_id)

    async def hang_up(self, turn_id: str, session_id: str) -> None:
        """Forget a running turn, and end the streams of the session's listeners."""
        self.forget(turn_id, session_id)
        for listener in list(self._listeners.get(session_id, ())):
            await listener.aclose()

    def leave(self, session_id: str, listener: "_Listener") -> None:
        """Forget a listener."""
        others = self._listeners.get(session_id, set())
        others.discard(listener)
        if not others:
            self._listeners.pop(session_id, None)


class _Listener:
    """Queues events. In place of a turn on which it has fallen behind (or come late) it queues that turn's view, read
    at the moment it is taken: a slow reader gets the newest state once. `seen` is what the reader has of a turn, until
    something of that turn is queued."""

    def __init__(self, relay: MemoryRelay, session_id: str, bound: int, seen: Seen | None) -> None:
        self._relay = relay
        self._session_id = session_id
        self._bound = bound
        self._seen = seen
        self._pending: deque[TurnEvent | TurnView] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def receive(self, event: TurnEvent, turn: FollowedTurn) -> None:
        if any(waiting is turn.view for waiting in self._pending):
            return
        if self._seen is not None and self._seen.turn_id == event.turn_id:
            if event.seq <= self._seen.seq and not ends_turn(event):
                return
            if event.seq != self._seen.seq + 1:
                self.resync(turn)
                return
            self._seen = None
        self._pending.append(event)
        if len(self._pending) > self._bound:
            self.resync(turn)
        self._wake.set()

    def resync(self, turn: FollowedTurn) -> None:
        """Go on with this turn after what was seen of it, or else from where it stands."""
        kept = [waiting for waiting in self._pending if waiting.turn_id != turn.view.turn_id]
        missed: list[TurnEvent] | None = None
        if self._seen is not None and self._seen.turn_id == turn.view.turn_id:
            missed, self._seen = turn.events_after(self._seen.seq), None
        self._pending = deque([*kept[-self._bound :], *([turn.view] if missed is None else missed)])
        self._wake.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TurnEvent | TurnSnapshot:
        while not self._pending:
            if self._closed:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        if self._closed:
            raise StopAsyncIteration
        waiting = self._pending.popleft()
        if not isinstance(waiting, TurnView):
            return waiting
        if waiting.end is not None:
            self._pending.appendleft(waiting.end)
        return waiting.snapshot()

    async def aclose(self) -> None:
        self._closed = True
        self._wake.set()
        self._relay.leave(self._session_id, self)
