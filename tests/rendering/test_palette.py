"""Colours: the label is readable on every box, and a function keeps its colour."""

from typing import get_args

import numpy as np
import pytest

from rendering.palette import PALETTES, Palette, PaletteName, Rgb8, contrast

READABLE = 4.5
NAMES = np.random.default_rng(7).integers(0, 2**32, 4_000, dtype=np.uint32)
FILES = np.random.default_rng(8).integers(0, 2**32, 4_000, dtype=np.uint32)

palettes = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())


def box_colours(palette: Palette) -> Rgb8:
    """Of every palette, with grey frames and a diff's changes."""
    one_kind = [
        palette.colours_of(FILES, NAMES, np.full(len(NAMES), neutral), name)
        for name in get_args(PaletteName)
        for neutral in (False, True)
    ]
    return np.concatenate((*one_kind, palette.change_colours(np.linspace(-1, 1, 201))))


@palettes
def test_labels_keep_their_contrast_on_every_box(palette: Palette) -> None:
    assert contrast(box_colours(palette), palette.label).min() >= READABLE
    assert contrast(palette.highlight, palette.label) >= READABLE


@palettes
@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.9])
def test_labels_keep_their_contrast_on_boxes_blended_with_the_background(palette: Palette, coverage: float) -> None:
    blended = box_colours(palette) * coverage + np.array(palette.background) * (1 - coverage)

    assert contrast(blended, palette.label).min() >= READABLE


@palettes
def test_labels_keep_their_contrast_on_boxes_blended_with_each_other(palette: Palette) -> None:
    colours = box_colours(palette)

    assert contrast((colours.astype(float) + colours[::-1]) / 2, palette.label).min() >= READABLE


@palettes
def test_labels_of_dimmed_boxes_keep_their_contrast(palette: Palette) -> None:
    assert contrast(palette.dimmed(box_colours(palette)), palette.dim_label).min() >= READABLE


@palettes
def test_the_text_around_the_chart_keeps_its_contrast(palette: Palette) -> None:
    assert contrast(palette.ink, palette.background) >= READABLE
    assert contrast(palette.muted, palette.background) >= READABLE


@palettes
def test_highlighted_boxes_stand_out_from_dimmed_ones(palette: Palette) -> None:
    distance = np.abs(palette.dimmed(box_colours(palette)).astype(int) - np.array(palette.highlight)).max(axis=1)

    assert distance.min() > 60


@palettes
def test_boxes_can_be_distinguished_from_the_background(palette: Palette) -> None:
    assert np.abs(box_colours(palette).astype(int) - np.array(palette.background)).max(axis=1).min() > 40


def test_functions_of_one_file_are_closer_in_hue_than_functions_of_others() -> None:
    same = PALETTES["light"].colours_of(np.full(50, 3, np.uint32), NAMES[:50], np.zeros(50, bool))
    others = PALETTES["light"].colours_of(FILES[:50], NAMES[:50], np.zeros(50, bool))

    assert same.std(axis=0).sum() < others.std(axis=0).sum() / 2


@palettes
def test_growth_is_red_shrinkage_blue_and_no_change_grey(palette: Palette) -> None:
    gone, same, new = palette.change_colours(np.array([-1.0, 0.0, 1.0])).astype(int)

    assert gone[2] > gone[0] + 40
    assert new[0] > new[2] + 40
    assert np.ptp(same) < 12


@palettes
def test_the_safe_palette_differs_where_red_and_green_do_not(palette: Palette) -> None:
    colours = palette.colours_of(FILES, NAMES, np.zeros(len(NAMES), bool), "safe").astype(int)

    blue_over_red = colours[:, 2] - colours[:, 0]

    assert (np.abs(blue_over_red) > 15).all()
    assert 0.4 < (blue_over_red > 0).mean() < 0.6
