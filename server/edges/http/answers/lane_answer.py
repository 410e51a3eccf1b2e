"""What lies in time besides calls, as JSON values."""

from dataclasses import asdict
from typing import Any

from server.quoting import plain
from traces.analysis.lanes import lanes
from traces.insights.bands import thread_bands
from traces.model import Trace


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
