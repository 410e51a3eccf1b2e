"""Nesting slices, matching begins with ends, sums over spans. In C: spans.c; the rules: traces/nesting.py."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.library import call, contiguous, kernels, raise_for

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Values = npt.NDArray[Any]
NONE = -1


def no_rows() -> Int32:
    """No rows at all."""
    return np.zeros(0, np.int32)


def no_times() -> npt.NDArray[np.int64]:
    """A column of times that was not recorded."""
    return np.zeros(0, np.int64)


def joined_times(columns: Sequence[npt.NDArray[np.int64]], sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Columns of so many rows one after the other, -1 for those that were not recorded; not recorded where none was."""
    if not any(map(len, columns)):
        return no_times()
    filled = (c if len(c) else np.full(size, NONE, np.int64) for c, size in zip(columns, sizes, strict=True))
    return np.concatenate(list(filled))


@dataclass(frozen=True, slots=True)
class Nesting:
    """Spans in preorder: `source` is the row of the input; the counts are what was repaired.

    `unfinished` are the rows of spans without an end, `first_unmatched` the first event that ends nothing (-1: none).
    """

    source: Int64 | Int32
    end: Values
    parent: Int32
    clamped: int = 0
    unmatched_ends: int = 0
    too_deep: int = 0
    unfinished: Int32 = field(default_factory=no_rows)
    first_unmatched: int = NONE


def nest(start: Values, end: Values, max_depth: int, *, rounding: int = 0) -> Nesting:
    """Nest complete slices, given in file order, none deeper than `max_depth`. One that reaches at most `rounding` into
    the next, and not as far as that reaches beyond it, ends where the next begins."""
    library = kernels()
    if library is None or start.dtype != np.int64 or end.dtype != np.int64:
        return nest_reference(start, end, max_depth, rounding=rounding)
    start, end = contiguous(start, np.int64), contiguous(end, np.int64)
    order = np.argsort(start, kind="stable")
    columns, repaired = (order, *_outputs(len(start))), np.zeros(2, np.int64)
    kept = call(library.nest_slices, start, end, len(start), max_depth, rounding, *columns, repaired)
    clamped, too_deep = repaired.tolist()
    return Nesting(*_filled(columns, kept), clamped=clamped, too_deep=too_deep)


def nest_ended(start: Int64, end: Int64, frame: Int32, max_depth: int) -> Nesting | None:
    """The same for slices of some length in order of their ends, none of which crosses another: they are sorted where
    they lie, and so are their frames; `source` is where they lay. None where they are not of that kind, or without the
    kernels: then nothing has changed."""
    library = kernels()
    columns: tuple[Values, ...] = (start, end, frame)
    if library is None or any(c.dtype != d for c, d in zip(columns, (np.int64, np.int64, np.int32), strict=True)):
        return None
    if not all(column.flags.c_contiguous and column.flags.writeable for column in columns):
        return None
    source, parent = np.empty(len(start), np.int32), np.empty(len(start), np.int32)
    nested = call(library.nest_ended, *columns, len(start), max_depth, source, parent)
    if nested < 0:
        raise MemoryError
    return Nesting(source, end, parent) if nested else None


def _is_rounded(end: float, begin: float, finish: float, rounding: int) -> bool:
    """Whether the next slice begins before that end by the rounding of moments alone."""
    return end - begin <= rounding and end - begin < finish - end


def nest_reference(start: Values, end: Values, max_depth: int, *, rounding: int = 0) -> Nesting:
    """The same, a slice at a time."""
    order = np.lexsort((-end, start))  # stable: file order decides last
    rows, parents = list[int](), list[int]()
    ends: list[int | float] = []  # clamped
    stack: list[int] = []  # open spans, as rows of the result
    clamped = too_deep = 0
    for row, begin, finish in zip(order.tolist(), start[order].tolist(), end[order].tolist(), strict=True):
        while stack and (ends[stack[-1]] <= begin or _is_rounded(ends[stack[-1]], begin, finish, rounding)):
            row_before = stack.pop()
            ends[row_before] = min(ends[row_before], begin)
        if len(stack) >= max_depth:
            too_deep += 1
            continue
        parent = stack[-1] if stack else NONE
        limit = ends[parent] if stack else finish
        clamped += finish > limit
        stack.append(len(rows))
        rows.append(row)
        parents.append(parent)
        ends.append(min(finish, limit))
    return Nesting(
        source=np.array(rows, np.int64),
        end=np.array(ends, end.dtype),
        parent=np.array(parents, np.int32),
        clamped=clamped,
        too_deep=too_deep,
    )


