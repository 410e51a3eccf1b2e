"""Notes on traces over HTTP: one's own to write, and those of a trace behind a link to read."""

import math
import uuid
from datetime import datetime
from typing import Annotated, Literal, Self

from fastapi import APIRouter
from pydantic import Field, model_validator

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.shared import Reader
from server.ports.notes import MOST_CHARACTERS, MOST_OF_A_FILE, MOST_OF_A_NAME, NewNote, Note, NoteKind
from server.protocol.base import WireModel

MAX_BODY_BYTES = 64 << 10
"""Many times the longest note."""

routes = APIRouter(prefix=API, tags=["notes"], max_body_size=MAX_BODY_BYTES)

Text = Annotated[str, Field(max_length=4 * MOST_CHARACTERS)]


class NoteToMake(WireModel):
    """A function or call by its handle, with its name; or a range of time by its ends."""

    kind: Literal["function", "call", "range"]
    profile: Annotated[str, Field(pattern=r"^p\d{1,10}$")]
    text: Text
    name: Annotated[str, Field(max_length=20 * MOST_OF_A_NAME)] = ""
    file: Annotated[str, Field(max_length=20 * MOST_OF_A_FILE)] | None = None
    handle: Annotated[str, Field(pattern=r"^[fs]\d{1,10}$")] | None = None
    start: float | None = None
    end: float | None = None

    @model_validator(mode="after")
    def is_on_something(self) -> Self:
        """A function has `f12`, a call `s3`, a range a start before its end."""
        ends = self.start, self.end
        if self.kind == "range":
            if self.start is None or self.end is None or not self.start < self.end or self.handle is not None:
                raise ValueError("a range has a start before its end, and no handle")
            if not (math.isfinite(self.start) and math.isfinite(self.end)):
                raise ValueError("a range has ends that are numbers")
        elif self.handle is None or self.handle[0] != {"function": "f", "call": "s"}[self.kind] or ends != (None, None):
            raise ValueError("a function has a handle like f12, a call one like s3, and neither has ends")
        return self


class NoteText(WireModel):
    """Another text."""

    text: Text


class NoteView(WireModel):
    """A note as everybody sees it who sees the trace."""

    note_id: str
    kind: Literal["function", "call", "range"]
    profile: str
    handle: str | None
    start: float | None
    end: float | None
    name: str
    file: str | None
    text: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, note: Note) -> Self:
        return cls(
            note_id=note.note_id,
            kind=note.kind.value,
            profile=note.profile,
            handle=note.handle,
            start=note.start,
            end=note.end,
            name=note.name,
            file=note.file,
            text=note.text,
            created_at=note.created_at,
            updated_at=note.updated_at,
        )


@routes.get("/traces/{trace_id}/notes")
async def notes(trace_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, list[NoteView]]:
    """The notes on a trace, the oldest first."""
    return {"notes": [NoteView.of(one) for one in await services.written.read(caller, trace_id)]}


@routes.post("/traces/{trace_id}/notes", status_code=201)
async def add(trace_id: str, body: NoteToMake, caller: CurrentCaller, services: ForTraces) -> dict[str, NoteView]:
    """Write one on a function, a call or a range of time."""
    new = NewNote(**body.model_dump() | {"kind": NoteKind(body.kind), "note_id": str(uuid.uuid4())})
    return {"note": NoteView.of(await services.written.add(caller, trace_id, new))}


@routes.patch("/traces/{trace_id}/notes/{note_id}")
async def rewrite(
    trace_id: str, note_id: str, body: NoteText, caller: CurrentCaller, services: ForTraces
) -> dict[str, NoteView]:
    return {"note": NoteView.of(await services.written.rewrite(caller, trace_id, note_id, body.text))}


@routes.delete("/traces/{trace_id}/notes/{note_id}", status_code=204)
async def remove(trace_id: str, note_id: str, caller: CurrentCaller, services: ForTraces) -> None:
    await services.written.remove(caller, trace_id, note_id)


@routes.get("/shared/{token}/notes")
async def shared_notes(reader: Reader, services: ForTraces) -> dict[str, list[NoteView]]:
    """The same as for a trace of one's own, to read."""
    return {"notes": [NoteView.of(one) for one in await services.written.read(reader.caller, reader.row.trace_id)]}
