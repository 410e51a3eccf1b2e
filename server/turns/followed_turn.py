"""A running turn as those follow it who send it on: as it stands, and by which events it came there."""

from collections import deque
from typing import Self

from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.view_of_turn import TurnView

EVENTS_KEPT = 512
"""Newest events of a turn: about 15 s of a fast answer (one frame per 30 ms). Who missed more gets a snapshot, which is
shorter."""


class FollowedTurn:
    """`view` is the turn as it stands. The newest events before that are kept, without a gap between them."""

    def __init__(self, view: TurnView, *, events_kept: int = EVENTS_KEPT) -> None:
        self.view = view
        self._newest: deque[TurnEvent] = deque(maxlen=events_kept)

    @classmethod
    def of_snapshot(cls, snapshot: TurnSnapshot, *, events_kept: int = EVENTS_KEPT) -> Self:
        """Nothing before the snapshot is kept: it replaces that."""
        return cls(TurnView.of_snapshot(snapshot), events_kept=events_kept)

    def add(self, event: TurnEvent) -> None:
        """The next event."""
        if event.seq != self.view.seq + 1:
            self._newest.clear()
        self.view.apply(event)
        if event.seq == self.view.seq:
            self._newest.append(event)

    def skip_to(self, seq: int) -> None:
        """The next event cannot be read: whoever saw less gets the turn as it stands."""
        self._newest.clear()
        self.view.seq = max(self.view.seq, seq)

    def events_after(self, seq: int) -> list[TurnEvent] | None:
        """The events with a higher number, none for who is up to date; None where one of them is not kept any more,
        or the turn has not come so far."""
        first = self.view.seq - len(self._newest)
        return list(self._newest)[seq - first :] if first <= seq <= self.view.seq else None
