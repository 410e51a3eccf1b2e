"""Hostile names in what we write: pictures, SVG, and other tools' files."""

import io
import unicodedata
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from rendering.charts import render_activity, render_durations, render_self_time
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions, SandwichOptions, SheetOptions
from rendering.sandwich import render_sandwich
from tests.hostile.names import CROWDS, MARK, NAMES, chrome, speedscope
from traces.export.targets import Target, export
from traces.model import Trace
from traces.reader import read_trace

TOGETHER = pytest.mark.parametrize("keys", CROWDS, ids=lambda keys: keys[0])
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {f"{SVG}{tag}" for tag in ("svg", "title", "desc", "rect", "g", "path", "text", "tspan", "defs", "clipPath")}


def traces(keys: tuple[str, ...]) -> list[Trace]:
    names = [NAMES[key] for key in keys]
    return [read_trace(write(names), name=names[0][:300]) for write in (speedscope, chrome)]


@TOGETHER
def test_names_are_text_in_an_svg_and_nothing_else(keys: tuple[str, ...]) -> None:
    for trace in traces(keys):
        for picture in (
            render_flamegraph(trace, FlamegraphOptions(format="svg", legend=True, handles=True)),
            render_sandwich(trace, 1, SandwichOptions(format="svg")),
        ):
            assert picture.data is not None
            document = ET.fromstring(picture.data)
            assert {element.tag for element in document.iter()} <= DRAWN
            attributes = {name for element in document.iter() for name in element.attrib}
            assert [name for name in attributes if name.startswith("on") or "href" in name or name == "style"] == []
            assert MARK in "".join(document.itertext())


@TOGETHER
def test_pictures_are_drawn_and_described_without_invisible_characters(keys: tuple[str, ...]) -> None:
    for trace in traces(keys):
        for mode in ("time_order", "left_heavy"):
            picture = render_flamegraph(trace, FlamegraphOptions(mode=mode))
            Image.open(io.BytesIO(picture.data)).verify()
            assert [c for c in picture.description if c != "\n" and unicodedata.category(c) == "Cc"] == []


@TOGETHER
@pytest.mark.long
def test_charts_show_names_and_no_formulas(keys: tuple[str, ...]) -> None:
    sampled, timeline = traces(keys)
    for picture in (
        render_activity(sampled, SheetOptions()),
        render_self_time(sampled, SheetOptions()),
        render_durations(timeline, 0, SheetOptions()),
    ):
        Image.open(io.BytesIO(picture.png)).verify()
        assert unicodedata.normalize("NFC", picture.description).isprintable()


@pytest.mark.parametrize("target", ["speedscope", "chrome", "pprof"])
@TOGETHER
def test_other_tools_files_have_each_name_in_full(keys: tuple[str, ...], target: Target) -> None:
    for trace in traces(keys):
        again = read_trace(export(trace, target).read(), name="again")
        assert names_in(again) >= names_in(trace) - {"main"}


@TOGETHER
def test_no_name_adds_a_stack_to_collapsed_lines(keys: tuple[str, ...]) -> None:
    for trace in traces(keys):
        lines = export(trace, "collapsed").read().decode().splitlines()
        assert [line for line in lines if not line.rsplit(" ", 1)[1].isdigit()] == []
        assert len(lines) <= len(keys) * 4 + 2
        assert "idle 99" not in "".join(lines).replace(":main:idle 99", "")


def names_in(trace: Trace) -> set[str]:
    return {trace.frame_name(frame) for frame in range(len(trace.frames))}
