"""The functions of a thread, of all threads added up or of each, over HTTP: what the page's table sorts and filters."""

import hashlib
import json
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from server.agent.tools.contract.transforming import changed_by, refuse_inverting
from server.edges.http.content_encoding import accepted
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import TransformsText, index_of
from server.edges.http.view_bytes import Encoding, compress
from server.errors import BadRequest
from traces.analysis.function_columns import FunctionColumns, function_columns
from traces.analysis.window import Window
from traces.cache import ENGINE_VERSION
from traces.handles import ALL
from traces.model import NONE, Int64, Trace, Values
from traces.transforms.vocabulary import parsed_transforms

routes = APIRouter(prefix="/traces", tags=["traces"])

TABLE_VERSION = "1"
"""Changes with the answer's content, so that no client is answered that what it has is still right."""
Each = Literal["all", "each"]
TableProfile = Annotated[
    str | None, Query(description="a profile's handle, `all` for all added up, `each` for a row a thread")
]


@routes.get("/{trace_id}/function-table")
async def function_table(
    request: Request,
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    profile: TableProfile = None,
    start: float | None = None,
    end: float | None = None,
    transforms: TransformsText = None,
) -> Response:
    """Every function of a thread (or of all, or of each), as columns of equal length, heaviest by self first;
    with transforms those of the changed call trees."""
    window = window_of(start, end)
    chosen = _chosen(profile)
    row = await services.library.row(caller, trace_id)
    encoding = encoding_of(request)
    asked = f"functions {row.sha256} {ENGINE_VERSION} {TABLE_VERSION} {chosen} {window} {transforms} {encoding}"
    headers = headers_of(asked, encoding)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    _, opened = await services.library.open(caller, trace_id)
    content = await services.workers.ask(opened, table_bytes, chosen, window, transforms, encoding)
    return Response(content, media_type="application/json", headers=headers)


def _chosen(profile: str | None) -> int | Each | None:
    match profile:
        case "all" | "each":
            return profile
        case _:
            return index_of(profile, "profile")


def window_of(start: float | None, end: float | None) -> Window | None:
    """Raises BadRequest for one without the other, InvalidQuestion for an empty one."""
    if (start is None) != (end is None):
        raise BadRequest("start and end go together.", field="start" if start is None else "end")
    return None if start is None or end is None else Window(start, end)


def encoding_of(request: Request) -> Encoding:
    """What a worker compresses an answer with."""
    found = accepted(request.headers.get("accept-encoding", ""), ("zstd", "gzip"))
    return "zstd" if found == "zstd" else "gzip" if found == "gzip" else "identity"


def headers_of(asked: str, encoding: Encoding) -> dict[str, str]:
    """Those of an answer that stays right for as long as what was asked is the same."""
    version = hashlib.sha256(asked.encode()).hexdigest()[:32]
    headers = {"ETag": f'"{version}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    return headers if encoding == "identity" else headers | {"Content-Encoding": encoding}


def table_bytes(
    trace: Trace, chosen: int | Each | None, window: Window | None, transforms: str | None, encoding: Encoding
) -> bytes:
    """`table_json` as compressed text. Raises UnknownHandle, InvalidQuestion, NoTimes."""
    of = None if chosen is None else f"p{chosen}" if isinstance(chosen, int) else ALL
    trace = changed_by(trace, refuse_inverting(parsed_transforms(transforms)), of).trace
    found = function_columns(
        trace,
        profile=None if chosen == "each" else ALL if chosen == "all" else chosen,
        by_thread=chosen == "each",
        window=window,
    )
    text = json.dumps(table_json(trace, found), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return compress(text.encode("utf-8", "replace"), encoding)


def table_json(trace: Trace, found: FunctionColumns) -> dict[str, Any]:
    """`columns` of equal length: `frame` and `file` are places in `frames` and `files`, `thread` in `threads`; what a
    row does not have is null, and a column that no row has is not there. Frames and files stand in the order of their
    names, which are as the recording has them."""
    frames, frame = np.unique(found.frame, return_inverse=True)
    files, file = np.unique(trace.frames.file[frames], return_inverse=True)
    names = [trace.frame_name(index) for index in frames.tolist()]
    paths = ["" if text == NONE else trace.strings[text] for text in files.tolist()]
    frame_order, frame_place = _in_order(names)
    file_order, file_place = _in_order(paths)
    columns: dict[str, list[Any]] = {
        "frame": frame_place[frame].tolist(),
        "self": found.self_value.tolist(),
        "total": found.total_value.tolist(),
    }
    if found.thread is not None:
        columns["thread"] = found.thread.tolist()
    if found.count is not None:
        columns["count"] = found.count.tolist()
    if found.mean is not None:
        columns["mean"] = _or_null(found.mean, np.isfinite(found.mean))
    if found.durations is not None:
        known = found.durations.calls > 0
        columns["p50"] = _or_null(found.durations.median, known)
        columns["p99"] = _or_null(found.durations.p99, known)
    return {
        "unit": found.unit,
        "axis": found.axis,
        "scopeTotal": found.scope_total,
        "counted": found.counted,
        "leftOut": found.left_out,
        "moreThreads": found.more_threads,
        "threads": [{"handle": handle, "name": name} for handle, name in zip(found.profiles, found.names, strict=True)],
        "frames": {
            "ids": frames[frame_order].tolist(),
            "names": [names[index] for index in frame_order.tolist()],
            "files": file_place[file][frame_order].tolist(),
            "lines": [None if line == NONE else line for line in trace.frames.line[frames][frame_order].tolist()],
        },
        "files": [paths[index] or None for index in file_order.tolist()],
        "columns": columns,
    }


def _in_order(texts: list[str]) -> tuple[Int64, Int64]:
    """Which text stands where once they are in order, whatever their case, and the place of each."""
    order = np.array(sorted(range(len(texts)), key=lambda index: (texts[index].lower(), texts[index])), np.int64)
    place = np.empty(len(texts), np.int64)
    place[order] = np.arange(len(texts))
    return order, place


def _or_null(values: Values, known: Values) -> list[float | None]:
    return [value if is_known else None for value, is_known in zip(values.tolist(), known.tolist(), strict=True)]
