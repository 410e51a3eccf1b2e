"""Collapsed stacks, `outer;inner weight` a line, as call paths. In C: lines.c."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, Buffer, NamesStruct, NotReadable, Outcome, call, kernels, raise_for, take
from traces.kernels.trees import Paths, TreeStruct, Trie

MAX_WEIGHT_DIGITS = 15
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
    text = bytes(data)
    walk = _Walk(max_depth)
    leaves: list[int] = []
    weights: list[int] = []
    skipped = position = 0
    for line in _lines(text):
        stack, _, weight = line.rstrip(b"\r").rpartition(b" ")
        if not weight.isdigit() or line[0] == COMMENT:
            skipped += bool(line.strip(SPACE)) and line[0] != COMMENT
        elif len(weight) > MAX_WEIGHT_DIGITS:
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], position + len(line.rstrip(b"\r")) - len(weight))
        elif not int(weight):
            skipped += 1
        else:
            weights.append(int(weight))
            leaves.append(walk.leaf(stack) if stack else -1)
        position += len(line) + 1
    return Lines(walk.trie.paths(leaves), np.array(weights, np.int64), tuple(walk.names), skipped)


class _Walk:
    """The stacks of a text: looked up where they were met before, else walked from what they share with the last."""

    def __init__(self, max_depth: int) -> None:
        self.trie = Trie(max_depth)
        self.names: dict[bytes, int] = {}
        self._known: dict[bytes, int] = {}
        self._last = b""
        self._path: list[bytes] = []
        self._nodes: list[int] = []
        self._current = True  # whether `_path` and `_nodes` are those of `_last`

    def leaf(self, stack: bytes) -> int:
        """The leaf of a stack."""
        leaf = self._known.get(stack)
        # Where paths are cut, each walk counts.
        if leaf is None or (self.trie.truncated and stack != self._last):
            if not self._current:
                self._walk(self._last)
            leaf = self._known[stack] = self._walk(stack)
            self._current = True
        else:
            self._current = self._current and stack == self._last
        self._last = stack
        return leaf

    def _walk(self, stack: bytes) -> int:
        frames, path, nodes = stack.split(b";"), self._path, self._nodes
        shared = min(len(frames), len(path))
        if path[:shared] != frames[:shared]:
            shared = next(i for i, (old, new) in enumerate(zip(path, frames, strict=False)) if old != new)
        del nodes[shared:]
        leaf = nodes[-1] if nodes else -1
        for name in frames[shared:]:
            leaf = self.trie.child(leaf, self.names.setdefault(name, len(self.names)))
            nodes.append(leaf)
        self._path = frames
        return leaf


def _lines(text: bytes) -> Iterator[bytes]:
    begin = 0
    while (end := text.find(b"\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    if begin < len(text):
        yield text[begin:]
