"""Which spans have a moment in a window."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.window import Window, spans_near
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
    trace = builder.build(sha256="0" * 64, source_bytes=1)
    spans = trace.profiles[0].spans
    assert spans is not None
    window = Window(low, low + width)
    inside = (spans.start < window.end) & (
        (spans.end > window.start) | ((spans.start == spans.end) & (spans.start >= window.start))
    )
    np.testing.assert_array_equal(spans_near(spans, window).rows, np.flatnonzero(inside))
