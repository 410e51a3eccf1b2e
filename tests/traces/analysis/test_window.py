"""Which spans have a moment in a window."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.window import Window, node_values, spans_near
from traces.builder import TraceBuilder
from traces.nesting import nest_slices

slices = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)), min_size=1, max_size=30)


@given(slices, st.floats(-3, 60), st.floats(0.01, 30))
def test_spans_near_a_window_are_those_with_a_moment_in_it(
    rows: list[tuple[int, int]], low: float, width: float
) -> None:
    start = np.array([begin for begin, _ in rows], np.int64)
    end = start + np.array([length for _, length in rows], np.int64)
    builder = TraceBuilder("rows", "trace-event")
    frame = np.full(len(rows), builder.frame("work"), np.int32)
    builder.add_evented("main", nest_slices(start, end, frame))
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    spans = trace.profiles[0].spans
    assert spans is not None
    window = Window(low, low + width)
    inside = (spans.start < window.end) & (
        (spans.end > window.start) | ((spans.start == spans.end) & (spans.start >= window.start))
    )
    np.testing.assert_array_equal(spans_near(spans, window).rows, np.flatnonzero(inside))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15), st.integers(0, 2)), min_size=1, max_size=30),
    st.floats(-3, 60),
    st.floats(0.01, 30),
    st.sampled_from([0, 1 << 55]),
)
def test_nodes_have_what_their_spans_spend_inside_a_window(
    rows: list[tuple[int, int, int]], low: float, width: float, long: int
) -> None:
    builder = TraceBuilder("rows", "trace-event")
    frames = np.array([builder.frame(name) for name in "abc"], np.int32)
    start, length, frame = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    length[0] += long  # so much that no float holds it with the others
    builder.add_evented("main", nest_slices(start, start + length, frames[frame]))
    profile = builder.build(content_key="0" * 64, source_bytes=1).profiles[0]
    spans, tree = profile.spans, profile.tree
    assert spans is not None
    window = Window(low, low + width + long)
    first, last = int(np.floor(window.start)), int(np.ceil(window.end))
    expected = np.zeros((3, len(tree)), np.int64)  # self, total and calls
    for begin, end, node in zip(spans.start.tolist(), spans.end.tolist(), spans.node.tolist(), strict=True):
        inside = min(end, last) - max(begin, first)
        if inside > 0:
            expected[:, node] += inside, inside, 1
            if tree.parent[node] >= 0:
                expected[0, tree.parent[node]] -= inside
        elif begin == end and window.start <= begin < window.end:
            expected[2, node] += 1
    values = node_values(profile, window)
    np.testing.assert_array_equal((values.self_value, values.total_value, values.count), expected)
