"""Processes and threads of a trace over HTTP: the list over a chart."""

import hashlib
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from server.edges.http.services import CurrentCaller, ForTraces
from server.quoting import plain
from traces.cache import ENGINE_VERSION
from traces.model import Trace
from traces.tracks import tracks

routes = APIRouter(prefix="/traces", tags=["traces"])


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


def tracks_json(trace: Trace) -> dict[str, Any]:
    """`{processes, tracks, start, end}` as `traces.tracks.Tracks` has them; names are clean and of 120 characters at
    most."""
    found = tracks(trace)
    processes = [{"pid": plain(one.pid), "name": one.name and plain(one.name)} for one in found.processes]
    rows = [
        {
            "handle": one.handle,
            "process": one.process,
            "tid": plain(one.tid),
            "name": plain(one.name),
            "role": one.role,
            "unit": one.unit,
            "busy": one.busy,
            "share": None if one.share is None else round(one.share, 5),
            "isSmall": one.is_small,
            "activity": one.activity,
            "viewOf": one.view_of,
        }
        for one in found.tracks
    ]
    return {"processes": processes, "tracks": rows, "start": found.start, "end": found.end}
