"""Conversations over HTTP: list, rename, remove, page back; pictures."""

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForChat
from server.errors import BadRequest
from server.ports.conversations import SessionRow, SessionSearch, Visibility
from server.ports.identity import Caller
from server.protocol.base import WireModel
from server.protocol.wire_values import HistoryMessage

MAX_BODY_BYTES = 64 << 10
"""Nothing sent here is longer than a title; larger bodies are refused before they are read."""

MAX_POSITION = 2**31 - 1
"""What the database's column holds; a message of a higher one is not asked for."""

routes = APIRouter(prefix=API, tags=["sessions"], max_body_size=MAX_BODY_BYTES)


PASSAGE_CHARACTERS = 200
"""Shown of a message that has the searched words, with them in sight."""


LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
MARKS = re.compile(r"`|\*\*|^#+ ", re.MULTILINE)
ARCHIVED = {"true": True, "false": False, "any": None}


class SessionChange(WireModel):
    """What is absent stays as it is."""

    title: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    archived: bool | None = None
    visibility: Visibility | None = None


def session_json(row: SessionRow, caller: Caller) -> dict[str, Any]:
    return {
        "sessionId": row.session_id,
        "traceId": row.trace_id,
        "title": row.title,
        "createdAt": row.created_at.isoformat(),
        "updatedAt": row.updated_at.isoformat(),
        "archived": row.is_archived,
        "visibility": row.visibility.value,
        "accountId": row.account_id,
        "mine": row.user_id == caller.user_id,
    }


@routes.get("/sessions")
async def sessions(
    caller: CurrentCaller,
    services: ForChat,
    trace_id: Annotated[str | None, Query(alias="traceId")] = None,
    search: Annotated[str, Query(max_length=200)] = "",
    archived: Annotated[Literal["true", "false", "any"], Query()] = "false",
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_POSITION)] = 0,
) -> dict[str, Any]:
    """Sessions in which something was asked, most recently used first, with the names of their traces; those alone
    whose title, trace, prompts or answers have the text of `search`, with a passage that has it."""
    text = " ".join(search.split())
    asked = SessionSearch(text=text, archived=ARCHIVED[archived], trace_id=trace_id, limit=limit, offset=offset)
    return {
        "sessions": [
            session_json(found.session, caller)
            | {
                "traceName": found.trace_name,
                "passage": None if found.passage is None else passage_around(found.passage, text),
            }
            for found in await services.conversation.found_sessions(caller, asked)
        ]
    }


def passage_around(message: str, text: str) -> str:
    """One line of some 200 characters of the message, without links and marks, with the text in it; cut ends are
    marked."""
    message = MARKS.sub("", LINK.sub(r"\1", message))
    at = max(0, message.lower().find(text.lower()))
    start = max(0, at - PASSAGE_CHARACTERS // 4)
    cut = message[start : start + PASSAGE_CHARACTERS]
    shown = " ".join(cut.split())
    return ("…" if start else "") + shown + ("…" if start + len(cut) < len(message) else "")


@routes.patch("/sessions/{session_id}")
async def change(session_id: str, change: SessionChange, caller: CurrentCaller, services: ForChat) -> dict[str, Any]:
    """Rename it, put it away or back, show it to the account or to oneself alone. Raises BadRequest where nothing is to
    be changed."""
    if change.title is None and change.archived is None and change.visibility is None:
        raise BadRequest("Give a title, whether it is archived, or who may read it.", field="title")
    if change.visibility is not None:
        row = await services.conversation.show(caller, session_id, change.visibility)
    if change.archived is not None:
        row = await services.conversation.archive(caller, session_id, archived=change.archived)
    if change.title is not None:
        row = await services.conversation.rename(caller, session_id, change.title)
    return {"session": session_json(row, caller)}


@routes.delete("/sessions/{session_id}", status_code=204)
async def remove(session_id: str, caller: CurrentCaller, services: ForChat) -> None:
    await services.library.remove_session(caller, session_id)


@routes.get("/sessions/{session_id}/messages")
async def messages(
    session_id: str,
    caller: CurrentCaller,
    services: ForChat,
    before: Annotated[int | None, Query(ge=0, le=MAX_POSITION)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, list[HistoryMessage]]:
    """The newest messages below position `before`, in order."""
    return {"messages": await services.conversation.history(caller, session_id, before=before, limit=limit)}


@routes.get("/sessions/{session_id}/versions")
async def versions(session_id: str, caller: CurrentCaller, services: ForChat) -> dict[str, dict[str, list[str]]]:
    """By the turns that stand in another's place: the turns they replaced, oldest first."""
    found = await services.conversation.versions(caller, session_id)
    return {"versions": {turn_id: list(earlier) for turn_id, earlier in found.items()}}


@routes.get("/sessions/{session_id}/turns/{turn_id}/messages")
async def turn_messages(
    session_id: str, turn_id: str, caller: CurrentCaller, services: ForChat
) -> dict[str, list[HistoryMessage]]:
    """The messages of one turn, in order, also of one in whose place another stands."""
    return {"messages": await services.conversation.turn_messages(caller, session_id, turn_id)}


@routes.get("/pictures/{turn_id}/{name}.png")
async def picture(turn_id: str, name: str, caller: CurrentCaller, services: ForChat) -> Response:
    """A picture made during a turn; it never changes. 307 leads to a store that gives it out for some minutes."""
    png = await services.conversation.picture(caller, turn_id, name)
    if isinstance(png, str):
        return RedirectResponse(png, 307, {"Cache-Control": "no-store"})
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(png, media_type="image/png", headers=headers)
