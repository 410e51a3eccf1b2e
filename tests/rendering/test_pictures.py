"""Complete pictures: what is drawn is the trace, what is cut is noted, what cannot be drawn is refused."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from rendering.errors import InvalidOption
from rendering.flamegraph import flamegraph_scene, lay_out, render_flamegraph
from rendering.kernels.cells import ONE
from rendering.options import FlamegraphOptions, SandwichOptions
from rendering.palette import PALETTES
from rendering.picture import Picture
from rendering.raster import rasterise
from rendering.rows import BoxRows
from rendering.sandwich import render_sandwich
from rendering.scene import Scene
from rendering.text import typeface
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable

GOLDEN = Path(__file__).parent / "golden"
MS = 1_000_000

SERVER = [
    ("main;handle;app.json.parse", 30),
    ("main;handle;app.templates.render;escape", 20),
    ("main;handle;app.json.parse", 10),
    ("main;idle_wait", 15),
    ("main;handle;app.templates.render;app.json.parse", 5),
]


def trace_of(stacks: Sequence[tuple[str, float]], name: str = "server.txt") -> Trace:
    """A sampled trace from `outer;inner` stacks with milliseconds."""
    builder, table = TraceBuilder(name, "collapsed"), StackTable()
    frames = [[builder.frame(frame) for frame in stack.split(";")] for stack, _ in stacks]
    weights = np.array([weight * MS for _, weight in stacks])
    builder.add_sampled("main thread", table, table.leaves(frames), [weights])
    return builder.build(content_key="0" * 64, source_bytes=1)


def scene_of(trace: Trace, **asked: Any) -> Scene:
    options = FlamegraphOptions(**asked)
    return flamegraph_scene(trace, lay_out(trace, options), options)[0]


def row_of(scene: Scene, depth: int, trace: Trace) -> list[tuple[str, float]]:
    """Names and shares of the chart's width of the boxes at one depth, from left to right."""
    strip = scene.strips[depth]
    shares = (strip.cells.right - strip.cells.left) / ONE / strip.width
    return [(trace.frame_name(int(k)), round(float(s), 3)) for k, s in zip(strip.cells.kind, shares, strict=True)]


def colours_of(scene: Scene, depth: int) -> npt.NDArray[np.int64]:
    """Colours of the boxes at one depth, from left to right."""
    cells = scene.strips[depth].cells
    return cells.colour // cells.weight[:, np.newaxis]


def texts(scene: Scene) -> list[str]:
    return [label.text for label in scene.labels]


def decoded(picture: Picture) -> npt.NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(picture.png)))


def test_left_heavy_really_merges_by_stack_and_puts_the_heaviest_first() -> None:
    trace = trace_of(SERVER)

    scene = scene_of(trace, mode="left_heavy")

    assert row_of(scene, 0, trace) == [("main", 1.0)]
    assert row_of(scene, 1, trace) == [("handle", 0.812), ("idle_wait", 0.188)]
    assert row_of(scene, 2, trace) == [("app.json.parse", 0.5), ("app.templates.render", 0.312)]
    assert row_of(scene, 3, trace) == [("escape", 0.25), ("app.json.parse", 0.062)]


def test_time_order_keeps_what_happened_when() -> None:
    trace = trace_of(SERVER)

    scene = scene_of(trace, mode="time_order")

    assert row_of(scene, 1, trace) == [("handle", 0.75), ("idle_wait", 0.188), ("handle", 0.062)]
    assert [name for name, _ in row_of(scene, 2, trace)] == [
        "app.json.parse",
        "app.templates.render",
        "app.json.parse",
        "app.templates.render",
    ]


def test_a_window_shows_its_part_alone() -> None:
    trace = trace_of(SERVER)

    scene = scene_of(trace, mode="time_order", window=Window(60 * MS, 80 * MS))

    assert row_of(scene, 1, trace) == [("idle_wait", 0.75), ("handle", 0.25)]
    assert "Time order · p0 main thread · 20.0 ms from 60.0 ms to 80.0 ms of 80.0 ms" in texts(scene)


