"""Notes on traces in dictionaries: the twin of PostgresNotes, by the rules of
`supabase/migrations/*_trace_notes.sql`."""

from dataclasses import replace

from server.adapters.storable import known_id, new_id, not_found, storable_text
from server.errors import BadRequest, NotAllowed, NotFound
from server.ports.identity import Caller
from server.ports.notes import MOST_NOTES, NewNote, Note
from server.ports.teams import Role
from server.testing.trace_records import MemoryTraceRecords


class MemoryNotes:
    """Notes on the traces of MemoryTraceRecords."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._notes: dict[str, dict[str, Note]] = {}
        self._authors: dict[str, str] = {}
        traces.on_delete.append(self._forget)

    async def notes(self, caller: Caller, trace_id: str) -> list[Note]:
        try:
            return list((await self._of(caller, trace_id)).values())
        except NotFound:
            known_id(trace_id, "trace")
            return []

    async def add(self, caller: Caller, trace_id: str, note: NewNote) -> Note:
        notes = await self._of(caller, trace_id, Role.MEMBER)
        note_id, now = str(new_id(note.note_id, "note", "noteId")), self._traces.accounts.clock.now()
        if len(notes) >= MOST_NOTES:
            raise BadRequest(f"This trace has {MOST_NOTES} notes, which is as many as one can have. Delete one first.")
        if any(note_id in others for others in self._notes.values()):
            raise BadRequest("Something with this id exists already. Choose a new one.")
        self._authors[note_id] = caller.user_id
        notes[note_id] = Note(
            note_id=note_id,
            kind=note.kind,
            profile=note.profile,
            handle=note.handle,
            start=note.start,
            end=note.end,
            name=storable_text(note.name),
            file=None if note.file is None else storable_text(note.file),
            text=storable_text(note.text),
            created_at=now,
            updated_at=now,
        )
        return notes[note_id]

    async def rewrite(self, caller: Caller, trace_id: str, note_id: str, text: str) -> Note:
        notes = await self._of(caller, trace_id)
        known = str(known_id(note_id, "note"))
        await self._to_change(caller, trace_id, known)
        now = self._traces.accounts.clock.now()
        notes[known] = replace(notes[known], text=storable_text(text), updated_at=now)
        return notes[known]

    async def remove(self, caller: Caller, trace_id: str, note_id: str) -> None:
        known = str(known_id(note_id, "note"))
        await self._to_change(caller, trace_id, known, removing=True)
        del (await self._of(caller, trace_id))[known]

    async def _to_change(self, caller: Caller, trace_id: str, note_id: str, *, removing: bool = False) -> None:
        if note_id not in await self._of(caller, trace_id):
            raise not_found("note")
        account_id = (await self._traces.get(caller, trace_id)).account_id
        role = self._traces.accounts.require(caller.user_id, account_id, Role.MEMBER)
        if self._authors[note_id] != caller.user_id and not (removing and role is Role.OWNER):
            raise NotAllowed("Only who wrote this note may change it; an owner of the account may delete it.")

    def _forget(self, trace_id: str) -> None:
        self._notes.pop(trace_id, None)

    async def _of(self, caller: Caller, trace_id: str, role: Role = Role.VIEWER) -> dict[str, Note]:
        row = await self._traces.get(caller, trace_id)
        self._traces.accounts.require(caller.user_id, row.account_id, role)
        return self._notes.setdefault(row.trace_id, {})
