"""Where handles are, over HTTP: what a click on a citation needs to move the chart there."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.edges.http.answers.place_answer import places_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.errors import BadRequest

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

MAX_HANDLES = 200
"""Handles resolved at once: more than an answer cites."""
Handles = Annotated[str, Query(description="at most 200 handles or addresses of figures, separated by commas")]


@routes.get("/{trace_id}/places")
async def all_places(
    trace_id: str, caller: CurrentCaller, services: ForTraces, handles: Handles = ""
) -> dict[str, Any]:
    """For each handle its profile, call path and moment, or why there is none, in order."""
    requested = handles.split(",") if handles else []
    if len(requested) > MAX_HANDLES:
        raise BadRequest(f"{len(requested)} handles are too many: at most {MAX_HANDLES} at once.", field="handles")
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, places_json, requested)
    return answer
