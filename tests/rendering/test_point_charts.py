"""Charts of named values are pictures of their values, whatever the names are."""

import io
from typing import get_args

import numpy as np
import pytest
from PIL import Image

from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.palette import PALETTES
from rendering.point_charts import Kind, Point, PointChart, render_points

OPTIONS = SheetOptions(width=600, height=300)
HIGHLIGHT = np.array(PALETTES["light"].highlight)


def filled(chart: PointChart) -> int:
    """Pixels in the colour of what is drawn."""
    pixels = np.asarray(Image.open(io.BytesIO(render_points(chart, "t", OPTIONS).png)).convert("RGB")).astype(int)
    return int((np.abs(pixels - HIGHLIGHT).sum(axis=2) < 12).sum())


def points(*values: float) -> tuple[Point, ...]:
    return tuple(Point(f"c{place}", value) for place, value in enumerate(values))


def test_bars_are_as_long_as_their_values() -> None:
    hundred, half = (filled(PointChart("bars", "count", points(100, value))) for value in (100, 50))
    assert 0.7 < half / hundred < 0.8


def test_a_grid_is_filled_where_something_is_there() -> None:
    none, two, four = (
        filled(PointChart("grid", "count", points(*flags))) for flags in ((0,) * 4, (0, 1, 1, 0), (1,) * 4)
    )
    assert none == 0
    assert 0.45 < two / four < 0.55


def test_a_line_says_its_ends() -> None:
    chart = PointChart("line", "nanoseconds", points(212e6, 305e6))
    drawn = render_points(chart, "matchTrades", OPTIONS)
    assert filled(chart) > 100
    assert drawn.description == "2 values from 212 ms to 305 ms; c0 212 ms, c1 305 ms."
    assert Image.open(io.BytesIO(drawn.png)).size == (600, 300)


def test_steps_say_how_many_arrive() -> None:
    drawn = render_points(PointChart("steps", "calls", points(8, 6, 3)), "t", OPTIONS)
    assert drawn.description.endswith("c0 8, c2 3.")


@pytest.mark.parametrize("kind", get_args(Kind))
def test_names_with_signs_of_formulas_and_one_point_are_drawn(kind: Kind) -> None:
    for count in (1, 400):
        chart = PointChart(kind, "share", tuple(Point("a $x^2$ \\alpha{ 関数\n" * 9, 0.0) for _ in range(count)))
        assert render_points(chart, "$x_", OPTIONS).png[:4] == b"\x89PNG"


def test_nothing_is_no_chart() -> None:
    with pytest.raises(InvalidOption, match="points"):
        render_points(PointChart("bars", "count", ()), "t", OPTIONS)
