"""Traces behind a link: whoever has it reads that one trace, signed in or not, and changes nothing."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from server.edges.http import trace_routes as traces
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.view_bytes import MAX_BOXES, Mode
from server.turns.access import LinkReader

routes = APIRouter(tags=["shared"])


async def reader_of(token: str, services: ForTraces) -> LinkReader:
    """Raises NotFound."""
    return await services.library.shared(token)


Reader = Annotated[LinkReader, Depends(reader_of)]


@routes.put("/traces/{trace_id}/link", status_code=201)
async def make_link(trace_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, str]:
    """A new link to the trace; an earlier one ends. Its token is shown this once. 403 when the plan has no sharing."""
    token = await services.library.share(caller, trace_id)
    return {"token": token, "address": f"/api/v1/shared/{token}"}


@routes.delete("/traces/{trace_id}/link", status_code=204)
async def end_link(trace_id: str, caller: CurrentCaller, services: ForTraces) -> None:
    """End the link."""
    await services.library.unshare(caller, trace_id)


@routes.get("/shared/{token}")
async def trace(reader: Reader) -> dict[str, Any]:
    return {"trace": traces.trace_json(reader.row)}


@routes.get("/shared/{token}/functions")
async def functions(
    reader: Reader,
    services: ForTraces,
    sort_by: Annotated[Literal["self", "total"], Query(alias="sortBy")] = "self",
    limit: Annotated[int, Query(ge=1, le=1000)] = 15,
    offset: Annotated[int, Query(ge=0)] = 0,
    profile: str | None = None,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await traces.functions(reader.row.trace_id, reader.caller, services, sort_by, limit, offset, profile)


@routes.get("/shared/{token}/view")
async def view(
    request: Request,
    reader: Reader,
    services: ForTraces,
    mode: Mode = "time_order",
    profile: str | None = None,
    frame: str | None = None,
    start: float | None = None,
    end: float | None = None,
    max_boxes: Annotated[int, Query(alias="maxBoxes", ge=1, le=MAX_BOXES)] = MAX_BOXES,
) -> Response:
    """The same as for a trace of one's own."""
    return await traces.view(
        request, reader.row.trace_id, reader.caller, services, mode, profile, frame, start, end, max_boxes
    )
