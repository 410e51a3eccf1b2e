"""A marked range of time over HTTP: what the bar under a marking shows."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of
from server.errors import BadRequest
from server.quoting import plain
from traces.analysis.range_statistics import range_statistics
from traces.analysis.window import Window
from traces.handles import profile_at
from traces.model import Trace

routes = APIRouter(prefix="/traces", tags=["traces"])

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


def range_json(trace: Trace, chosen: list[int | None], window: Window | None) -> dict[str, Any]:
    """`RangeStatistics` with names made clean, of 120 characters at most."""
    found = range_statistics(trace, [profile_at(trace, index).index for index in chosen], window)
    threads = []
    for one in found.threads:
        time = one.time
        parts = time and {"busy": time.busy, "waiting": time.waiting, "idle": time.idle, "unknown": time.unknown}
        threads.append({"handle": one.handle, "name": plain(one.name), "time": parts, "total": one.total})
    functions = [
        {
            "handle": one.handle,
            "name": plain(one.name),
            "file": one.file and plain(one.file),
            "line": one.line,
            "self": one.self_value,
            "total": one.total_value,
            "share": round(one.share, 5),
            "count": one.count,
        }
        for one in found.functions
    ]
    counters = [
        {"name": plain(one.name), "readings": one.readings, "lowest": one.lowest, "highest": one.highest}
        | {"last": one.last}
        for one in found.counters
    ]
    return {
        "length": found.length,
        "unit": found.unit,
        "threads": threads,
        "functions": functions,
        "functionCount": found.function_count,
        "calls": found.calls,
        "counted": found.counted,
        "counters": counters,
    }
