"""Stacks of locations, each of which is one frame or, with what was inlined there, several."""

from collections.abc import Iterable

import numpy as np

from traces.builder import TraceBuilder
from traces.model import NONE, Int32, Int64

NO_STACK = "(no stack)"
"""What was sampled where the unwinder found no caller counts: pprof has it in its total."""

Function = tuple[int, int, int, int]
"""Ident, name and file as numbers of strings, line."""


def sampled_lines(functions: Int64, lines: Int64) -> dict[int, int]:
    """The lowest line at which each function was sampled, for those of which the file does not say where they begin."""
    said = np.flatnonzero(lines > 0)
    order = said[np.lexsort((lines[said], functions[said]))]
    first = order[np.diff(functions[order], prepend=-1) != 0]
    return dict(zip(functions[first].tolist(), lines[first].tolist(), strict=True))


def with_lines(functions: Iterable[Function], sampled: dict[int, int]) -> list[Function]:
    """Functions given as ident, name, file and the line where they begin (0: not said) with a line each, 0 where none
    is known. What has the same name and file and no line of its own is one function."""
    given = list(functions)
    lowest: dict[tuple[int, int], int] = {}
    for ident, name, file, line in given:
        if line <= 0 and ident in sampled:
            lowest[name, file] = min(sampled[ident], lowest.get((name, file), sampled[ident]))
    return [(ident, name, file, line if line > 0 else lowest.get((name, file), 0)) for ident, name, file, line in given]


def frames_of_stacks(requested: Int64, stacks: Int64, idents: Int64, frames: Int32, ends: Int64) -> tuple[Int32, Int64]:
    """The frames of a sequence of locations, and where each stack ends in it; `stacks` says so of the locations.

    A large profile points to millions of locations: where each is one frame, one look into a table is all they cost.
    """
    if len(frames) == len(idents):
        return _looked_up(idents, frames, requested), stacks
    row = _looked_up(idents, np.arange(len(idents), dtype=np.int32), requested)
    sizes = np.diff(ends, prepend=0)
    stops = np.cumsum(sizes[row])
    each = np.arange(stops[-1] if len(stops) else 0) + np.repeat(ends[row] - stops, sizes[row])
    return frames[each], np.concatenate(([0], stops))[stacks]


def with_empty_ones(frames: Int32, ends: Int64, builder: TraceBuilder) -> tuple[Int32, Int64]:
    """Stacks, given as their frames and where each ends, of which those without any frame have one that says so."""
    empty = np.diff(ends, prepend=0) == 0
    if not empty.any():
        return frames, ends
    return np.insert(frames, ends[empty], builder.frame(NO_STACK)), ends + np.cumsum(empty)


def _looked_up(idents: Int64, values: Int32, requested: Int64) -> Int32:
    """The value of each requested id (none is negative), the last of ids that are equal. Raises IndexError for one that
    is not there."""
    if not len(requested):
        return np.empty(0, np.int32)
    low, high = int(requested.min()), int(requested.max())
    found: Int32
    if low >= 0 and high <= 4 * len(idents) + 1024:
        table = np.full(high + 1, NONE, np.int32)
        known = (idents >= 0) & (idents <= high)
        table[idents[known]] = values[known]
        found = table[requested]
    else:
        order = np.argsort(idents, kind="stable")
        last = np.searchsorted(idents[order], requested, "right") - 1
        there = (last >= 0) & (idents[order][last] == requested) if len(order) else np.zeros(len(requested), np.bool_)
        found = np.full(len(requested), NONE, np.int32)
        found[there] = values[order[last[there]]]
    if found.min() < 0:
        raise IndexError
    return found
