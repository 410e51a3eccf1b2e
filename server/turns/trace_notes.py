"""What a client may do with notes on a trace: read, write, rewrite, delete. The text is what people typed, fit to be
stored; who wrote it is nobody's to see."""

from collections.abc import Sequence
from dataclasses import replace

from server.cleaning import clean
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.notes import MOST_CHARACTERS, MOST_OF_A_FILE, MOST_OF_A_NAME, NewNote, Note, Notes
from server.ports.traces import TraceRecords
from server.turns.access import trace_of


class TraceNotes:
    """The use cases of notes. Every method raises NotFound for what is not the caller's."""

    def __init__(self, notes: Notes, records: TraceRecords) -> None:
        self._notes = notes
        self._records = records

    async def read(self, caller: Caller, trace_id: str) -> Sequence[Note]:
        """The oldest first."""
        row = await trace_of(self._records, caller, trace_id)
        return await self._notes.notes(caller, row.trace_id)

    async def add(self, caller: Caller, trace_id: str, note: NewNote) -> Note:
        """Raises BadRequest for a text of nothing or too much, and where the trace has no room."""
        row = await trace_of(self._records, caller, trace_id)
        name = clean(note.name)[:MOST_OF_A_NAME]
        file = None if note.file is None else clean(note.file)[:MOST_OF_A_FILE]
        return await self._notes.add(caller, row.trace_id, replace(note, text=_fit(note.text), name=name, file=file))

    async def rewrite(self, caller: Caller, trace_id: str, note_id: str, text: str) -> Note:
        """Raises BadRequest as `add`."""
        row = await trace_of(self._records, caller, trace_id)
        return await self._notes.rewrite(caller, row.trace_id, note_id, _fit(text))

    async def remove(self, caller: Caller, trace_id: str, note_id: str) -> None:
        row = await trace_of(self._records, caller, trace_id)
        await self._notes.remove(caller, row.trace_id, note_id)


def _fit(text: str) -> str:
    """Raises BadRequest."""
    fit = clean(text).strip()
    if not fit:
        raise BadRequest("A note needs a text.", field="text")
    if len(fit) > MOST_CHARACTERS:
        raise BadRequest(f"A note has room for {MOST_CHARACTERS:,} characters: this has {len(fit):,}.", field="text")
    return fit
