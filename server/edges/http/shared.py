"""Traces behind a link: whoever has it reads that one trace, signed in or not, and changes nothing."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from rendering.palette import PaletteName
from server.edges.http import trace_routes as traces
from server.edges.http.answers.thread_search_answer import Syntax
from server.edges.http.api_address import API
from server.edges.http.call_tree_routes import Callers, Limit, Offset, Order, TreeProfile, call_tree_level
from server.edges.http.function_routes import flows_of_call, one_call, one_function
from server.edges.http.function_table_routes import TableProfile, function_table
from server.edges.http.lane_routes import all_bands, all_lanes
from server.edges.http.place_routes import Handles, all_places
from server.edges.http.range_routes import Threads, marked_range
from server.edges.http.services import CurrentCaller, ForChat, ForTraces, services_of
from server.edges.http.thread_search_routes import MOST_MATCHES, Words, thread_search
from server.edges.http.trace_routes import TransformsText
from server.edges.http.track_routes import all_tracks
from server.edges.http.view_bytes import MAX_BOXES, Mode
from server.turns.access import LinkReader

routes = APIRouter(prefix=API, tags=["shared"])


async def reader_of(token: str, request: Request, services: ForTraces) -> LinkReader:
    """Raises NotFound, TooManyAtOnce."""
    services_of(request).rates.admit_link(token, method=request.method, path=request.url.path)
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
async def trace(token: str, reader: Reader, chat: ForChat) -> dict[str, Any]:
    """The trace, and whether the link shows a conversation about it too."""
    return {"trace": traces.trace_json(reader.row), "conversation": await chat.shared.is_conversation(token)}


@routes.get("/shared/{token}/functions")
async def functions(
    reader: Reader,
    services: ForTraces,
    sort_by: Annotated[Literal["self", "total"], Query(alias="sortBy")] = "self",
    limit: Annotated[int, Query(ge=1, le=1000)] = 15,
    offset: Annotated[int, Query(ge=0)] = 0,
    profile: str | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    asked = (sort_by, limit, offset, profile, transforms)
    return await traces.functions(reader.row.trace_id, reader.caller, services, *asked)


@routes.get("/shared/{token}/places")
async def places(reader: Reader, services: ForTraces, handles: Handles = "") -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await all_places(reader.row.trace_id, reader.caller, services, handles)


@routes.get("/shared/{token}/function")
async def function(
    reader: Reader,
    services: ForTraces,
    frame: str | None = None,
    profile: str | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await one_function(reader.row.trace_id, reader.caller, services, frame, profile, transforms)


@routes.get("/shared/{token}/bands")
async def bands(reader: Reader, services: ForTraces, profile: str | None = None) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await all_bands(reader.row.trace_id, reader.caller, services, profile)


@routes.get("/shared/{token}/flows")
async def flows(reader: Reader, services: ForTraces, call: str | None = None) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await flows_of_call(reader.row.trace_id, reader.caller, services, call)


@routes.get("/shared/{token}/function-table")
async def table_of_functions(
    request: Request,
    reader: Reader,
    services: ForTraces,
    profile: TableProfile = None,
    start: float | None = None,
    end: float | None = None,
    transforms: TransformsText = None,
) -> Response:
    """The same as for a trace of one's own."""
    return await function_table(request, reader.row.trace_id, reader.caller, services, profile, start, end, transforms)


@routes.get("/shared/{token}/call-tree")
async def tree_level(
    reader: Reader,
    services: ForTraces,
    profile: TreeProfile = None,
    order: Order = "callees",
    node: str | None = None,
    callers: Callers = None,
    limit: Limit = 200,
    offset: Offset = 0,
    start: float | None = None,
    end: float | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await call_tree_level(
        reader.row.trace_id,
        reader.caller,
        services,
        profile,
        order,
        node,
        callers,
        limit,
        offset,
        start,
        end,
        transforms,
    )


@routes.get("/shared/{token}/thread-search")
async def search_of_threads(
    reader: Reader,
    services: ForTraces,
    words: Words = "",
    syntax: Syntax = "text",
    limit: Annotated[int, Query(ge=1, le=MOST_MATCHES)] = 500,
    offset: Offset = 0,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await thread_search(reader.row.trace_id, reader.caller, services, words, syntax, limit, offset)


@routes.get("/shared/{token}/call")
async def call_of(reader: Reader, services: ForTraces, call: str | None = None) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await one_call(reader.row.trace_id, reader.caller, services, call)


@routes.get("/shared/{token}/lanes")
async def lanes(reader: Reader, services: ForTraces) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await all_lanes(reader.row.trace_id, reader.caller, services)


@routes.get("/shared/{token}/range")
async def range_of_time(
    reader: Reader,
    services: ForTraces,
    threads: Threads = "",
    start: float | None = None,
    end: float | None = None,
) -> dict[str, Any]:
    """The same as for a trace of one's own."""
    return await marked_range(reader.row.trace_id, reader.caller, services, threads, start, end)


@routes.get("/shared/{token}/tracks")
async def tracks(request: Request, reader: Reader, services: ForTraces) -> Response:
    """The same as for a trace of one's own."""
    return await all_tracks(request, reader.row.trace_id, reader.caller, services)


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
    transforms: TransformsText = None,
    palette: PaletteName = "file",
) -> Response:
    """The same as for a trace of one's own."""
    asked = (mode, profile, frame, start, end, max_boxes)
    drawn: dict[str, Any] = {"transforms": transforms, "palette": palette}
    return await traces.view(request, reader.row.trace_id, reader.caller, services, *asked, **drawn)
