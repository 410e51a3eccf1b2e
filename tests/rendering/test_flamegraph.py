"""The scene of a flame chart: what stands where."""

import numpy as np
import pytest

from rendering.options import FlamegraphOptions
from rendering.sheet import Sheet
from tests.rendering.drawn import assert_drawn
from tests.rendering.test_pictures import MS, scene_of
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.stacks import StackTable


def test_that_nothing_ran_stands_in_the_first_row_behind_a_small_margin() -> None:
    builder, table = TraceBuilder("idle.txt", "collapsed"), StackTable()
    leaf = table.leaves([[builder.frame("main")], [], [builder.frame("main")]])
    builder.add_sampled("main", table, leaf, [np.array([10.0, 10, 10]) * MS])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    window = Window(12 * MS, 18 * MS)
    scene = scene_of(trace, window=window)
    (label,) = (label for label in scene.labels if label.text == "Nothing was recorded here.")
    sheet = Sheet(FlamegraphOptions(window=window), deepest=0)
    assert (label.x - sheet.left, label.baseline - sheet.top) == (4, 13)


@pytest.mark.parametrize("name", ["left_heavy", "time_order", "narrow", "rows", "focus"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