def test_the_picture_ends_where_its_boxes_end() -> None:
    picture = render_flamegraph(trace_of(SERVER), FlamegraphOptions(height=800))

    assert decoded(picture).shape == (picture.height, picture.width, 3)
    assert picture.height < 200
    assert picture.notes == ()


def test_labels_stay_inside_their_boxes() -> None:
    wide = [(f"root;package.module{i % 7}.Class.method_{i};leaf{i}", 1 + i * 7 % 13) for i in range(14)]
    for theme in PALETTES:
        scene = scene_of(trace_of(wide), mode="left_heavy", theme=theme, handles=True, width=900)
        labelled = 0
        for strip in scene.strips:
            inside = [label for label in scene.labels if strip.top < label.baseline < strip.top + strip.height]
            boxes = [label for label in inside if label.x >= strip.left]
            labelled += len(boxes)
            for label in boxes:
                first, last = label.x - strip.left, label.x - strip.left + typeface(label.style).width(label.text)
                assert last <= strip.width
                assert not ((strip.edges > first) & (strip.edges < last)).any()
        assert labelled > 10


def test_handles_are_printed_when_asked() -> None:
    trace = trace_of(SERVER)

    assert "main [f0]" in texts(scene_of(trace, handles=True))
    assert not any("[f" in text for text in texts(scene_of(trace)))


def test_highlighted_boxes_take_the_highlight_and_others_are_dimmed() -> None:
    trace = trace_of(SERVER)

    scene = scene_of(trace, mode="left_heavy", highlight="JSON")

    light = PALETTES["light"]
    assert colours_of(scene, 2)[0].tolist() == list(light.highlight)
    plain = colours_of(scene_of(trace, mode="left_heavy"), 0).astype(np.uint8)
    assert colours_of(scene, 0).tolist() == light.dimmed(plain).tolist()
    assert "1 function matches “JSON”" in texts(scene)


def test_a_handle_highlights_its_function() -> None:
    scene = scene_of(trace_of(SERVER), highlight="f1")

    assert colours_of(scene, 1)[0].tolist() == list(PALETTES["light"].highlight)


def test_a_highlight_that_matches_nothing_says_so() -> None:
    picture = render_flamegraph(trace_of(SERVER), FlamegraphOptions(highlight="nowhere"))

    assert picture.notes == ("no function matches “nowhere”: nothing is highlighted",)


def test_what_does_not_fit_is_said_in_the_picture_and_in_its_notes() -> None:
    trace = trace_of([(";".join(f"f{n}" for n in range(212)), 1)])
    options = FlamegraphOptions(height=400, start_depth=10)

    scene, notes = flamegraph_scene(trace, lay_out(trace, options), options)

    assert notes == ("showing depth 10 to 26 of 212",)
    assert "showing depth 10 to 26 of 212" in texts(scene)
    assert len(scene.strips) == 17
    assert scene.height <= 400


def test_merged_boxes_are_counted() -> None:
    trace = trace_of([(f"main;{'ab'[n % 2]}", 1) for n in range(4_000)])

    picture = render_flamegraph(trace, FlamegraphOptions(width=500))

    (note,) = picture.notes
    assert note.endswith("boxes narrower than a pixel merged")
    assert 3_500 < int(note.split()[0].replace(",", "")) <= 4_000


def test_notes_wrap_in_a_narrow_picture() -> None:
    options = FlamegraphOptions(width=260, height=300, highlight="a name that no function has")
    trace = trace_of([(";".join(f"f{n}" for n in range(99)), 1)])

    scene, notes = flamegraph_scene(trace, lay_out(trace, options), options)

    foot = [label for label in scene.labels if label.baseline > scene.strips[-1].top + scene.strips[-1].height]
    assert " ".join(label.text for label in foot) == " · ".join(notes)
    assert all(label.x + typeface("small").width(label.text) <= 260 for label in foot)


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("mode", {"mode": "sideways"}),
        ("theme", {"theme": "sepia"}),
        ("width", {"width": 99}),
        ("width", {"width": 8193}),
        ("height", {"height": 20}),
        ("height", {"width": 8000, "height": 8000}),
        ("start_depth", {"start_depth": -1}),
        ("start_depth", {"start_depth": 4}),
        ("depth", {"depth": 0}),
        ("highlight", {"highlight": ""}),
        ("title", {"title": "x" * 301}),
        ("profile", {"profile": 1}),
        ("profile", {"profile": -1}),
        ("window", {"window": Window(80 * MS, 90 * MS)}),
        ("window", {"window": Window(-5 * MS, 0)}),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(field: str, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption) as refused:
        render_flamegraph(trace_of(SERVER), FlamegraphOptions(**asked))

    assert refused.value.field == field
    assert str(refused.value).startswith(f"{field}: ")


