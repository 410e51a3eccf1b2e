"""Colours: the label is readable on every box, and a function keeps its colour."""

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from rendering.legend import colour_legend, legend_texts
from rendering.palette import HUE_STEPS, PALETTES, Palette, PaletteName, Rgb8, Seeds, contrast
from server.edges.http.view_bytes import frames_header
from tests.conftest import FIXTURES
from traces.analysis.owners import Owner, owners
from traces.builder import TraceBuilder
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import Role

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


PAGE_COLOURS = Path(__file__).parents[2] / "web/tests/fills.json"
"""Read by the page's own test, which compares what it fills boxes with."""
TRACES = ["sample/order-service.speedscope.json.gz", "board.chrome-object.json.gz", "error-groups.pyspy.collapsed.txt"]


def test_the_page_is_compared_with_the_colours_of_pictures() -> None:
    change = np.linspace(-1, 1, 17)
    colours = {
        theme: {"fills": palette.fills().tolist(), "change": palette.change_colours(change).tolist()}
        for theme, palette in PALETTES.items()
    }
    assert json.loads(PAGE_COLOURS.read_bytes()) == colours, f"write to {PAGE_COLOURS}: {json.dumps(colours)}"


@palettes
@pytest.mark.parametrize("name", get_args(PaletteName))
@pytest.mark.parametrize("recording", TRACES)
def test_the_page_colours_a_function_as_a_picture_does(recording: str, name: PaletteName, palette: Palette) -> None:
    trace = read_trace((FIXTURES / recording).read_bytes(), name=recording)
    frames = np.arange(len(trace.frames), dtype=np.int32)
    numbers = frames_header(trace, frames, np.ones(len(frames)), name, Role.WORKER)["frames"]["colours"]
    pictured = palette.frame_colours(trace, np.ones(len(frames), np.bool_), name, Role.WORKER)
    apart = np.abs(palette.fills()[numbers].astype(int) - pictured.astype(int)).max(axis=1)
    assert apart.max() <= 40  # a shade apart, and chroma from the middle of its band
    assert np.median(apart) <= 15
    assert len(set(numbers)) > 3


@palettes
def test_greys_and_small_changes_have_the_hue_that_they_have_on_the_page(palette: Palette) -> None:
    greys = palette.colours_of(FILES, NAMES, np.ones(len(NAMES), bool)).astype(int)
    page = palette.fills()[-1].astype(int)
    assert np.ptp((greys - page), axis=1).max() <= 2  # as light or as dark, and no other tint
    change = palette.change_colours(np.array([-0.05, 0.0, 0.05, 0.4, 0.42]))
    assert len({tuple(colour) for colour in change.tolist()}) == 2  # of the page's 17 steps


@palettes
@pytest.mark.parametrize("name", ["file", "category", "package", "owner", "role"])
@pytest.mark.parametrize("recording", TRACES)
def test_a_legend_names_every_hue_in_use(recording: str, name: PaletteName, palette: Palette) -> None:
    trace = read_trace((FIXTURES / recording).read_bytes(), name=recording)
    weight = np.ones(len(trace.frames))
    colours = palette.frame_colours(trace, np.ones(len(trace.frames), np.bool_), name, Role.GC)
    hues = Seeds(trace).hues(np.arange(len(trace.frames)), name, Role.GC)
    legend = colour_legend(trace, name, weight, colours, Role.GC)
    drawn = {tuple(colour): step for colour, step in zip(colours.tolist(), hues.steps.tolist(), strict=True)}
    assert {drawn[swatch.colour] for swatch in legend} == set(hues.steps.tolist())
    assert len(legend) == len(set(hues.steps.tolist())) <= HUE_STEPS + 1
    sent = frames_header(trace, np.arange(len(trace.frames), dtype=np.int32), weight, name, Role.GC)["legend"]
    assert [text for _, text in sent] == [swatch.text for swatch in legend]


def test_own_code_libraries_and_the_runtime_have_a_hue_each() -> None:
    builder, table = TraceBuilder("owners", "test"), StackTable()
    places = {"main": "app/main.py", "get": "/venv/lib/python3.12/site-packages/requests/api.py"}
    places |= {"dumps": "/usr/lib/python3.12/json/encoder.py"}
    leaf = table.leaves([[builder.frame(name, file) for name, file in places.items()]])
    builder.add_sampled("main", table, leaf, [np.array([1_000])])
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    found = {trace.frame_name(frame): Owner(owner) for frame, owner in enumerate(owners(trace).tolist())}
    assert found == {"main": Owner.OWN, "get": Owner.LIBRARY, "dumps": Owner.RUNTIME}
    assert set(legend_texts(trace, "owner", np.ones(3))) == {"own code", "libraries", "runtime and system"}
    assert legend_texts(trace, "role", np.ones(3), Role.MAIN) == ["main thread"]
