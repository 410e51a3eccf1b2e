"""Random programs for the laws of pictures: stacks with weights, as samples or as spans."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from rendering.kernels.cells import ONE
from rendering.scene import Scene, Strip
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable

Stack = tuple[str, ...]
Program = list[tuple[Stack, int]]
"""What ran, in order, and for how long."""

programs = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(tuple), st.integers(1, 9)),
    min_size=1,
    max_size=12,
)


def sampled(program: Program, name: str = "random") -> Trace:
    """The program as samples."""
    builder, table = TraceBuilder(name, "test"), StackTable()
    leaf = table.leaves([[builder.frame(frame) for frame in stack] for stack, _ in program])
    builder.add_sampled("main", table, leaf, [np.array([weight * 1_000 for _, weight in program])])
    return builder.build(content_key="0" * 64, source_bytes=1)


def evented(program: Program, name: str = "random") -> Trace:
    """The program as spans: neighbours with the same calls share them."""
    builder = TraceBuilder(name, "test")
    slices: list[tuple[int, int, int]] = []
    open_: list[tuple[str, int]] = []
    now = 0
    for stack, weight in [*program, ((), 0)]:
        shared = 0
        while shared < min(len(stack), len(open_)) and stack[shared] == open_[shared][0]:
            shared += 1
        slices += [(begin, now, builder.frame(frame)) for frame, begin in open_[shared:]]
        open_ = open_[:shared] + [(frame, now) for frame in stack[shared:]]
        now += weight * 1_000
    slices.sort(key=lambda one: (one[0], -one[1]))
    start, end, frame = (np.array(column) for column in zip(*slices, strict=True))
    builder.add_evented("main", nest_slices(start.astype(np.int64), end.astype(np.int64), frame.astype(np.int32)))
    return builder.build(content_key="0" * 64, source_bytes=1)


def merged(stacks: Sequence[tuple[Stack, int]]) -> dict[Stack, int]:
    """The weight of every path, by brute force."""
    weights: dict[Stack, int] = defaultdict(int)
    for stack, weight in stacks:
        for depth in range(1, len(stack) + 1):
            weights[stack[:depth]] += weight * 1_000
    return dict(weights)


Box = tuple[float, float, int]
"""Left and right in parts of the row, and kind."""


def boxes_of(strip: Strip, dpr: int = 1) -> list[Box]:
    cells = strip.cells
    assert (cells.count == 1).all(), "the picture is too narrow for this test"
    width = strip.width * dpr * ONE
    columns = (cells.left.tolist(), cells.right.tolist(), cells.kind.tolist())
    return [(left / width, right / width, kind) for left, right, kind in zip(*columns, strict=True)]


def rows_of(scene: Scene) -> list[list[Box]]:
    """The boxes of the chart's rows from the top."""
    return [boxes_of(strip) for strip in scene.strips]


def paths_of(rows: list[list[Box]], trace: Trace) -> list[tuple[Stack, float]]:
    """Path and width of every box of rows that grow downwards: its parent is the box above that holds it. Fails where
    a box has none, leaves it, or overlaps another."""
    found: list[tuple[Stack, float]] = []
    above: list[tuple[float, float, Stack]] = [(0.0, 1.0, ())]
    for row in rows:
        here: list[tuple[float, float, Stack]] = []
        for left, right, kind in row:
            assert left < right
            assert not here or here[-1][1] <= left
            (path,) = [path for low, high, path in above if low <= left and right <= high]
            here.append((left, right, (*path, trace.frame_name(kind))))
        found += [(path, right - left) for left, right, path in here]
        above = here
    return found
