"""What a chart shows, in words: a row's widest boxes."""

import numpy as np
import pytest

from rendering.description import heaviest_in_row
from rendering.rows import BoxRows
from tests.rendering.drawn import assert_drawn
from tests.rendering.test_pictures import trace_of


def test_the_widest_boxes_of_a_row_come_first_with_their_shares() -> None:
    trace = trace_of([(f"main;f{k}", 1) for k in range(9)])
    widths = np.array([10.0, 1, 3, 2, 1, 1, 1, 1])
    starts = np.concatenate(([0.0], np.cumsum(widths[1:]) - widths[1:]))
    rows = BoxRows(starts, starts + widths, np.arange(8, dtype=np.int32), np.array([0, 1, 8]))
    assert heaviest_in_row(trace, rows, 0, 10) == "main [f0] 100.0%"
    assert heaviest_in_row(trace, rows, 1, 10) == (
        "f1 [f2] 30.0%, f2 [f3] 20.0%, f0 [f1] 10.0%, f3 [f4] 10.0%, f4 [f5] 10.0%, f5 [f6] 10.0%"
    )
    assert heaviest_in_row(trace, rows, 2, 10) == heaviest_in_row(trace, rows, 0, 0) == ""


@pytest.mark.parametrize("name", ["left_heavy", "time_order", "rows"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
