"""Processes and threads of a trace, as JSON values."""

from typing import Any

from server.quoting import plain
from traces.model import Trace
from traces.tracks import tracks


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