def match(
    time: Values, frame: Int32, begins: npt.NDArray[np.bool_], max_depth: int, latest: float | None = None
) -> Nesting:
    """Match begins and ends, given in time order (file order within one moment). `source` is each begin's row.

    What never ends is drawn to its caller's end, or to the last accepted moment, or to `latest` if that is later. An
    end that comes after that of its caller is cut there, and counted among `clamped`. An end of frame -1 closes the
    innermost.
    """
    library = kernels()
    if library is None or time.dtype != np.int64:
        return match_reference(time, frame, begins, max_depth, latest)
    inputs = (contiguous(time, np.int64), contiguous(frame, np.int32), contiguous(begins, np.uint8))
    frames = max(0, int(frame.max()) + 1) if len(frame) else 0
    columns, repaired = (np.empty(len(time), np.int64), *_outputs(len(time))), np.zeros(4, np.int64)
    last = int(np.iinfo(np.int64).min if latest is None else latest)
    open_ones = np.zeros(len(time), np.uint8)
    spans = call(library.match_begin_end, *inputs, len(time), frames, max_depth, last, *columns, open_ones, repaired)
    unmatched, clamped, too_deep, first = repaired.tolist()
    filled = _filled(columns, spans)
    unfinished = np.flatnonzero(open_ones[: len(filled[0])]).astype(np.int32)
    return Nesting(*filled, clamped, unmatched, too_deep, unfinished, first)


def match_reference(
    time: Values, frame: Int32, begins: npt.NDArray[np.bool_], max_depth: int, latest: float | None = None
) -> Nesting:
    """The same, an event at a time."""
    source: list[int] = []
    ends: list[int | float] = []
    parents: list[int] = []
    stack: list[int] = []  # open spans, as rows of the result
    open_frames: list[int] = []
    open_calls: dict[int, int] = {}
    cut: dict[int, list[int]] = {}  # spans that closed with their caller, by frame: their own end may still come
    unmatched = too_deep = ignored_depth = clamped = 0
    first = NONE
    times = time.tolist()
    last = times[0] if times else 0
    for event, (at, said, is_begin) in enumerate(zip(times, frame.tolist(), begins.tolist(), strict=True)):
        name = open_frames[-1] if said == NONE and open_frames and not is_begin else said
        if is_begin:
            last = at
            if len(stack) >= max_depth:
                too_deep += 1
                ignored_depth += 1
                continue
            parents.append(stack[-1] if stack else NONE)
            stack.append(len(source))
            open_frames.append(name)
            open_calls[name] = open_calls.get(name, 0) + 1
            source.append(event)
            ends.append(at)
        elif ignored_depth:
            ignored_depth -= 1
        elif open_calls.get(name):
            last = at
            while True:
                span = stack.pop()
                ends[span] = at
                closed = open_frames.pop()
                open_calls[closed] -= 1
                if closed == name:
                    break
                cut.setdefault(closed, []).append(span)
        elif cut.get(name):
            cut[name].pop()
            clamped += 1
        else:
            first = event if first == NONE else first
            unmatched += 1
    for span in stack:
        ends[span] = last if latest is None else max(last, latest)
    unfinished = sorted([*stack, *(span for spans in cut.values() for span in spans)])
    return Nesting(
        source=np.array(source, np.int64),
        end=np.array(ends, time.dtype),
        parent=np.array(parents, np.int32),
        clamped=clamped,
        unmatched_ends=unmatched,
        too_deep=too_deep,
        unfinished=np.array(unfinished, np.int32),
        first_unmatched=first,
    )


def self_durations(start: Values, end: Values, parent: Int32) -> Values:
    """What each span spent outside its children; parents come first."""
    library = kernels()
    if library is None or start.dtype != np.int64 or end.dtype != np.int64:
        return self_durations_reference(start, end, parent)
    own = np.empty(len(start), np.int64)
    columns = (contiguous(start, np.int64), contiguous(end, np.int64), contiguous(parent, np.int32))
    raise_for(call(library.self_durations, *columns, len(start), own), 0)
    return own


def self_durations_reference(start: Values, end: Values, parent: Int32) -> Values:
    """The same in numpy."""
    own = end - start
    inner = parent >= 0
    np.subtract.at(own, parent[inner], (end - start)[inner])
    return own


def sum_spans(start: Values, end: Values, parent: Int32, node: Int32, nodes: int) -> tuple[Values, Int64]:
    """Self and calls of each node of all spans; parents come first."""
    library = kernels()
    if library is None or start.dtype != np.int64 or end.dtype != np.int64:
        return sum_spans_reference(start, end, parent, node, nodes)
    own, calls = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    columns = (contiguous(start, np.int64), contiguous(end, np.int64))
    tree = (contiguous(parent, np.int32), contiguous(node, np.int32))
    raise_for(call(library.sum_spans, *columns, *tree, len(start), nodes, own, calls), 0)
    return own, calls


def sum_spans_reference(start: Values, end: Values, parent: Int32, node: Int32, nodes: int) -> tuple[Values, Int64]:
    """The same in numpy."""
    own = np.zeros(nodes, start.dtype)
    np.add.at(own, node, self_durations_reference(start, end, parent))
    return own, np.bincount(node, minlength=nodes).astype(np.int64)


Columns = tuple[Int64, Int64, Int32]


def _outputs(count: int) -> tuple[Int64, Int32]:
    return np.empty(count, np.int64), np.empty(count, np.int32)


def _filled(columns: Columns, count: int) -> Columns:
    """The rows that a kernel filled; it returns a negative number when memory is out."""
    if count < 0:
        raise MemoryError
    source, end, parent = columns
    return source[:count], end[:count], parent[:count]
