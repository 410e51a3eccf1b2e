"""Colours: the label is readable on every box, and a function keeps its colour."""

import numpy as np
import pytest

from rendering.palette import PALETTES, Colours, Palette, contrast

READABLE = 4.5
NAMES = np.random.default_rng(7).integers(0, 2**32, 4_000, dtype=np.uint32)
FILES = np.random.default_rng(8).integers(0, 2**32, 4_000, dtype=np.uint32)

palettes = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())


def box_colours(palette: Palette) -> Colours:
    plain = palette.colours_of(FILES, NAMES, np.zeros(len(NAMES), bool))
    neutral = palette.colours_of(FILES, NAMES, np.ones(len(NAMES), bool))
    return np.concatenate((plain, neutral))


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

    assert contrast((colours + colours[::-1]) / 2, palette.label).min() >= READABLE


@palettes
def test_labels_of_dimmed_boxes_keep_their_contrast(palette: Palette) -> None:
    assert contrast(palette.dimmed(box_colours(palette)), palette.dim_label).min() >= READABLE


@palettes
def test_the_text_around_the_chart_keeps_its_contrast(palette: Palette) -> None:
    assert contrast(palette.ink, palette.background) >= READABLE
    assert contrast(palette.muted, palette.background) >= READABLE


@palettes
def test_highlighted_boxes_stand_out_from_dimmed_ones(palette: Palette) -> None:
    distance = np.abs(palette.dimmed(box_colours(palette)) - np.array(palette.highlight)).max(axis=1)

    assert distance.min() > 60


@palettes
def test_boxes_can_be_told_from_the_background(palette: Palette) -> None:
    assert np.abs(box_colours(palette) - np.array(palette.background)).max(axis=1).min() > 40


def test_functions_of_one_file_are_closer_in_hue_than_functions_of_others() -> None:
    same = PALETTES["light"].colours_of(np.full(50, 3, np.uint32), NAMES[:50], np.zeros(50, bool))
    others = PALETTES["light"].colours_of(FILES[:50], NAMES[:50], np.zeros(50, bool))

    assert same.std(axis=0).sum() < others.std(axis=0).sum() / 2
