"""What stands out in a trace, over HTTP: findings by rule, no model, no cost."""

from typing import Any

from fastapi import APIRouter

from server.edges.http.answers.insight_answer import insights_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])


@routes.get("/{trace_id}/insights")
async def all_insights(
    trace_id: str, caller: CurrentCaller, services: ForTraces, profile: str | None = None
) -> dict[str, Any]:
    """Findings that the trace has, worst first; then what was not found or cannot be judged, and why."""
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, insights_json, index_of(profile, "profile"))
    return answer
