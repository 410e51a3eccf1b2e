"""Notes on traces in PostgreSQL. Its function decides whether there is room."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from psycopg.rows import DictRow

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, new_id, not_found, storable_text
from server.ports.identity import Caller
from server.ports.notes import MOST_NOTES, NewNote, Note, NoteKind


class PostgresNotes:
    """Notes over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def notes(self, caller: Caller, trace_id: str) -> list[Note]:
        return [_note(row) for row in await self._all("trace_notes", caller, trace_id)]

    async def add(self, caller: Caller, trace_id: str, note: NewNote) -> Note:
        rows = await self._all(
            "add_trace_note",
            caller,
            trace_id,
            note_id=new_id(note.note_id, "note", "noteId"),
            most=MOST_NOTES,
            kind=note.kind.value,
            profile=note.profile,
            handle=note.handle,
            starts_at=note.start,
            ends_at=note.end,
            name=storable_text(note.name),
            file=None if note.file is None else storable_text(note.file),
            body=storable_text(note.text),
        )
        return _note(rows[0])

    async def rewrite(self, caller: Caller, trace_id: str, note_id: str, text: str) -> Note:
        known = known_id(note_id, "note")
        rows = await self._all("rewrite_trace_note", caller, trace_id, note_id=known, body=storable_text(text))
        if not rows:
            raise not_found("note")
        return _note(rows[0])

    async def remove(self, caller: Caller, trace_id: str, note_id: str) -> None:
        if not await self._all("remove_trace_note", caller, trace_id, note_id=known_id(note_id, "note")):
            raise not_found("note")

    async def _all(self, query: str, caller: Caller, trace_id: str, **parameters: Any) -> Sequence[DictRow]:
        named = {"user_id": caller.user_id, "trace_id": known_id(trace_id, "trace")} | parameters
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(query), named)).fetchall()


def _note(row: DictRow) -> Note:
    return Note(
        note_id=str(row["id"]),
        kind=NoteKind(row["kind"]),
        profile=row["profile"],
        handle=row["handle"],
        start=row["starts_at"],
        end=row["ends_at"],
        name=row["name"],
        file=row["file"],
        text=row["body"],
        created_at=row["created_at"].astimezone(UTC),
        updated_at=row["updated_at"].astimezone(UTC),
    )
