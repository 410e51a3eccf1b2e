"""Fan-out inside one process."""

import asyncio
from collections import deque
from typing import Self

from server.ports.relay import Listening
from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.lifecycle import ends_turn
from server.turns.view_of_turn import TurnView

EVENTS_PER_LISTENER = 512
"""Events that wait for one listener: about 15 s of a fast answer (one frame per 30 ms); past them a snapshot is
cheaper than the backlog.
"""


class MemoryRelay:
    """Relay over queues of this process."""

    def __init__(self, *, events_per_listener: int = EVENTS_PER_LISTENER) -> None:
        self._bound = events_per_listener
        self._views: dict[str, TurnView] = {}
        self._listeners: dict[str, set[_Listener]] = {}

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        if isinstance(event, TurnSnapshot):
            replacing = self._views[event.session_id] = TurnView.of_snapshot(event)
            for listener in self._listeners.get(event.session_id, ()):
                listener.resync(replacing)
            return
        view = self._views.get(event.session_id)
        if view is None or view.turn_id != event.turn_id:
            view = self._views[event.session_id] = TurnView(event.turn_id, event.session_id)
        view.apply(event)
        for listener in self._listeners.get(event.session_id, ()):
            listener.receive(event, view)
        if ends_turn(event):
            del self._views[event.session_id]

    def listen(self, session_id: str) -> Listening:
        listener = _Listener(self, session_id, self._bound)
        self._listeners.setdefault(session_id, set()).add(listener)
        view = self._views.get(session_id)
        if view is not None:
            listener.resync(view)
        return listener

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        view = self._views.get(session_id)
        return None if view is None else view.snapshot()

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        return False

    def view(self, session_id: str) -> TurnView | None:
        """The running turn as it was published."""
        return self._views.get(session_id)

    def views(self) -> list[TurnView]:
        """All running turns."""
        return list(self._views.values())

    def forget(self, session_id: str) -> None:
        """Drop what is known of a session's running turn."""
        self._views.pop(session_id, None)

    async def hang_up(self, session_id: str) -> None:
        """Forget the session's running turn, and end its listeners' streams."""
        self.forget(session_id)
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
    at the moment it is taken: a slow reader gets the newest state once."""

    def __init__(self, relay: MemoryRelay, session_id: str, bound: int) -> None:
        self._relay = relay
        self._session_id = session_id
        self._bound = bound
        self._pending: deque[TurnEvent | TurnView] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def receive(self, event: TurnEvent, view: TurnView) -> None:
        if any(waiting is view for waiting in self._pending):
            return
        self._pending.append(event)
        if len(self._pending) > self._bound:
            self.resync(view)
        self._wake.set()

    def resync(self, view: TurnView) -> None:
        kept = [waiting for waiting in self._pending if waiting.turn_id != view.turn_id]
        self._pending = deque([*kept[-self._bound :], view])
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
