"""Rows of events and announcements as another process wrote them, which may be of a newer version.

In a rolling deploy two versions read what the other writes. Fields that this one does not know are left out; an event
that it cannot read is passed over, and listeners get the turn as it stands in its place. Both are counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from psycopg.rows import DictRow
from pydantic import Field, TypeAdapter, ValidationError

from server.protocol.events import TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.followed_turn import FollowedTurn
from server.turns.view_of_turn import SEQS_PER_ATTEMPT, TurnView

_EVENT: TypeAdapter[TurnEvent | TurnSnapshot] = TypeAdapter(
    Annotated[TurnEvent | TurnSnapshot, Field(discriminator="type")]
)

PassedOver = Callable[[str], None]
"""Counts what was not understood: `field`, `event` or `announcement`."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a NOTIFY says: where something was written."""

    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """A row of `turn_events`. `event` is None for one that this version cannot read."""

    session_id: str
    turn_id: str
    seq: int
    ends_turn: bool
    event: TurnEvent | TurnSnapshot | None

    @property
    def begins(self) -> bool:
        """Whether the turn can be followed from here on; after a gap one waits for the next snapshot."""
        return isinstance(self.event, TurnSnapshot) or (self.seq - 1) % SEQS_PER_ATTEMPT == 0


def event_row(row: DictRow, passed_over: PassedOver) -> EventRow:
    """The row, read as far as this version understands it."""
    return EventRow(
        session_id=str(row["session_id"]),
        turn_id=str(row["turn_id"]),
        seq=int(row["seq"]),
        ends_turn=bool(row["ends_turn"]),
        event=_event(row["event"], passed_over),
    )


def announcement(payload: str, passed_over: PassedOver) -> Announcement | None:
    """None for a payload of another shape: any role of the database may send one. A newer version may add parts."""
    parts = payload.split(" ")
    if len(parts) < 3:  # session, turn, number
        passed_over("announcement")
        return None
    return Announcement(session_id=parts[0], turn_id=parts[1])


def as_they_stand(rows: list[EventRow]) -> list[FollowedTurn]:
    """The turns that can be followed from these rows; one with a gap in its last rows is left out."""
    turns: dict[str, FollowedTurn] = {}
    for row in rows:
        known = turns.get(row.turn_id)
        if isinstance(row.event, TurnSnapshot):
            turns[row.turn_id] = FollowedTurn.of_snapshot(row.event)
        elif known is not None and row.seq == known.view.seq + 1:
            follow(known, row)
        elif row.begins:
            turns[row.turn_id] = known = FollowedTurn(TurnView(row.turn_id, row.session_id))
            follow(known, row)
        else:
            turns.pop(row.turn_id, None)
    return list(turns.values())


def follow(turn: FollowedTurn, row: EventRow) -> None:
    """Take in the next row; of one that cannot be read only its number, so that nothing before it is sent on alone."""
    if row.event is None:
        turn.skip_to(row.seq)
    elif not isinstance(row.event, TurnSnapshot):
        turn.add(row.event)


def _event(text: str, passed_over: PassedOver) -> TurnEvent | TurnSnapshot | None:
    try:
        return _EVENT.validate_json(text)
    except ValidationError:
        pass
    try:
        event: Any = _EVENT.validate_json(text, extra="ignore")
    except ValidationError:
        passed_over("event")
        return None
    passed_over("field")
    return event  # type: ignore[no-any-return]
