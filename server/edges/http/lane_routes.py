"""What lies in time besides calls, over HTTP: the lanes over a chart."""

from typing import Any

from fastapi import APIRouter

from server.edges.http.answers.lane_answer import bands_json, lanes_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])


@routes.get("/{trace_id}/lanes")
async def all_lanes(trace_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, Any]:
    """Levels, marks, async spans and requests, in nanoseconds of the trace's clock."""
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, lanes_json)
    return answer


@routes.get("/{trace_id}/bands")
async def all_bands(
    trace_id: str, caller: CurrentCaller, services: ForTraces, profile: str | None = None
) -> dict[str, Any]:
    """When a thread ran tasks longer than 50 ms, and when it collected garbage, in nanoseconds of the trace's clock."""
    chosen = index_of(profile, "profile")
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, bands_json, chosen)
    return answer
