"""From boxes to pixels: no weight is lost, whatever is merged, and the PNG holds what was drawn."""

import io
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from rendering.axis import nice_step, ticks
from rendering.kernels.cells import ONE, Cells, Scale, merge_boxes
from rendering.kernels.pixels import row_sums
from rendering.level_of_detail import label_runs
from rendering.png import encode_png
from traces.values import Unit

WIDTH = 40
PAGE_RULERS = Path(__file__).parents[3] / "web/tests/rulers.json"
"""Read by the page's own test, which draws the same rulers."""
COLOURS = np.array([[200, 30, 60], [20, 220, 90], [40, 50, 250]], np.uint8)

Row = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int32]]


def cells_of(left: npt.ArrayLike, right: npt.ArrayLike, kind: npt.ArrayLike, width: int = WIDTH) -> Cells:
    """Cells of boxes whose axis is the row itself."""
    columns = (np.asarray(left, np.float64), np.asarray(right, np.float64), np.asarray(kind, np.int32))
    (cells,), _ = merge_boxes(*columns, Scale(0, width, width), COLOURS)
    return cells


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Disjoint boxes in order, many of them under a pixel."""
    steps = draw(st.lists(st.tuples(st.floats(0, 0.7), st.floats(0.001, 3)), min_size=1, max_size=80))
    edges = np.cumsum(np.array(steps).ravel())
    edges *= WIDTH / max(WIDTH, edges[-1])
    left, right = edges[0::2], edges[1::2]
    kept = right > left
    kind = np.array(draw(st.lists(st.integers(0, 2), min_size=len(left), max_size=len(left))), np.int32)
    return left[kept], right[kept], kind[kept]


def brute_force(row: Row) -> npt.NDArray[np.float64]:
    """Colour times coverage and coverage of each pixel, box by box."""
    pixels = np.zeros((WIDTH, 4))
    for left, right, kind in zip(*row, strict=True):
        for pixel in range(WIDTH):
            overlap = max(0.0, min(right, pixel + 1) - max(left, pixel))
            pixels[pixel] += overlap * np.append(COLOURS[kind], 1)
    return pixels


@settings(max_examples=40)
@given(rows())
def test_every_pixel_is_the_sum_of_what_lies_in_it(row: Row) -> None:
    sums = row_sums(cells_of(*row), WIDTH) / ONE

    np.testing.assert_allclose(sums, brute_force(row), atol=1e-4)


@given(rows())
def test_cells_carry_all_the_weight_and_all_the_boxes(row: Row) -> None:
    left, right, _ = row

    cells = cells_of(*row)

    assert cells.weight.sum() / ONE == pytest.approx((right - left).sum())
    assert cells.count.sum() == len(left)
    assert (cells.left[1:] >= cells.right[:-1]).all()
    assert (cells.own <= cells.weight).all()


@given(rows())
def test_runs_are_in_order_and_never_overlap(row: Row) -> None:
    runs = label_runs(cells_of(*row), 0)

    assert (runs.left[1:] >= runs.right[:-1]).all()


def test_a_million_boxes_in_one_row_become_at_most_two_cells_a_pixel() -> None:
    edges = np.linspace(0, WIDTH, 1_000_001)

    cells = cells_of(edges[:-1], edges[1:], np.zeros(1_000_000, np.int32))

    assert len(cells) <= 2 * WIDTH
    np.testing.assert_array_equal(row_sums(cells, WIDTH)[:, 3], ONE)
    np.testing.assert_array_equal(row_sums(cells, WIDTH)[:, :3] // ONE, np.tile(COLOURS[0], (WIDTH, 1)))


def test_a_million_boxes_in_one_pixel_keep_their_average_colour() -> None:
    left = np.linspace(3, 4, 1_000_001)[:-1]
    width = np.tile([0.4, 1.6], 500_000) * 1e-6  # a fifth of the first kind, four fifths of the second
    left = 3 + np.cumsum(width) - width

    cells = cells_of(left, left + width, np.tile([0, 1], 500_000))
    pixel = row_sums(cells, WIDTH)[3] / ONE

    np.testing.assert_allclose(pixel, [*(0.2 * COLOURS[0] + 0.8 * COLOURS[1]), 1], atol=0.05)
    assert cells.kind[np.argmax(cells.count)] == 1


def test_slivers_of_another_function_do_not_hide_a_name() -> None:
    runs = label_runs(cells_of([0, 10, 10.3, 20, 20.3], [10, 10.3, 20, 20.3, 30], [0, 1, 0, 1, 2]), 3)

    assert runs.kind.tolist() == [0, 0, 2]


def test_many_narrow_boxes_of_one_function_read_as_one() -> None:
    left = np.arange(30.0)

    runs = label_runs(cells_of(left, left + 0.6, np.zeros(30)), 3)

    assert runs.left.tolist() == [0]
    assert runs.right[0] / ONE == pytest.approx(29.6)


def test_wide_neighbours_of_one_function_stay_apart() -> None:
    runs = label_runs(cells_of([0, 10], [10, 20], [0, 0]), 3)

    assert (runs.left // ONE).tolist() == [0, 10]


def test_a_label_never_names_a_minority() -> None:
    left = np.arange(0, 30, 0.5)

    assert len(label_runs(cells_of(left, left + 0.5, np.tile([0, 1], 30)), 3)) == 0


def test_boxes_that_overlap_are_refused() -> None:
    many = np.full(200, 0.5)

    with pytest.raises(ValueError, match="overlap"):
        cells_of(many, many + 5, np.zeros(200))


@pytest.mark.parametrize("shape", [(1, 1, 3), (257, 31, 3), (600, 5, 3)])
def test_the_png_holds_every_pixel(shape: tuple[int, int, int]) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)

    decoded = np.asarray(Image.open(io.BytesIO(encode_png(pixels))))

    np.testing.assert_array_equal(decoded, pixels)


def test_repeated_lines_cost_next_to_nothing() -> None:
    line = np.random.default_rng(3).integers(0, 256, (1, 1_000, 3), dtype=np.uint8)

    assert len(encode_png(np.repeat(line, 500, axis=0))) < 500 * line.nbytes / 100


@given(st.floats(1e-9, 1e15))
def test_steps_are_one_two_or_five(least: float) -> None:
    step = nice_step(least)

    assert least * (1 - 1e-6) <= step <= 5 * least
    assert round(float(f"{step:e}".split("e")[0]), 6) in {1, 2, 5}


@pytest.mark.parametrize(("start", "end", "unit", "texts"), json.loads(PAGE_RULERS.read_text(encoding="utf-8")))
def test_ticks_are_labelled_in_the_unit_of_the_trace_as_on_the_page(
    start: float, end: float, unit: str, texts: list[str]
) -> None:
    assert [tick.text for tick in ticks(start, end, zero=0, unit=Unit(unit), pixels=700)] == texts
