"""Conversations over HTTP: list, rename, remove, page back; pictures."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from server.edges.http.services import CurrentCaller, ForChat
from server.ports.conversations import SessionRow
from server.protocol.base import WireModel
from server.protocol.wire_values import HistoryMessage

MAX_BODY_BYTES = 64 << 10
"""Nothing sent here is longer than a title; larger bodies are refused before they are read."""

routes = APIRouter(tags=["sessions"], max_body_size=MAX_BODY_BYTES)


class SessionChange(WireModel):
    title: Annotated[str, Field(min_length=1, max_length=200)]


def session_json(row: SessionRow) -> dict[str, Any]:
    return {
        "sessionId": row.session_id,
        "traceId": row.trace_id,
        "title": row.title,
        "createdAt": row.created_at.isoformat(),
        "updatedAt": row.updated_at.isoformat(),
    }


@routes.get("/sessions")
async def sessions(
    caller: CurrentCaller, services: ForChat, trace_id: Annotated[str | None, Query(alias="traceId")] = None
) -> dict[str, Any]:
    """Sessions that hold a message, most recently used first."""
    return {"sessions": [session_json(row) for row in await services.conversation.sessions(caller, trace_id)]}


@routes.patch("/sessions/{session_id}")
async def rename(session_id: str, change: SessionChange, caller: CurrentCaller, services: ForChat) -> dict[str, Any]:
    return {"session": session_json(await services.conversation.rename(caller, session_id, change.title))}


@routes.delete("/sessions/{session_id}", status_code=204)
async def remove(session_id: str, caller: CurrentCaller, services: ForChat) -> None:
    await services.library.remove_session(caller, session_id)


@routes.get("/sessions/{session_id}/messages")
async def messages(
    session_id: str,
    caller: CurrentCaller,
    services: ForChat,
    before: int | None = None,
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
