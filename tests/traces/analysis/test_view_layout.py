"""Samples in a row as boxes: beside a walk from sample to sample."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.view_layout import time_order
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.stacks import StackTable

STACKS: tuple[tuple[int, ...], ...] = ((), (0,), (0, 1), (0, 1, 0), (0, 1, 2), (0, 2), (1,), (1, 0))
"""Frames from the outermost in; the empty one is idle."""

samples = st.lists(st.tuples(st.sampled_from(STACKS), st.integers(0, 5)), min_size=1, max_size=25)


@given(samples, st.floats(-2, 60), st.floats(0.01, 40))
def test_boxes_of_samples_last_as_long_as_the_same_call_stays_on_the_stack(
    rows: list[tuple[tuple[int, ...], int]], low: float, width: float
) -> None:
    builder = TraceBuilder("rows", "speedscope")
    frames = [builder.frame(name) for name in ("a", "b", "c")]
    table = StackTable()
    leaves = table.leaves([frames[place] for place in stack] for stack, _ in rows)
    lasting = np.array([length for _, length in rows], np.int64)
    builder.add_sampled("main", table, leaves, [lasting], time=np.cumsum(lasting) - lasting)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    window = Window(low, low + width)
    expected: list[tuple[int, float, float, int]] = []
    open_boxes: list[tuple[int, float]] = []  # frame and start, by depth
    now, until = 0, 0.0
    first, last = int(np.floor(low)), int(np.ceil(low + width))
    for stack, length in [*rows, ((), 1)]:
        begin, end = max(now, first), min(now + length, last)
        now += length
        outside = end <= begin or now <= low or now - length >= low + width
        if length == 0 or (stack and outside):  # what lasts no time neither draws a box nor ends one
            continue
        shared = 0
        for (frame, _), target in zip(open_boxes, stack, strict=False):
            if frame != target or begin > until:
                break
            shared += 1
        expected += [(d, s, until, f) for d, (f, s) in enumerate(open_boxes) if d >= shared]
        open_boxes = open_boxes[:shared] + [(frame, float(begin)) for frame in stack[shared:]]
        until = float(end)
    boxes = time_order(trace, window=window).boxes
    depth = np.repeat(np.arange(boxes.depth_count), np.diff(boxes.row_offsets))
    names = ["abc".index(trace.frame_names[number]) for number in boxes.frame]  # frames that no sample has are gone
    found = zip(depth.tolist(), boxes.start.tolist(), boxes.end.tolist(), names, strict=True)
    assert list(found) == sorted(expected)
