"""A marked range of time, as JSON values."""

from typing import Any

from server.quoting import plain
from traces.analysis.range_statistics import range_statistics
from traces.analysis.window import Window
from traces.handles import profile_at
from traces.model import Trace


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