def test_a_window_past_the_end_is_cut_and_says_so() -> None:
    picture = render_flamegraph(trace_of(SERVER), FlamegraphOptions(window=Window(70 * MS, 500 * MS)))

    assert picture.notes == ("the window reaches past the profile and was cut at its end",)
    assert "10.0 ms from 70.0 ms to 80.0 ms" in picture.description


def test_a_window_without_calls_says_so() -> None:
    builder, table = TraceBuilder("idle.txt", "collapsed"), StackTable()
    leaf = table.leaves([[builder.frame("main")], [], [builder.frame("main")]])
    builder.add_sampled("main", table, leaf, [np.array([10.0, 10, 10]) * MS])
    trace = builder.build(content_key="0" * 64, source_bytes=1)

    scene = scene_of(trace, window=Window(12 * MS, 18 * MS))

    assert not scene.strips
    assert "Nothing was recorded here." in texts(scene)


@pytest.mark.parametrize("size", [(100, 100), (101, 8192), (8192, 100)])
def test_the_smallest_and_longest_pictures_hold_a_row(size: tuple[int, int]) -> None:
    picture = render_flamegraph(trace_of(SERVER), FlamegraphOptions(width=size[0], height=size[1], highlight="x"))

    assert decoded(picture).shape[1] == size[0]
    assert picture.height <= size[1]


def test_a_stack_ten_thousand_deep_is_drawn() -> None:
    trace = trace_of([(";".join(f"step{n % 9}" for n in range(10_000)), 1)])

    deepest = render_flamegraph(trace, FlamegraphOptions(start_depth=9_990))
    assert deepest.notes == ("showing depth 9990 to 9999 of 10000",)
    assert "levels of callees" in render_sandwich(trace, 0, SandwichOptions()).notes[-1]


def test_a_million_boxes_become_few_cells() -> None:
    trace = trace_of(SERVER)
    view = lay_out(trace, FlamegraphOptions())
    edges = np.linspace(0, view.end, 500_001)
    kinds = np.arange(1_000_000, dtype=np.int32) % 5
    offsets = np.array([0, 500_000, 1_000_000])
    crowded = replace(view, rows=BoxRows(np.tile(edges[:-1], 2), np.tile(edges[1:], 2), kinds, offsets))

    scene, notes = flamegraph_scene(trace, crowded, FlamegraphOptions())

    assert sum(len(strip.cells) for strip in scene.strips) <= 2 * 2 * 1200
    assert sum(int(strip.cells.count.sum()) for strip in scene.strips) == 1_000_000
    assert notes[0].endswith("boxes narrower than a pixel merged")
    average = colours_of(scene, 0).mean(axis=0)
    row = rasterise(scene)[scene.strips[0].top + 8, 100:1100].astype(float)
    np.testing.assert_allclose(row.mean(axis=0), average, atol=2)


def test_names_in_any_script_do_not_break_the_picture() -> None:
    names = ["функция", "関数の名前", "دالة", "🔥🔥🔥", "a\nb", "", "x" * 10_000]

    scene = scene_of(trace_of([(";".join(names), 1)]), handles=True)

    assert len(scene.strips) == len(names)
    assert all(text.isprintable() for text in texts(scene))
    rasterise(scene)


def test_the_same_trace_gives_the_same_bytes() -> None:
    first = render_flamegraph(trace_of(SERVER), FlamegraphOptions(theme="dark", handles=True))
    second = render_flamegraph(trace_of(SERVER), FlamegraphOptions(theme="dark", handles=True))

    assert first == second


