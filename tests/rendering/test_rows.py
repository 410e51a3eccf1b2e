"""Rows of boxes and of spans, and every so many-th of them."""

import numpy as np
import pytest

from rendering.rows import BoxRows, SpanRows, rows_of_spans, thinned
from tests.rendering.drawn import assert_drawn
from tests.traces.insights.recorded import MS, timeline
from traces.analysis.window import Window

BOXES = BoxRows(
    np.array([0.0, 0, 5, 1, 6, 2]),
    np.array([9.0, 4, 9, 2, 7, 3]),
    np.arange(6, dtype=np.int32),
    np.array([0, 1, 3, 5, 6]),
)


@pytest.mark.parametrize(
    ("every", "kinds", "offsets"),
    [(1, [0, 1, 2, 3, 4, 5], [0, 1, 3, 5, 6]), (2, [0, 3, 4], [0, 1, 3]), (3, [0, 5], [0, 1, 2]), (9, [0], [0, 1])],
)
def test_every_so_many_th_row_of_boxes_stays(every: int, kinds: list[int], offsets: list[int]) -> None:
    rows = thinned(BOXES, every)
    assert isinstance(rows, BoxRows)
    assert rows.kind.tolist() == kinds
    assert rows.row_offsets.tolist()[: len(offsets)] == offsets
    assert rows.start.tolist() == BOXES.start[kinds].tolist()


def span_rows(window: Window | None = None) -> SpanRows:
    trace = timeline([("a", 0, 100), ("b", 10, 90), ("c", 20, 40), ("d", 25, 30)])
    profile = trace.profiles[0]
    assert profile.spans is not None
    tree = profile.tree
    return rows_of_spans(profile.spans, tree.depth, tree.frame, tree.total_values[0], window)


@pytest.mark.parametrize(
    ("every", "row", "count"), [(1, [0, 1, 2, 3], 4), (2, [0, -1, 1, -1], 2), (3, [0, -1, -1, 1], 2)]
)
def test_every_so_many_th_row_of_spans_stays(every: int, row: list[int], count: int) -> None:
    rows = thinned(span_rows(), every)
    assert isinstance(rows, SpanRows)
    assert (rows.node_row.tolist(), rows.depth_count) == (row, count)


@pytest.mark.parametrize(
    ("start", "end", "count"), [(0, 100, 4), (0, 20, 2), (0, 21, 3), (30, 40, 3), (29, 40, 4), (40, 95, 2), (90, 95, 1)]
)
def test_a_window_has_the_rows_that_run_in_it(start: float, end: float, count: int) -> None:
    assert span_rows(Window(start * MS, end * MS)).depth_count == count


@pytest.mark.parametrize("name", ["rows", "narrow"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
