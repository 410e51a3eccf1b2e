"""Pixels of a scene's parts: fills and hatches are where the scene says, at every density."""

import numpy as np
import pytest

from rendering.raster import rasterise
from rendering.scene import HATCH_STEP, HATCH_STRIPE, Fill, Scene

BACKGROUND, COLOUR = (255, 255, 255), (10, 20, 30)


def scene(dpr: int, *, fills: tuple[Fill, ...] = (), hatches: tuple[Fill, ...] = ()) -> Scene:
    return Scene(
        width=60, height=50, dpr=dpr, background=BACKGROUND, edge=(0, 0, 0), edge_strength=0, fills=fills, strips=(),
        marks=(), labels=(), title="", description="", hatches=hatches,
    )  # fmt: skip


@pytest.mark.parametrize("dpr", [1, 2])
def test_a_fill_covers_its_rectangle_alone(dpr: int) -> None:
    pixels = rasterise(scene(dpr, fills=(Fill(7, 5, 20, 30, COLOUR),)))
    rows, columns = np.nonzero((pixels == COLOUR).all(axis=2))
    assert (rows.min(), rows.max() + 1) == (5 * dpr, 35 * dpr)
    assert (columns.min(), columns.max() + 1) == (7 * dpr, 27 * dpr)
    assert len(rows) == 20 * 30 * dpr**2


@pytest.mark.parametrize("dpr", [1, 2])
def test_a_hatch_is_diagonal_stripes_in_its_rectangle_alone(dpr: int) -> None:
    pixels = rasterise(scene(dpr, hatches=(Fill(8, 16, 24, 32, COLOUR),)))
    drawn = (pixels == COLOUR).all(axis=2)
    rows, columns = np.nonzero(drawn)
    assert (rows.min(), rows.max() + 1) == (16 * dpr, 48 * dpr)
    assert (columns.min(), columns.max() + 1) == (8 * dpr, 32 * dpr)
    assert drawn.sum() == 24 * 32 * dpr**2 * HATCH_STRIPE // HATCH_STEP
    stripe = [k < HATCH_STRIPE * dpr for k in range(HATCH_STEP * dpr)]
    assert drawn[16 * dpr, 8 * dpr : (8 + HATCH_STEP) * dpr].tolist() == stripe
    below, shifted = (
        drawn[16 * dpr + 1 : 48 * dpr, 8 * dpr : 32 * dpr - 1],
        drawn[16 * dpr : 48 * dpr - 1, 8 * dpr + 1 : 32 * dpr],
    )
    assert (below == shifted).all()
