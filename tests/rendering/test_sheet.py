"""The places of a picture's texts: none lies over another."""

from itertools import pairwise

from rendering.options import FlamegraphOptions
from rendering.sheet import Sheet


def test_title_and_subtitle_stand_above_the_chart_a_line_apart() -> None:
    sheet = Sheet(FlamegraphOptions(), deepest=9)
    title, subtitle = sheet.header("a title", "what it shows")
    assert (title.text, subtitle.text) == ("a title", "what it shows")
    assert title.x == subtitle.x
    assert (title.baseline, subtitle.baseline) == (17, 33)
    assert subtitle.baseline < sheet.top


def test_the_first_and_every_fifth_row_is_numbered() -> None:
    sheet = Sheet(FlamegraphOptions(), deepest=20)
    labels = sheet.depth_axis(range(3, 17), sheet.top)
    assert [label.text for label in labels] == ["3", "5", "10", "15"]
    assert [below.baseline - above.baseline for above, below in pairwise(labels)] == [2 * 18, 5 * 18, 5 * 18]
    assert [label.text for label in sheet.depth_axis(range(4, 7), sheet.top)] == ["5"]
