"""The places of a picture's texts: none lies over another."""

from itertools import pairwise

import pytest

from rendering.options import FlamegraphOptions
from rendering.sheet import Sheet, Swatch
from rendering.text import typeface
from tests.rendering.drawn import assert_drawn


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


def test_a_legend_shortens_names_and_not_how_many_others_there_are() -> None:
    name = "-[UIStatusBarForegroundView setStatusBarData:actions:animated:withTransition:]"
    texts = [
        "short.py and 3 more",
        f"{name} and 1,204 more",
        "a::b::compute(std::vector<int> const&, unsigned long)",
        name,
    ]
    sheet = Sheet(FlamegraphOptions(legend=True), deepest=9, legend=texts)
    _, labels = sheet.legend([Swatch((1, 2, 3), text) for text in texts], 100)
    short, several, arguments, alone = [label.text for label in labels]
    assert (short, arguments) == (texts[0], "a::b::compute(…)")
    assert several.endswith(" and 1,204 more")
    assert several[:15] == alone[:15] == name[:15]
    assert "…" in several.removesuffix(" and 1,204 more")
    assert all(typeface("small").width(text) <= 260 for text in (short, several, arguments, alone))


def test_an_entry_of_a_narrow_legend_has_room_for_something() -> None:
    sheet = Sheet(FlamegraphOptions(legend=True, width=100), deepest=9, legend=["function_with_a_name and 12 more"])
    (label,) = sheet.legend([Swatch((1, 2, 3), "function_with_a_name and 12 more")], 100)[1]
    assert label.text.startswith("func")


@pytest.mark.parametrize("name", ["narrow", "left_heavy", "rows"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
