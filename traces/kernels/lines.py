"""Collapsed stacks, `outer;inner weight` a line, as call paths. In C: lines.c."""

import ctypes
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, Buffer, NamesStruct, NotReadable, Outcome, call, kernels, raise_for, take
from traces.kernels.trees import Paths, TreeStruct, paths_of_stacks_reference

MAX_WEIGHT_DIGITS = 15
PIECE = 1 << 20
"""Bytes that are split into lines at once without the kernels: more would only take memory."""
COMMENT = ord("#")
SPACE = b" \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Lines:
    """`paths.leaf` and `weight` have a row a stack; `names` are the frames' texts. A stack may be
    empty: leaf -1. `skipped` lines had no weight, or 0; blank lines and comments (`#`) are not counted."""

    paths: Paths
    weight: npt.NDArray[np.int64]
    names: tuple[bytes, ...]
    skipped: int


def scan_lines(data: Buffer, max_depth: int) -> Lines:
    """All stacks of a text. Raises NotReadable for a weight of more than 15 digits."""
    library = kernels()
    if library is None:
        return scan_lines_reference(data, max_depth)
    source = np.frombuffer(data, np.uint8)
    lines = _LinesStruct()
    lines.tree.max_depth = max_depth
    try:
        raise_for(call(library.scan_lines, source, len(source), lines), lines.fault_at)
        leaf = take(library, lines, "leaf", lines.count, np.int32)
        weight = take(library, lines, "weight", lines.count, np.int64)
        return Lines(lines.tree.paths(library, leaf), weight, lines.names.texts(source), lines.skipped)
    finally:
        call(library.forget_lines, lines)


class _LinesStruct(ctypes.Structure):
    _fields_ = (
        ("tree", TreeStruct),
        ("names", NamesStruct),
        ("leaf", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("leaf_room", "weight_room", "count", "skipped", "fault_at")),
    )


def scan_lines_reference(data: Buffer, max_depth: int) -> Lines:
    """The same, a line at a time."""
    stacks: dict[bytes, int] = {}
    which: list[int] = []
    weights: list[int] = []
    skipped = position = 0
    for line in lines_of(memoryview(data).cast("B")):
        stack, _, weight = line.rstrip(b"\r").rpartition(b" ")
        if not weight.isdigit() or line[0] == COMMENT:
            skipped += bool(line.strip(SPACE)) and line[0] != COMMENT
        elif len(weight) > MAX_WEIGHT_DIGITS:
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], position + len(line.rstrip(b"\r")) - len(weight))
        elif not int(weight):
            skipped += 1
        else:
            weights.append(int(weight))
            which.append(stacks.setdefault(stack, len(stacks)))
        position += len(line) + 1
    paths, names = _paths(list(stacks), np.array(which, np.int64), max_depth)
    return Lines(paths, np.array(weights, np.int64), names, skipped)


def _paths(stacks: list[bytes], which: npt.NDArray[np.int64], max_depth: int) -> tuple[Paths, tuple[bytes, ...]]:
    """The paths of the lines, each of them one of the distinct stacks, and the names of the frames."""
    names: dict[bytes, int] = {}
    frames, ends = array("i"), array("q")
    for stack in stacks:
        frames.extend([names.setdefault(name, len(names)) for name in stack.split(b";")] if stack else [])
        ends.append(len(frames))
    column, stops = np.frombuffer(frames, np.int32), np.frombuffer(ends, np.int64)
    sizes = np.diff(stops, prepend=0)
    paths = paths_of_stacks_reference(column, stops, max_depth)
    truncated = int((sizes[which] > max_depth).sum())
    return replace(paths, leaf=paths.leaf[which], truncated=truncated), tuple(names)


def lines_of(data: memoryview) -> Iterator[bytes]:
    """A text line by line, without a copy of the whole; an empty last line is none."""
    pending: list[bytes] = []
    for begin in range(0, len(data), PIECE):
        first, *more = bytes(data[begin : begin + PIECE]).split(b"\n")
        pending.append(first)
        if more:
            yield b"".join(pending)
            yield from more[:-1]
            pending = more[-1:]
    if rest := b"".join(pending):
        yield rest
