"""Collapsed stacks, `outer;inner weight` a line, as call paths. In C: lines.c.

A space or tabs stand before a weight, which may have decimals: what flamegraph.pl takes
(https://github.com/brendangregg/FlameGraph/blob/master/flamegraph.pl).
"""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer, ReadCounter, advance, counted_in
from traces.kernels.library import REASONS, NamesStruct, NotReadable, Outcome, call, kernels, raise_for, take
from traces.kernels.texts import Texts, joined
from traces.kernels.trees import Paths, TreeStruct, Trie

MAX_WEIGHT_DIGITS = 15
COMMENT = b"#"
SPACE = b" \t\n\v\f\r"
LINE = re.compile(rb"(?:(.*)[ \t])?(\d+)(?:\.(\d*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lines:
    """`paths.leaf` and `weight` have a row a stack; `names` are the frames' texts. A stack may be
    empty: leaf -1. `skipped` lines had no weight, or 0; blank lines and comments (`#`) are not counted."""

    paths: Paths
    weight: npt.NDArray[np.float64]
    names: Texts
    skipped: int


def scan_lines(data: Buffer, max_depth: int, counter: ReadCounter | None = None) -> Lines:
    """All stacks of a text; `counter` is advanced line by line. Raises NotReadable for more than 15
    digits before a weight's point; of more in all, those behind are left out."""
    library = kernels()
    if library is None:
        return scan_lines_reference(data, max_depth, counter)
    source = np.frombuffer(data, np.uint8)
    lines = _LinesStruct()
    lines.tree.max_depth = max_depth
    try:
        raise_for(call(library.scan_lines, source, len(source), counted_in(counter), lines), lines.fault_at)
        leaf = take(library, lines, "leaf", lines.count, np.int32)
        weight = take(library, lines, "weight", lines.count, np.float64)
        return Lines(lines.tree.paths(library, leaf), weight, _names(library, lines, source), lines.skipped)
    finally:
        call(library.forget_lines, lines)


def _names(library: ctypes.CDLL, lines: "_LinesStruct", source: npt.NDArray[np.uint8]) -> Texts:
    """The names, whose offsets in the source become those of the texts: a column less."""
    arena = np.empty(lines.name_bytes, np.uint8)
    raise_for(call(library.join_names, source, lines, arena), 0)
    return Texts(arena, take(library, lines.names, "offset", lines.names.count + 1, np.int64))


class _LinesStruct(ctypes.Structure):
    _fields_ = (
        ("tree", TreeStruct),
        ("names", NamesStruct),
        ("leaf", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        *(
            (name, ctypes.c_int64)
            for name in ("leaf_room", "weight_room", "count", "skipped", "fault_at", "name_bytes")
        ),
    )


def scan_lines_reference(data: Buffer, max_depth: int, counter: ReadCounter | None = None) -> Lines:
    """The same, a line at a time."""
    trie = Trie(max_depth)
    names: dict[bytes, int] = {}
    leaves: list[int] = []
    weights: list[float] = []
    skipped = truncated = position = 0
    for line in lines_of(data):
        advance(counter, position)
        said = LINE.fullmatch(line.rstrip(b" \t\r"))
        if line[:1] == COMMENT or said is None:
            skipped += line[:1] != COMMENT and bool(line.strip(SPACE))
        elif len(said[2]) > MAX_WEIGHT_DIGITS:
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], position + said.start(2))
        else:
            decimals = (said[3] or b"")[: MAX_WEIGHT_DIGITS - len(said[2])]
            weight = int(said[2] + decimals) / 10 ** len(decimals)
            stack = (said[1] or b"").rstrip(b"\t")
            if weight:
                frames = [names.setdefault(name, len(names)) for name in stack.split(b";")] if stack else []
                leaves.append(trie.leaf(frames))
                weights.append(weight)
                truncated += len(frames) > max_depth
            else:
                skipped += 1
        position += len(line) + 1
    return Lines(
        replace(trie.paths(leaves), truncated=truncated), np.array(weights, np.float64), joined(tuple(names)), skipped
    )


def lines_of(data: Buffer) -> Iterator[bytes]:
    """A text line by line, without their newlines; an empty last line is none."""
    for line in BytesIO(data):
        yield line.removesuffix(b"\n")
