"""The functions of threads as columns, compressed."""

import json
from typing import Any, Literal

import numpy as np

from server.agent.tools.contract.transforming import changed_by, refuse_inverting
from server.edges.http.view_bytes import Encoding, compress
from traces.analysis.function_columns import FunctionColumns, function_columns
from traces.analysis.window import Window
from traces.handles import ALL
from traces.model import NONE, Int64, Trace, Values
from traces.transforms.vocabulary import parsed_transforms

Each = Literal["all", "each"]


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
