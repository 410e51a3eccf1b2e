"""Collapsed stacks, `outer;inner weight` a line, as call paths. In C: lines.c."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, Buffer, NamesStruct, NotReadable, Outcome, call, kernels, raise_for, take
from traces.kernels.trees import Paths, TreeStruct, Trie

MAX_WEIGHT_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Lines:
    """`paths.leaf` and `weight` have a row a stack; `names` are the frames' texts. `skipped` lines held no stack and
    weight; blank lines and comments (`#`) are not counted."""

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
    text = bytes(data)
    trie = Trie(max_depth)
    names: dict[bytes, int] = {}
    leaves: list[int] = []
    weights: list[int] = []
    skipped = position = 0
    path: list[bytes] = []
    nodes: list[int] = []
    known: dict[bytes, int] = {}
    for line in _lines(text):
        stack, _, weight = line.rstrip(b"\r").rpartition(b" ")
        if not stack or not weight.isdigit() or stack[0] == 0x23:
            skipped += bool(line.strip(b" \t\n\v\f\r")) and line[0] != 0x23
        elif len(weight) > MAX_WEIGHT_DIGITS:
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], position + len(stack) + 1)
        else:
            leaf = known.get(stack)
            # A path that was cut counts as cut each time it is walked again.
            if leaf is None or trie.truncated:
                frames = stack.split(b";")
                shared = min(len(frames), len(path))
                if path[:shared] != frames[:shared]:
                    shared = next(i for i, (old, new) in enumerate(zip(path, frames, strict=False)) if old != new)
                del nodes[shared:]
                leaf = nodes[-1] if nodes else -1
                for name in frames[shared:]:
                    leaf = trie.child(leaf, names.setdefault(name, len(names)))
                    nodes.append(leaf)
                path = frames
                known[stack] = leaf
            leaves.append(leaf)
            weights.append(int(weight))
        position += len(line) + 1
    return Lines(trie.paths(leaves), np.array(weights, np.int64), tuple(names), skipped)


def _lines(text: bytes) -> Iterator[bytes]:
    begin = 0
    while (end := text.find(b"\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    if begin < len(text):
        yield text[begin:]
