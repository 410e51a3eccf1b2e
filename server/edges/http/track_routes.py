"""Processes and threads of a trace over HTTP: the list over a chart."""

import hashlib

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from server.edges.http.answers.track_answer import tracks_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from traces.cache import ENGINE_VERSION

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])


@routes.get("/{trace_id}/tracks")
async def all_tracks(request: Request, trace_id: str, caller: CurrentCaller, services: ForTraces) -> Response:
    """Processes and threads with role, busy share and activity over time; the one that the trace opens with first."""
    row = await services.library.row(caller, trace_id)
    version = hashlib.sha256(f"tracks {row.sha256} {ENGINE_VERSION}".encode()).hexdigest()[:32]
    headers = {"ETag": f'"{version}"', "Cache-Control": "private, no-cache"}
    if version in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    _, opened = await services.library.open(caller, trace_id)
    return JSONResponse(await services.workers.ask(opened, tracks_json), headers=headers)