def test_the_description_names_the_heaviest_functions_with_handles() -> None:
    picture = render_flamegraph(trace_of(SERVER), FlamegraphOptions(mode="left_heavy"))

    assert picture.description == (
        "Left heavy flamegraph of server.txt, profile p0 main thread: 80.0 ms. "
        "Widest path: main [f0] 100.0% at depth 0 > handle [f1] 81.2% at depth 1. "
        "Most time in the function itself: app.json.parse [f2] 56.2% (45.0 ms), escape [f4] 25.0% (20.0 ms), "
        "idle_wait [f5] 18.8% (15.0 ms)."
    )


def test_a_sandwich_shows_callers_above_and_callees_below() -> None:
    trace = trace_of(SERVER)
    render = trace.frame_names.index("app.templates.render")

    picture = render_sandwich(trace, render, SandwichOptions(width=600))

    assert picture.description == (
        "Sandwich of app.templates.render [f3] in server.txt, profile p0 main thread: "
        "25.0 ms in all (31.2% of the profile), 0 ns in itself. "
        "Called by: handle [f1] 100.0%. Calls: escape [f4] 80.0%, app.json.parse [f2] 20.0%."
    )
    assert picture.notes == ()


def test_a_sandwich_says_which_levels_it_leaves_out() -> None:
    trace = trace_of([(";".join(f"f{n}" for n in range(60)), 1)])

    picture = render_sandwich(trace, trace.frame_names.index("f30"), SandwichOptions(height=300))

    assert picture.notes == ("showing 5 of 30 levels of callers", "showing 5 of 29 levels of callees")
    assert picture.height <= 300


def test_a_sandwich_of_the_outermost_function_has_nothing_above() -> None:
    assert render_sandwich(trace_of([("main", 1)]), 0, SandwichOptions()).notes == (
        "nothing calls it",
        "it calls nothing",
    )


def test_a_sandwich_of_a_function_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidOption, match="frame: there is no f99; this trace has f0 to f5"):
        render_sandwich(trace_of(SERVER), 99, SandwichOptions())


def golden_pictures() -> dict[str, Picture]:
    trace = trace_of(SERVER)
    return {
        "time_order_light": render_flamegraph(trace, FlamegraphOptions(width=360, height=160)),
        "left_heavy_dark": render_flamegraph(
            trace, FlamegraphOptions(mode="left_heavy", width=360, height=160, theme="dark", handles=True)
        ),
        "highlight_light": render_flamegraph(
            trace, FlamegraphOptions(mode="left_heavy", width=360, height=160, highlight="parse")
        ),
        "sandwich_dark": render_sandwich(trace, 3, SandwichOptions(width=360, height=160, theme="dark")),
    }


def differing(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> int:
    """Pixels that an eye could distinguish."""
    return int((np.abs(first.astype(int) - second.astype(int)).max(axis=2) > 12).sum())


@pytest.mark.parametrize("name", ["time_order_light", "left_heavy_dark", "highlight_light", "sandwich_dark"])
def test_pictures_look_as_they_were_approved(name: str, tmp_path: Path) -> None:
    picture = golden_pictures()[name]
    fresh = tmp_path / f"{name}.png"
    fresh.write_bytes(picture.png)

    golden = GOLDEN / f"{name}.png"

    assert golden.is_file(), f"look at {fresh}; if it is right, copy it to {golden}"
    approved = np.asarray(Image.open(golden).convert("RGB"))
    assert decoded(picture).shape == approved.shape
    assert differing(decoded(picture), approved) <= 8, f"look at {fresh}; if it is right, copy it to {golden}"


def test_a_box_shifted_by_one_pixel_would_not_be_approved() -> None:
    trace = trace_of(SERVER)
    options = FlamegraphOptions(width=360, height=160)
    view = lay_out(trace, options)
    assert isinstance(view.rows, BoxRows)
    pixel = view.end / 320
    shifted = view.rows.start.copy(), view.rows.end.copy()
    row = int(view.rows.row_offsets[1])
    shifted[1][row] += pixel
    shifted[0][row + 1] += pixel
    wrong = replace(view, rows=replace(view.rows, start=shifted[0], end=shifted[1]))

    right_pixels = rasterise(flamegraph_scene(trace, view, options)[0])
    wrong_pixels = rasterise(flamegraph_scene(trace, wrong, options)[0])

    assert differing(right_pixels, wrong_pixels) > 8
