"""Traces at the edge: a correct picture or a clear refusal, whatever comes in."""

import io
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rendering.diff import render_diff
from rendering.errors import InvalidOption
from rendering.flamegraph import render_flamegraph
from rendering.minimap import render_minimap
from rendering.options import DiffOptions, FlamegraphOptions, SandwichOptions, SheetOptions
from rendering.picture import Picture
from rendering.sandwich import render_sandwich
from tests.rendering.call_trees import Program, evented, sampled
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices

SVG = "{http://www.w3.org/2000/svg}"


def slices(start: list[int], end: list[int], names: str = "") -> Trace:
    builder = TraceBuilder("slices", "test")
    frame = [builder.frame(names[i] if names else "work") for i in range(len(start))]
    columns = np.array(start, np.int64), np.array(end, np.int64), np.array(frame, np.int32)
    builder.add_evented("main", nest_slices(*columns))
    return builder.build(content_key="0" * 64, source_bytes=1)


def titles_of(picture: Picture) -> list[str]:
    return [title.text or "" for title in ET.fromstring(picture.data).iter(f"{SVG}title")]


def pixels_of(picture: Picture) -> Any:
    return np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")).astype(int)


@pytest.mark.parametrize(
    "asked", [{}, {"mode": "left_heavy"}, {"flatten_recursion": True}, {"focus": "f0"}, {"minimap": True}]
)
def test_a_stack_ten_thousand_deep_has_every_picture(asked: dict[str, Any]) -> None:
    trace = evented([(tuple(f"step{n % 9}" for n in range(10_000)), 1)])

    picture = render_flamegraph(trace, FlamegraphOptions(width=300, height=150, **asked))

    assert picture.height <= 150


def test_a_deep_stack_is_compared_and_titled_as_text() -> None:
    deep = sampled([(tuple("ab"[n % 2] for n in range(10_000)), 1)])

    assert render_diff(deep, deep, DiffOptions(width=300, height=150)).notes == ("showing depth 0 to 3 of 10000",)
    assert b"</svg>" in render_sandwich(deep, 0, SandwichOptions(format="svg")).data


def test_spans_without_length_are_not_drawn_and_a_trace_of_them_says_so() -> None:
    some = render_flamegraph(slices([0, 5, 9], [10, 5, 9], "abc"), FlamegraphOptions(format="svg"))
    none = render_flamegraph(slices([5, 5], [5, 5]), FlamegraphOptions(format="svg"))

    assert [title for title in titles_of(some) if "[f" in title] == ["a [f0] 10 ns, 100.0%"]
    assert b"Nothing was recorded here." in none.data


def test_spans_that_end_before_they_begin_are_drawn_as_nothing() -> None:
    trace = slices([0, 50], [100, 20], "ab")

    picture = render_flamegraph(trace, FlamegraphOptions(format="svg"))

    assert [title for title in titles_of(picture) if "[f" in title] == ["a [f0] 100 ns, 100.0%"]


def test_an_empty_window_is_refused_and_one_past_the_end_too() -> None:
    trace = slices([0, 50], [100, 60])

    with pytest.raises(InvalidOption, match="window: it lies outside"):
        render_flamegraph(trace, FlamegraphOptions(window=Window(200, 300)))


def test_a_million_spans_in_one_pixel_keep_their_colour() -> None:
    count = 1_000_000
    start = np.arange(count)
    builder = TraceBuilder("crowded", "test")
    frame = np.full(count + 1, builder.frame("work"), np.int32)
    frame[0] = builder.frame("rest")
    columns = np.append(10**10, start), np.append(2 * 10**10, start + 1)
    builder.add_evented("main", nest_slices(columns[0], columns[1], frame))
    trace = builder.build(content_key="0" * 64, source_bytes=1)

    picture = render_flamegraph(trace, FlamegraphOptions(width=200, depth_axis=False, value_axis=False, title="t"))

    assert picture.notes == ("1,000,000 boxes narrower than a pixel merged",)
    row = pixels_of(picture)[45]
    assert (row[10] < 255).any()
    assert (row[12:90] == 255).all()


@pytest.mark.long
def test_names_of_ten_thousand_characters_stay_bounded_everywhere() -> None:
    trace = evented([(("x" * 10_000, "ف" * 5_000, "関" * 3_000, "🔥"), 5)])

    svg = render_flamegraph(trace, FlamegraphOptions(format="svg", width=2_000))
    png = render_flamegraph(trace, FlamegraphOptions(handles=True, dpr=3))

    assert len(svg.data) < 20_000
    assert len(svg.description) < 2_000
    ET.fromstring(svg.data)
    assert pixels_of(png).shape[1] == 3_600


def test_an_svg_escapes_what_names_say() -> None:
    trace = evented([(('std::map<int, "a&b">::find', "</text><script>alert(1)</script>"), 5)])

    document = ET.fromstring(render_flamegraph(trace, FlamegraphOptions(format="svg", title="<&>")).data)

    assert document.findall(f".//{SVG}script") == []
    texts = [text.text for text in document.iter(f"{SVG}text")]
    assert 'std::map<int, "a&b">::find' in texts
    assert "<&>" in texts


def test_the_parts_around_a_chart_need_room() -> None:
    with pytest.raises(InvalidOption, match="height: 100 px leave no room for a row"):
        render_flamegraph(evented([(("a",), 1)]), FlamegraphOptions(height=100, minimap=True, legend=True))


def test_narrow_boxes_are_left_out_when_asked_and_counted() -> None:
    program: Program = [(("wide",), 9), (("b",), 1), (("c",), 1)]
    trace = sampled(program * 30)

    picture = render_flamegraph(trace, FlamegraphOptions(width=200, min_width=2.0))

    assert picture.notes == ("60 boxes narrower than 2 px left out",)


def test_device_pixels_count_for_the_bound_and_the_size() -> None:
    trace = evented([(("a",), 1)])

    assert pixels_of(render_minimap(trace, SheetOptions(width=200, dpr=3))).shape == (90, 600, 3)
    with pytest.raises(InvalidOption, match="dpr: 4000 x 4000 at 2 x 2 device pixels is more than 32 megapixels"):
        FlamegraphOptions(width=4_000, height=4_000, dpr=2)
