"""A view of a trace as bytes that a browser maps without parsing: a JSON header, then aligned little-endian columns.

`FCV1`, uint32 header length, header (padded with spaces to a multiple of 8 from the file's start), columns, each at a
multiple of 8. Runs inside a worker.
"""

import gzip
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard

from rendering.legend import hue_entries
from rendering.palette import PaletteName, Seeds
from server.agent.tools.contract.transforming import changed_by
from server.quoting import plain
from traces.analysis.boxes import Boxes
from traces.analysis.time_axis import is_in_order
from traces.analysis.view_layout import left_heavy, sandwich_layout, time_order
from traces.analysis.window import Window
from traces.handles import frame_index, profile_at
from traces.kernels.columns import counted
from traces.kernels.trees import sum_by_node
from traces.model import Int32, Int64, Trace
from traces.transforms.vocabulary import Transforms
from traces.values import Role

MAGIC = b"FCV1"
VIEW_VERSION = "2"
"""Changes with the header's content, so that no client is answered that what it has is still right."""
MAX_BOXES = 1_000_000
"""Default bound: what a canvas still pans smoothly over; past it boxes too thin to see are merged and counted."""

ALIGNMENT = 8
GZIP_LEVEL = 4
ZSTD_LEVEL = 3
"""Fast levels: columns of sorted numbers shrink three- to fivefold at either, and the person is waiting."""
ZSTD_LEVEL_OF_LARGE, LARGE = 1, 4_000_000
"""From so many bytes on: half the time for a sixteenth more to send."""

Mode = Literal["time_order", "left_heavy", "sandwich"]
Encoding = Literal["zstd", "gzip", "identity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewQuery:
    """Which boxes are asked for. `profile` and `frame` are indices; `frame` belongs to the sandwich."""

    mode: Mode
    profile: int | None = None
    frame: int | None = None
    window: Window | None = None
    max_boxes: int = MAX_BOXES
    transforms: Transforms = Transforms()  # noqa: RUF009 - frozen
    palette: PaletteName = "file"


def view_bytes(trace: Trace, query: ViewQuery, encoding: Encoding) -> bytes:
    """The view, encoded and compressed; what has no times is laid out left heavy, as the header's mode says. Raises
    UnknownHandle for a profile or frame the trace does not have, NoTimes for a window without times."""
    profile = trace.default_profile if query.profile is None else query.profile
    mode, window = query.mode, query.window
    transforms = query.transforms.upright if mode == "sandwich" else query.transforms  # that has callers above already
    changed = changed_by(trace, transforms, profile_at(trace, profile).handle, window=window)
    trace = changed.trace
    if transforms.inverts:
        window = None  # the inverted tree is that of the window
    if mode == "time_order" and not is_in_order(profile_at(trace, profile)):
        mode = "left_heavy"
    callers: Boxes | None = None
    merged = 0
    if mode == "sandwich":
        frame = frame_index(trace, f"f{query.frame}")
        sandwich = sandwich_layout(trace, frame, profile=profile)
        boxes, callers = sandwich.callees, sandwich.callers
        total = len(boxes) + len(callers)
    else:
        layout_of = time_order if mode == "time_order" else left_heavy
        layout = layout_of(trace, profile=profile, window=window, max_boxes=query.max_boxes)
        boxes, merged, total = layout.boxes, layout.merged, layout.total
    header: dict[str, Any] = {
        "mode": mode,
        "profile": f"p{profile}",
        "frame": None if query.frame is None else f"f{query.frame}",
        "unit": boxes.unit.value,
        "axisStart": float(boxes.axis_start),
        "axisEnd": float(boxes.axis_end),
        "refKind": boxes.ref_kind,
        "total": total,
        "merged": merged,
    }
    if transforms:
        header["transforms"] = changed.inside(window).as_json()
    every = [boxes] if callers is None else [boxes, callers]
    header |= frames_header(
        trace,
        np.concatenate([part.frame for part in every]),
        np.concatenate([part.end - part.start for part in every]),
        query.palette,
        profile_at(trace, profile).role,
    )
    upper = None if callers is None else _part(callers)
    return compress(assemble(header, _part(boxes), upper), encoding)


def compress(data: bytes, encoding: Encoding) -> bytes:
    match encoding:
        case "zstd":
            level = ZSTD_LEVEL if len(data) < LARGE else ZSTD_LEVEL_OF_LARGE
            return zstandard.ZstdCompressor(level=level).compress(data)
        case "gzip":
            return gzip.compress(data, GZIP_LEVEL, mtime=0)
        case "identity":
            return data


def frames_header(
    trace: Trace,
    frame: Int32,
    width: npt.NDArray[Any],
    palette: PaletteName = "file",
    role: Role = Role.UNKNOWN,
) -> dict[str, Any]:
    """Of boxes, their frames and how wide they are; `role` is that of the thread.

    `frames`: names, places and colours (`rendering.palette.Hues.numbers`) of the frames that occur, once each.
    `legend`: a colour of each hue that occurs, and what it stands for, the widest first."""
    occurring = np.flatnonzero(counted(frame, len(trace.frames)))
    weight = sum_by_node(frame, width, len(trace.frames))[occurring].astype(np.float64)
    ids: list[int] = occurring.tolist()
    hues = Seeds(trace).hues(occurring, palette, role)
    numbers = hues.numbers().tolist()
    entries = hue_entries(trace, occurring, weight, hues, role) if ids else []
    frames = {
        "ids": ids,
        "names": [trace.frame_name(frame) for frame in ids],
        "files": [trace.frame_file(frame) for frame in ids],
        "lines": [trace.frame_line(frame) for frame in ids],
        "colours": numbers,
    }
    return {"frames": frames, "legend": [[numbers[entry.frame], plain(entry.text)] for entry in entries]}


class Part(NamedTuple):
    """Boxes as they are sent: where each row begins, and columns by name."""

    row_offsets: Int64
    columns: Sequence[tuple[str, npt.NDArray[Any]]]


def _part(boxes: Boxes) -> Part:
    columns = [
        ("start", boxes.start.astype("<f8")),
        ("end", boxes.end.astype("<f8")),
        ("frame", boxes.frame.astype("<i4")),
        ("ref", boxes.ref.astype("<i4")),
    ]
    if boxes.unfinished is not None:
        columns.append(("unfinished", boxes.unfinished.astype("<i4")))
    return Part(boxes.row_offsets, columns)


def assemble(header: dict[str, Any], boxes: Part, callers: Part | None) -> bytes:
    """Header and columns. Offsets are absolute, so the header's own length comes first: it is found by writing it
    with the largest offsets it could hold."""
    parts = [boxes] if callers is None else [boxes, callers]

    def described(base: int) -> bytes:
        offset, tables = base, []
        for part in parts:
            table = []
            for name, column in part.columns:
                table.append({"name": name, "dtype": column.dtype.str[1:], "offset": offset, "length": len(column)})
                offset += _aligned(column.nbytes)
            count = table[0]["length"]
            tables.append({"boxes": count, "rowOffsets": part.row_offsets.tolist(), "columns": table})
        head = header | tables[0] | {"callers": tables[1] if callers is not None else None}
        return json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

    base = _aligned(8 + len(described(1 << 40)))
    pieces: list[bytes | memoryview] = [MAGIC, struct.pack("<I", base - 8), described(base).ljust(base - 8)]
    for _, column in (one for part in parts for one in part.columns):
        pieces += [np.ascontiguousarray(column).data, bytes(_aligned(column.nbytes) - column.nbytes)]
    return b"".join(pieces)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
