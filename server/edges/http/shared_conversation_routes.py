"""Conversations behind a link: made and ended by their people, read by whoever has it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForChat, services_of
from server.ports.conversations import MessageRow
from server.protocol.wire_values import HistoryMessage
from server.turns.history_messages import history_message

routes = APIRouter(prefix=API, tags=["shared"])


def admitted(token: str, request: Request) -> str:
    """The token of a link, which may be followed now. Raises TooManyAtOnce."""
    services_of(request).rates.admit_link(token, method=request.method, path=request.url.path)
    return token


Token = Annotated[str, Depends(admitted)]


@routes.put("/sessions/{session_id}/link", status_code=201)
async def make_link(session_id: str, caller: CurrentCaller, services: ForChat) -> dict[str, Any]:
    """A new link to the conversation and its chart; an earlier one ends. Its token is shown this once. `shown` counts
    the questions that it shows now, `withheld` those from the first on that drew on more than this trace. 403 when the
    plan has no sharing."""
    token, shown = await services.shared.share(caller, session_id)
    address = f"/api/v1/shared/{token}"
    return {"token": token, "address": address, "shown": shown.turns, "withheld": shown.withheld}


@routes.delete("/sessions/{session_id}/link", status_code=204)
async def end_link(session_id: str, caller: CurrentCaller, services: ForChat) -> None:
    """End the link."""
    await services.shared.unshare(caller, session_id)


@routes.get("/shared/{token}/conversation")
async def conversation(token: Token, services: ForChat) -> dict[str, Any]:
    """Questions and answers, in order; `withheld` counts those that draw on more than this trace, or follow one that
    does."""
    shared = await services.shared.read(token)
    return {
        "title": shared.title,
        "messages": [_message(token, row) for row in shared.shown.messages],
        "withheld": shared.shown.withheld,
    }


def _message(token: str, row: MessageRow) -> HistoryMessage:
    message = history_message(row)
    if row.image_path is None:
        return message
    turn_id, name = row.image_path.split("/")[-2:]
    return message.model_copy(update={"content_image_url": f"/api/v1/shared/{token}/pictures/{turn_id}/{name}"})


@routes.get("/shared/{token}/pictures/{turn_id}/{name}.png")
async def picture(token: Token, turn_id: str, name: str, services: ForChat) -> Response:
    """A picture of an answer that is shown. 307 leads to a store that gives it out for some minutes."""
    png = await services.shared.picture(token, turn_id, name)
    if isinstance(png, str):
        return RedirectResponse(png, 307, {"Cache-Control": "no-store"})
    return Response(png, media_type="image/png", headers={"Cache-Control": "no-store"})
