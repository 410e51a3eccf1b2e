"""Which functions a profile spends its time in."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from traces.analysis.window import Window, node_values, whole
from traces.errors import InvalidQuestion
from traces.handles import profile_at
from traces.model import CallTree, Int64, Trace, Values
from traces.values import Unit

MAX_PATTERN = 200
"""Longer ones are not typed by people, and an expression's cost grows with it."""


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One frame. `total_value` counts recursion once; shares leave idle out; `count` is calls or leaf samples."""

    handle: str
    frame: int
    name: str
    file: str | None
    line: int | None
    self_value: float
    total_value: float
    self_share: float
    total_share: float
    count: int


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """Some of `total_rows` functions, in order. `whole` is everything in the window that is not idle."""

    rows: tuple[FunctionRow, ...]
    total_rows: int
    whole: float
    unit: Unit
    profile: str
    window: Window | None


@dataclass(frozen=True, slots=True)
class FrameValues:
    """One row a frame of the trace."""

    self_value: Values
    total_value: Values
    count: Int64


def frame_values(tree: CallTree, own: Values, total: Values, count: Int64, frames: int) -> FrameValues:
    """Node values summed by frame; totals of outermost nodes only, so that recursion counts once."""
    selfs, totals = np.zeros(frames, own.dtype), np.zeros(frames, total.dtype)
    counts = np.zeros(frames, np.int64)
    np.add.at(selfs, tree.frame, own)
    top = tree.outermost == 1
    np.add.at(totals, tree.frame[top], total[top])
    np.add.at(counts, tree.frame, count)
    return FrameValues(selfs, totals, counts)


def top_functions(
    trace: Trace,
    *,
    profile: int | None = None,
    sort_by: Literal["self", "total"] = "self",
    limit: int = 15,
    offset: int = 0,
    window: Window | None = None,
    pattern: str | None = None,
) -> FunctionTable:
    """Functions by self or total value, largest first; `pattern` is text in the name or file, any case.

    Raises UnknownHandle, InvalidQuestion.
    """
    if sort_by not in ("self", "total"):
        raise InvalidQuestion(f"functions are sorted by self or total, not by {sort_by}.")
    chosen = profile_at(trace, profile)
    values = node_values(chosen, window)
    by_frame = frame_values(chosen.tree, values.self_value, values.total_value, values.count, len(trace.frames))
    key = by_frame.self_value if sort_by == "self" else by_frame.total_value
    present = np.flatnonzero(by_frame.total_value > 0)
    if pattern:
        matching = np.fromiter(matches(trace, pattern), np.int64)
        present = present[np.isin(present, matching)]
    order = present[np.lexsort((present, -by_frame.total_value[present], -key[present]))]
    everything = whole(chosen.tree, values.total_value)
    shown = order[max(offset, 0) : max(offset, 0) + max(limit, 0)]
    rows = tuple(function_row(trace, int(frame), by_frame, everything) for frame in shown)
    return FunctionTable(rows, len(order), everything, chosen.unit, chosen.handle, window)


def function_row(trace: Trace, frame: int, values: FrameValues, everything: float) -> FunctionRow:
    """The row of one frame."""
    own, total = values.self_value[frame].item(), values.total_value[frame].item()
    return FunctionRow(
        handle=f"f{frame}",
        frame=frame,
        name=trace.frame_name(frame),
        file=trace.frame_file(frame),
        line=trace.frame_line(frame),
        self_value=own,
        total_value=total,
        self_share=own / everything if everything else 0.0,
        total_share=total / everything if everything else 0.0,
        count=int(values.count[frame]),
    )


def matches(trace: Trace, pattern: str, *, regex: bool = False) -> list[int]:
    """Frames whose name or file holds the pattern, ignoring case. Raises InvalidQuestion for a broken expression."""
    if len(pattern) > MAX_PATTERN:
        raise InvalidQuestion(f"the pattern is longer than {MAX_PATTERN} characters.")
    try:
        wanted = re.compile(pattern if regex else re.escape(pattern), re.IGNORECASE)
    except re.error as error:
        raise InvalidQuestion(f"the pattern is no regular expression: {error}.") from error
    files = {int(i): wanted.search(trace.strings[int(i)]) is not None for i in np.unique(trace.frames.file) if i >= 0}
    return [
        frame
        for frame, name in enumerate(trace.frame_names)
        if wanted.search(name) or files.get(int(trace.frames.file[frame]), False)
    ]
