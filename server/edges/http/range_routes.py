"""A marked range of time over HTTP: what the bar under a marking shows."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.edges.http.answers.range_answer import range_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of
from server.errors import BadRequest
from traces.analysis.window import Window

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

MAX_THREADS = 64
"""Threads of one marking at most."""
Threads = Annotated[str, Query(description="at most 64 handles of profiles, separated by commas; the first one")]


@routes.get("/{trace_id}/range")
async def marked_range(
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    threads: Threads = "",
    start: float | None = None,
    end: float | None = None,
) -> dict[str, Any]:
    """Duration, busy and idle time, the ten heaviest functions, calls and levels between two moments of the axis, or
    without them in all of it."""
    handles = threads.split(",") if threads else []
    if len(handles) > MAX_THREADS:
        raise BadRequest(f"{len(handles)} threads are too many: at most {MAX_THREADS} at once.", field="threads")
    if (start is None) != (end is None):
        raise BadRequest("start and end go together.", field="start" if start is None else "end")
    chosen = [index_of(handle, "profile") for handle in handles] or [None]
    window = None if start is None or end is None else Window(start, end)
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, range_json, chosen, window)
    return answer
