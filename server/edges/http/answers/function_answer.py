"""One function or call, as JSON values."""

import json
import mmap
from pathlib import Path
from typing import Any

from server.agent.tools.contract.transforming import changed_by
from server.quoting import plain
from traces.analysis.call_histogram import single_calls
from traces.analysis.flow_arrows import ArrowEnd, arrows_of
from traces.analysis.functions import top_functions
from traces.analysis.sandwich import NeighbourRow, callers_callees
from traces.handles import frame_index, profile_at, profile_of_span, resolve
from traces.model import Trace
from traces.reader import read_arguments
from traces.transforms.vocabulary import parsed_transforms

MOST_NEIGHBOURS = 8
MOST_ARGUMENTS = 30
LONGEST_ARGUMENT = 300


def flows_json(trace: Trace, call: str) -> dict[str, Any]:
    """`count` of all, and `arrows`: `time` is at the call, `other` the end that is elsewhere; names are clean. Raises
    UnknownHandle."""
    arrows, count = arrows_of(trace, call)
    return {
        "count": count,
        "arrows": [
            {"name": plain(one.name), "leaves": one.leaves, "time": one.time, "other": _arrow_end(trace, one.other)}
            for one in arrows
        ],
    }


def _arrow_end(trace: Trace, end: ArrowEnd) -> dict[str, Any]:
    profile = None if end.profile is None else trace.profiles[end.profile]
    return {
        "profile": profile and profile.handle,
        "thread": profile and plain(profile.name),
        "time": end.time,
        "handle": end.handle,
        "function": end.function and plain(end.function),
        "depth": end.depth,
    }


def function_json(trace: Trace, frame: str | None, chosen: int | None, transforms: str | None) -> dict[str, Any]:
    """Names are clean and of 120 characters at most; how an inverted tree lies makes no difference. Raises
    UnknownHandle, InvalidQuestion."""
    profile = profile_at(trace, chosen)
    trace = changed_by(trace, parsed_transforms(transforms).upright, profile.handle).trace
    heaviest = top_functions(trace, profile=profile.index, limit=1).rows if frame is None else ()
    if frame is None and not heaviest:
        return {"frame": None, "callers": [], "callees": [], "calls": None, "slowest": []}
    index = heaviest[0].frame if frame is None else frame_index(trace, frame)
    around = callers_callees(trace, index, profile=profile.index, limit=MOST_NEIGHBOURS)
    calls = single_calls(trace, index, profile.index)
    slowest = () if calls is None else calls.slowest
    return {
        "frame": f"f{index}",
        "unit": around.unit,
        "basis": around.basis,
        "callers": [_neighbour(row) for row in around.callers],
        "moreCallers": around.more_callers,
        "callees": [_neighbour(row) for row in around.callees],
        "moreCallees": around.more_callees,
        "calls": calls and {"count": calls.calls, "edges": calls.edges, "bars": calls.bars},
        "slowest": [{"handle": one.handle, "start": one.start, "duration": one.duration} for one in slowest],
    }


def _neighbour(row: NeighbourRow) -> dict[str, Any]:
    known = {} if row.calls is None else {"calls": row.calls}
    return {"handle": row.handle, "name": plain(row.name), "value": row.value, "share": round(row.share, 5)} | known


def has_arguments(trace: Trace, call: str) -> bool:
    """Whether the file has arguments of a call. Raises UnknownHandle."""
    profile, row = profile_of_span(trace, resolve(trace, call, "span").index)
    assert profile.spans is not None
    return bool(profile.spans.args_length[row] > 0)


def arguments_json(trace: Trace, call: str, upload: Path) -> list[dict[str, str]]:
    """Rows of `name` and `text`, clean."""
    with upload.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    value = read_arguments(data, trace, [call])[call]
    given = value if isinstance(value, dict) else {} if value is None else {"value": value}
    return [
        {"name": plain(str(name)), "text": plain(_text(argument), LONGEST_ARGUMENT)}
        for name, argument in list(given.items())[:MOST_ARGUMENTS]
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
