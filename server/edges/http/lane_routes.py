"""What lies in time besides calls, over HTTP: the lanes over a chart."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of
from server.quoting import plain
from traces.analysis.lanes import lanes
from traces.insights.bands import thread_bands
from traces.model import Trace

routes = APIRouter(prefix="/traces", tags=["traces"])


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


def bands_json(trace: Trace, profile: int | None) -> dict[str, Any]:
    """`{longTasks, collections}`, each with `count` and `ranges` in order. Raises UnknownHandle."""
    found = thread_bands(trace, profile)
    return {"longTasks": asdict(found.long_tasks), "collections": asdict(found.collections)}


def lanes_json(trace: Trace) -> dict[str, Any]:
    """`{levels, marks, boxes}` as `traces.analysis.lanes.Lanes` has them; names are clean and of 120 characters at
    most, those of boxes in `names`, once each."""
    found = lanes(trace)
    names: dict[str, int] = {}
    boxes = [
        {
            "name": lane.name,
            "count": lane.count,
            "rows": lane.rows,
            "boxes": [[a, b, row, names.setdefault(plain(text), len(names))] for a, b, row, text in lane.boxes],
        }
        for lane in found.boxes
    ]
    levels = [
        {"name": plain(one.name), "readings": one.readings, "lowest": one.lowest, "highest": one.highest}
        | {"points": one.points}
        for one in found.levels
    ]
    marks = [{"name": plain(one.name), "count": one.count, "times": one.times} for one in found.marks]
    return {"levels": levels, "marks": marks, "boxes": boxes, "names": list(names)}
