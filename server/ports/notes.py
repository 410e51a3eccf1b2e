"""What people write on a trace: a text on a function, a call or a range of time. Whether there is room, SQL decides;
the in-memory twin obeys the same contract suite."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from server.ports.identity import Caller

MOST_NOTES = 200
"""Of a trace."""

MOST_CHARACTERS = 2_000
"""Of a note's text."""

MOST_OF_A_NAME = 300
MOST_OF_A_FILE = 1_000


class NoteKind(StrEnum):
    """What a note is on."""

    FUNCTION = "function"  #: wherever it runs in its profile
    CALL = "call"  #: one of its calls
    RANGE = "range"  #: a time of the profile


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNote:
    """`handle` is that of a function (`f12`) or a call (`s3`), with its `name` and `file` as they were; a range has
    `start` and `end` on the profile's axis instead."""

    note_id: str
    kind: NoteKind
    profile: str
    name: str
    text: str
    handle: str | None = None
    file: str | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(NewNote):
    created_at: datetime
    updated_at: datetime


class Notes(Protocol):
    """Notes on traces of the caller's accounts; a trace of another account looks like none."""

    async def notes(self, caller: Caller, trace_id: str) -> list[Note]:
        """The oldest first; none where there is no such trace."""
        ...

    async def add(self, caller: Caller, trace_id: str, note: NewNote) -> Note:
        """Raises NotFound for a trace in which the caller may not write, BadRequest when it has MOST_NOTES."""
        ...

    async def rewrite(self, caller: Caller, trace_id: str, note_id: str, text: str) -> Note:
        """The caller's own note with another text. Raises NotFound, NotAllowed."""
        ...

    async def remove(self, caller: Caller, trace_id: str, note_id: str) -> None:
        """One's own, and for an owner of the account anybody's. Raises NotFound, NotAllowed."""
        ...
