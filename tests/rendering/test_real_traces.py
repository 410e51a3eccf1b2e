"""Every view over real traces looks as it was approved, with the kernels and without."""

import io
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from rendering.diff import render_diff
from rendering.flamegraph import flamegraph_scene, lay_out, render_flamegraph
from rendering.minimap import render_minimap
from rendering.options import DiffOptions, FlamegraphOptions, SandwichOptions, SheetOptions
from rendering.picture import Picture, encode
from rendering.rows import SpanRows
from rendering.sandwich import render_sandwich
from traces.analysis.window import Window
from traces.model import Trace
from traces.reader import read_trace

GOLDEN = Path(__file__).parent / "golden"
FIXTURES = Path(__file__).parents[2] / "fixtures"
APPROVE = "APPROVE_PICTURES"
"""Set in the environment, fresh pictures are written next to the approved ones: look at each before it is committed."""

VISIBLE = 12
"""Difference of a channel that an eye could see."""
TOLERATED = 8
"""Pixels that may differ visibly: fonts are drawn a little differently by other builds of FreeType."""

SERVICE = "sample/order-service.speedscope.json.gz"
REDACT = "redact-documents.viztracer.json.gz"
MS = 1_000_000


@cache
def trace_of(name: str) -> Trace:
    return read_trace((FIXTURES / name).read_bytes(), name=Path(name).name)


def frame_of(trace: Trace, name: str) -> int:
    return trace.frame_names.index(name)


def time_order() -> Picture:
    window = Window(1 * MS, 6 * MS)
    return render_flamegraph(
        trace_of(REDACT), FlamegraphOptions(width=700, height=330, window=window, minimap=True, legend=True)
    )


def left_heavy() -> Picture:
    return render_flamegraph(
        trace_of(SERVICE),
        FlamegraphOptions(mode="left_heavy", width=700, height=330, theme="dark", handles=True, highlight="route"),
    )


def left_heavy_dense() -> Picture:
    return render_flamegraph(
        trace_of("settlement.go-cpu.pb.gz"),
        FlamegraphOptions(mode="left_heavy", width=420, height=260, dpr=2, palette="safe"),
    )


def sandwich() -> Picture:
    trace = trace_of(SERVICE)
    return render_sandwich(
        trace, frame_of(trace, "OrderHandler.route"), SandwichOptions(profile=3, width=700, height=330)
    )


def diff() -> Picture:
    trace = trace_of(SERVICE)
    return render_diff(
        trace,
        trace,
        DiffOptions(before_profile=4, profile=3, width=700, height=330, theme="dark", legend=True, compare="shares"),
    )


def minimap() -> Picture:
    return render_minimap(trace_of(REDACT), SheetOptions(width=700), Window(1 * MS, 6 * MS))


VIEWS: dict[str, Callable[[], Picture]] = {
    view.__name__: view for view in (time_order, left_heavy, left_heavy_dense, sandwich, diff, minimap)
}


def pixels_of(data: bytes) -> npt.NDArray[np.int64]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(np.int64)


def differing(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> int:
    return int((np.abs(first - second).max(axis=2) > VISIBLE).sum())


@pytest.mark.parametrize("kernels", ["on", "off"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_real_trace_looks_as_approved(name: str, kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", kernels)
    picture = VIEWS[name]()
    golden = GOLDEN / f"real_{name}.png"
    if APPROVE in os.environ:
        golden.write_bytes(picture.png)

    fresh, approved = pixels_of(picture.png), pixels_of(golden.read_bytes())

    assert fresh.shape == approved.shape
    assert differing(fresh, approved) <= TOLERATED, f"look at it with {APPROVE}=1"


@pytest.mark.parametrize("name", VIEWS)
def test_a_picture_is_the_same_twice(name: str) -> None:
    assert VIEWS[name]() == VIEWS[name]()


def test_one_shifted_box_is_seen() -> None:
    trace = trace_of(REDACT)
    options = FlamegraphOptions(width=700, height=330, window=Window(1 * MS, 6 * MS), minimap=True, legend=True)
    view = lay_out(trace, options)
    assert isinstance(view.rows, SpanRows)
    spans = view.rows.spans
    inside = (spans.start > 1 * MS) & (spans.end < 6 * MS) & (spans.depth == 3)
    chosen = np.flatnonzero(inside)[np.argmax((spans.end - spans.start)[inside])]
    start = spans.start.copy()
    start[chosen] += 5 * MS // 650 * 3  # three pixels, in a box that is many wide
    wrong = replace(view, rows=replace(view.rows, spans=replace(spans, start=start)))

    right_picture = pixels_of(encode(flamegraph_scene(trace, view, options)[0], "png"))
    wrong_picture = pixels_of(encode(flamegraph_scene(trace, wrong, options)[0], "png"))
    approved = pixels_of((GOLDEN / "real_time_order.png").read_bytes())

    assert differing(right_picture, approved) <= TOLERATED
    assert differing(wrong_picture, approved) > TOLERATED
