"""Pictures over HTTP: of a trace in the body, and of a stored one. Drawn in worker processes; a burst waits, and what
does not fit into the queue is refused until later."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from rendering.picture import RENDERER_VERSION, Picture
from server.edges.http.api_address import API
from server.edges.http.pair import received_pair
from server.edges.http.services import CurrentCaller, ForPictures, PictureServices
from server.edges.http.shared import Reader
from server.edges.http.uploads import Upload, received
from server.edges.picture_query import (
    DiffQuery,
    FlamegraphQuery,
    SandwichQuery,
    draw_diff,
    draw_flamegraph,
    draw_sandwich,
    parsed,
)
from server.ports.identity import Caller
from server.ports.traces import OpenTrace
from traces.cache import ENGINE_VERSION

routes = APIRouter(prefix=API, tags=["pictures"])

Extension = Literal["png", "svg", "webp"]
HEADERS = {"Cache-Control": "private, no-cache", "Content-Security-Policy": "default-src 'none'"}
"""A picture is asked for again with its ETag; an SVG that is opened as a page runs and loads nothing."""


@routes.post("/render", response_class=Response)
async def render(request: Request, caller: CurrentCaller, services: ForPictures) -> Response:
    """The flamegraph of the trace in the body (raw, or the multipart field `file`); `?name=` names it."""
    query = parsed(FlamegraphQuery, _options(request))
    async with _trace_in_body(request, caller, services) as trace:
        return _answer(await services.workers.ask(trace, draw_flamegraph, query))


@routes.post("/render-sandwich", response_class=Response)
async def render_sandwich(request: Request, caller: CurrentCaller, services: ForPictures) -> Response:
    """The sandwich of a function (`?frame=`, a handle or a name) in the trace in the body."""
    query = parsed(SandwichQuery, _options(request))
    async with _trace_in_body(request, caller, services) as trace:
        return _answer(await services.workers.ask(trace, draw_sandwich, query))


@routes.post("/render-diff", response_class=Response)
async def render_diff(request: Request, caller: CurrentCaller, services: ForPictures) -> Response:
    """What changed between the traces in the multipart fields `before` and `after`."""
    query = parsed(DiffQuery, request.query_params.multi_items())
    async with (
        received_pair(request, scratch=services.scratch, max_bytes=services.max_upload_bytes) as (old, new),
        services.place_of(caller),
        _opened(services, old) as before,
        _opened(services, new) as after,
    ):
        return _answer(await services.workers.ask(after, draw_diff, before, query))


@routes.get("/traces/{trace_id}/flamegraph.{extension}", response_class=Response)
async def flamegraph(
    request: Request,
    trace_id: str,
    extension: Extension,
    caller: CurrentCaller,
    services: ForPictures,
) -> Response:
    """The flamegraph of a stored trace."""
    return await _of_stored(request, trace_id, extension, caller, services, services.place_of(caller))


@routes.get("/shared/{token}/flamegraph.{extension}", response_class=Response)
async def shared_flamegraph(request: Request, extension: Extension, reader: Reader, services: ForPictures) -> Response:
    """The same as for a trace of one's own. Whoever has the link takes nothing of its maker's month."""
    place = _uncounted_place(services)
    return await _of_stored(request, reader.row.trace_id, extension, reader.caller, services, place)


async def _of_stored(
    request: Request,
    trace_id: str,
    extension: Extension,
    caller: Caller,
    services: PictureServices,
    place: AbstractAsyncContextManager[None],
) -> Response:
    query = parsed(FlamegraphQuery, [("format", extension), *request.query_params.multi_items()])
    row = await services.library.row(caller, trace_id)
    what = f"{row.sha256} {row.name} {ENGINE_VERSION} {RENDERER_VERSION} {query!r}"
    version = hashlib.sha256(what.encode()).hexdigest()[:32]
    headers = {"ETag": f'"{version}"'}
    if f'"{version}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=HEADERS | headers)
    picture = services.pictures.kept(version)
    if picture is None:
        async with place:
            _, opened = await services.library.open(caller, trace_id)
            picture = await services.workers.ask(opened, draw_flamegraph, query)
        services.pictures.keep(version, picture)
    return _answer(picture, headers)


@asynccontextmanager
async def _uncounted_place(services: PictureServices) -> AsyncIterator[None]:
    """A place in the queue that counts in nobody's month. Raises Busy."""
    with services.pictures.place():
        yield


def _options(request: Request) -> list[tuple[str, str]]:
    return [(name, value) for name, value in request.query_params.multi_items() if name != "name"]


@asynccontextmanager
async def _trace_in_body(request: Request, caller: Caller, services: PictureServices) -> AsyncIterator[OpenTrace]:
    """The body as a trace, with a place in the queue once it has arrived."""
    async with (
        received(request, scratch=services.scratch, max_bytes=services.max_upload_bytes) as file,
        services.place_of(caller),
        _opened(services, file) as trace,
    ):
        yield trace


@asynccontextmanager
async def _opened(services: PictureServices, file: Upload) -> AsyncIterator[OpenTrace]:
    """A trace that is not stored: its columns go when the context ends, unless they were there before."""
    known = await services.workers.cached(file.sha256)
    try:
        yield known or await services.workers.read(file.path, name=file.name, key=file.sha256)
    finally:
        if known is None:
            await services.workers.forget(file.sha256)


def _answer(picture: Picture, headers: dict[str, str] | None = None) -> Response:
    return Response(picture.data, media_type=picture.media_type, headers=HEADERS | (headers or {}))
