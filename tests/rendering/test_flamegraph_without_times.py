"""Pictures of what has no times: left heavy, with the reason, and never a moment."""

from dataclasses import replace
from pathlib import Path

import pytest

from rendering.charts import activity, render_activity
from rendering.errors import InvalidOption
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions, SheetOptions
from traces.analysis.window import Window
from traces.model import Trace
from traces.reader import read_trace

WHY = "sums per stack: it has no times"


@pytest.fixture(scope="module")
def sums(fixtures: Path) -> Trace:
    return read_trace((fixtures / "redact-documents.cprofile.prof").read_bytes(), name="cprofile")


def test_time_order_is_drawn_left_heavy_and_says_why(sums: Trace) -> None:
    asked = FlamegraphOptions(format="svg", minimap=True)
    picture = render_flamegraph(sums, asked)
    assert f"{WHY}, so it is drawn left heavy" in picture.notes
    assert picture.description.startswith("Left heavy flamegraph")
    assert WHY.capitalize() in picture.description
    left_heavy = render_flamegraph(sums, replace(asked, mode="left_heavy"))
    assert not any(WHY in note for note in left_heavy.notes)


def test_a_window_is_refused_with_what_the_recording_is(sums: Trace) -> None:
    with pytest.raises(InvalidOption, match=WHY):
        render_flamegraph(sums, FlamegraphOptions(window=Window(0, 1)))


def test_activity_over_time_is_refused_with_what_the_recording_is(sums: Trace) -> None:
    assert activity(sums) == ([], 0.0, 0.0)
    with pytest.raises(InvalidOption, match=WHY):
        render_activity(sums, SheetOptions())


def test_what_has_times_is_drawn_in_their_order(fixtures: Path) -> None:
    trace = read_trace((fixtures / "search-index.cpuprofile.gz").read_bytes(), name="js")
    picture = render_flamegraph(trace, FlamegraphOptions())
    assert picture.description.startswith("Time order flamegraph")
    assert not any("left heavy" in note for note in picture.notes)
