"""Slices and spans of many threads at once, where a call for each would cost more than its rows. In C: spans.c, tree.c.

The rows of thread `t` are `bounds[t]` to `bounds[t + 1]`; parents, sources and nodes count through all threads.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels import spans, trees
from traces.kernels.library import NotReadable, Outcome, call, contiguous, kernels, raise_for
from traces.kernels.trees import NONE, Paths, TreeStruct

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Repaired = npt.NDArray[np.int64]
"""A row a thread: ends without a begin, ends cut at their caller's, events too deep, the first end without a begin."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Spans of begins and ends, of which `starts` are each thread's first and their number. `unfinished` are rows."""

    source: Int64
    end: Int64
    parent: Int32
    unfinished: Int32
    starts: Int64
    repaired: Repaired


def nest_threads(
    start: Int64, end: Int64, bounds: Int64, max_depth: int, *, rounding: int = 0
) -> tuple[Int64, Int64, Int32, int]:
    """Nest complete slices of threads that have no more than `max_depth` each, given in file order.

    Returns the source, end and parent of each span, in as many rows, and how many were clamped.
    """
    sizes = np.diff(bounds)
    if len(sizes) and sizes.max() > max_depth:
        raise ValueError("a thread has more slices than may lie within each other")
    library = kernels()
    if library is None:
        return nest_threads_reference(start, end, bounds, max_depth, rounding=rounding)
    start, end = contiguous(start, np.int64), contiguous(end, np.int64)
    order = np.lexsort((start, np.repeat(np.arange(len(sizes)), sizes)))
    until, parent = np.empty(len(start), np.int64), np.empty(len(start), np.int32)
    columns = (contiguous(bounds, np.int64), len(sizes), max_depth, rounding, order, until, parent)
    clamped = call(library.nest_threads, start, end, *columns)
    if clamped < 0:
        raise MemoryError
    return order, until, parent, clamped


def nest_threads_reference(
    start: Int64, end: Int64, bounds: Int64, max_depth: int, *, rounding: int = 0
) -> tuple[Int64, Int64, Int32, int]:
    """The same, a thread at a time."""
    found = [
        spans.nest_reference(start[a:b], end[a:b], max_depth, rounding=rounding) for a, b in pairwise(bounds.tolist())
    ]
    first = bounds.tolist()
    return (
        _joined([one.source + at for one, at in zip(found, first, strict=False)], np.int64),
        _joined([one.end for one in found], np.int64),
        _joined([_shifted(one.parent, at) for one, at in zip(found, first, strict=False)], np.int32),
        sum(one.clamped for one in found),
    )


def match_threads(
    time: Int64, frame: Int32, begins: npt.NDArray[np.bool_], bounds: Int64, max_depth: int, latest: int | None
) -> Matched:
    """Match begins and ends, each thread's in time order, as `spans.match` does."""
    library = kernels()
    if library is None:
        return match_threads_reference(time, frame, begins, bounds, max_depth, latest)
    threads = len(bounds) - 1
    inputs = (contiguous(time, np.int64), contiguous(frame, np.int32), contiguous(begins, np.uint8))
    longest, frames = (int(np.diff(bounds).max()), max(0, int(frame.max()) + 1)) if len(frame) else (0, 0)
    last = int(np.iinfo(np.int64).min if latest is None else latest)
    source, end, parent = np.empty(len(time), np.int64), np.empty(len(time), np.int64), np.empty(len(time), np.int32)
    is_open, starts = np.zeros(len(time), np.uint8), np.zeros(threads + 1, np.int64)
    repaired = np.zeros((threads, 4), np.int64)
    sizes = (contiguous(bounds, np.int64), threads, longest, frames, max_depth, last)
    count = call(library.match_threads, *inputs, *sizes, source, end, parent, is_open, starts, repaired)
    if count < 0:
        raise MemoryError
    unfinished = np.flatnonzero(is_open[:count]).astype(np.int32)
    return Matched(source[:count], end[:count], parent[:count], unfinished, starts, repaired)


def match_threads_reference(
    time: Int64, frame: Int32, begins: npt.NDArray[np.bool_], bounds: Int64, max_depth: int, latest: int | None
) -> Matched:
    """The same, a thread at a time."""
    first = bounds.tolist()
    found = [spans.match_reference(time[a:b], frame[a:b], begins[a:b], max_depth, latest) for a, b in pairwise(first)]
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum([len(one.source) for one in found], dtype=np.int64)))
    repaired = [
        (one.unmatched_ends, one.clamped, one.too_deep, _after(one.first_unmatched, at))
        for one, at in zip(found, first, strict=False)
    ]
    return Matched(
        _joined([one.source + at for one, at in zip(found, first, strict=False)], np.int64),
        _joined([one.end for one in found], np.int64),
        _joined([_shifted(one.parent, at) for one, at in zip(found, starts.tolist(), strict=False)], np.int32),
        _joined([one.unfinished + at for one, at in zip(found, starts.tolist(), strict=False)], np.int32),
        starts,
        np.array(repaired, np.int64).reshape(len(found), 4),
    )


def paths_of_threads(frame: Int32, parent: Int32, bounds: Int64, max_depth: int) -> tuple[Paths, Int64]:
    """The node of each span, given spans with parents first; each thread has nodes of its own. Also where each thread's
    nodes begin, and their number."""
    library = kernels()
    if library is None:
        return paths_of_threads_reference(frame, parent, bounds, max_depth)
    tree, starts, leaf = (
        TreeStruct(max_depth=max_depth),
        np.zeros(len(bounds), np.int64),
        np.empty(len(frame), np.int32),
    )
    columns = (contiguous(frame, np.int32), contiguous(parent, np.int32), contiguous(bounds, np.int64), len(bounds) - 1)
    try:
        outcome = call(library.nodes_of_threads, *columns, leaf, tree, starts)
        if outcome == Outcome.MALFORMED:
            raise NotReadable("a span's parent is none of its thread", 0)
        raise_for(outcome, 0)
        return tree.paths(library, leaf), starts
    finally:
        call(library.forget_tree, tree)


def paths_of_threads_reference(frame: Int32, parent: Int32, bounds: Int64, max_depth: int) -> tuple[Paths, Int64]:
    """The same, a thread at a time."""
    first = bounds.tolist()
    found = [
        trees.paths_of_spans_reference(frame[a:b], _shifted(parent[a:b], -a), max_depth) for a, b in pairwise(first)
    ]
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum([len(one) for one in found], dtype=np.int64)))
    paths = Paths(
        _joined([one.frame for one in found], np.int32),
        _joined([_shifted(one.parent, at) for one, at in zip(found, starts.tolist(), strict=False)], np.int32),
        _joined([one.depth for one in found], np.int32),
        _joined([one.leaf + at for one, at in zip(found, starts.tolist(), strict=False)], np.int32),
        sum(one.truncated for one in found),
    )
    return paths, starts


def _shifted(parent: Int32, by: int) -> Int32:
    return np.where(parent >= 0, parent + by, NONE).astype(np.int32)


def _after(event: int, first: int) -> int:
    return event + first if event >= 0 else NONE


def _joined(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)
