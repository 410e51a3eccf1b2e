"""Charts show what the trace contains; matplotlib is imported for nothing else."""

import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from rendering.charts import activity, durations, render_activity, render_durations, render_self_time
from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.picture import Picture
from tests.rendering.call_trees import Program, evented, sampled

PROGRAM: Program = [(("a", "b"), 4), (("a",), 2), (("a", "b"), 2), (("c",), 8)]


def size_of(picture: Picture) -> tuple[int, int]:
    return Image.open(io.BytesIO(picture.png)).size


def test_activity_is_the_part_of_each_step_in_which_something_ran() -> None:
    (line,), start, end = activity(evented(PROGRAM), bins=16)

    assert (start, end) == (0, 16_000)
    np.testing.assert_allclose(line.busy, np.ones(16))


def test_gaps_are_idle() -> None:
    trace = sampled([(("a",), 1), (("b",), 3)])
    samples = trace.profiles[0].samples
    assert samples is not None
    samples.leaf[1] = -1  # the second one was idle

    (line,), *_ = activity(trace, bins=8)

    np.testing.assert_allclose(line.busy, [1, 1, 0, 0, 0, 0, 0, 0])


def test_every_call_has_its_duration() -> None:
    trace = evented(PROGRAM)

    assert durations(trace, trace.frame_names.index("b"), trace.profiles[0]).tolist() == [4_000, 2_000]


def test_charts_have_the_size_and_say_what_they_show() -> None:
    trace, options = evented(PROGRAM), SheetOptions(width=400, height=250, dpr=2, theme="dark")

    charts = [
        render_activity(trace, options),
        render_durations(trace, 1, options),
        render_self_time(trace, options, bars=2),
    ]

    assert [size_of(chart) for chart in charts] == [(800, 500)] * 3
    assert charts[0].description == "Activity over time of random; busiest is p0 main, 100.0% busy."
    assert charts[1].description == "2 calls of b [f1]: median 3.00 µs, 95th 3.90 µs, longest 4.00 µs."
    assert charts[2].description == "Most in the function itself: c [f2] 50.0%, b [f1] 37.5%."
    assert charts[2].notes == ("showing 2 of 3 functions",)


def test_a_chart_is_the_same_twice() -> None:
    trace, options = evented(PROGRAM), SheetOptions(width=300, height=200)

    assert render_self_time(trace, options) == render_self_time(trace, options)


def test_names_with_signs_of_formulas_and_of_great_length_are_drawn() -> None:
    names = ("a $x^2$ _b", "\\alpha{", "関数", "x" * 10_000)

    assert size_of(render_self_time(evented([((name,), 3) for name in names]), SheetOptions())) == (1200, 800)


def test_what_cannot_be_charted_is_refused() -> None:
    with pytest.raises(InvalidOption, match="is sampled"):
        render_durations(sampled(PROGRAM), 0, SheetOptions())
    with pytest.raises(InvalidOption, match="frame: there is no f9"):
        render_durations(evented(PROGRAM), 9, SheetOptions())
    with pytest.raises(InvalidOption, match="bars: 0 is outside 1 to 25"):
        render_self_time(evented(PROGRAM), SheetOptions(), bars=0)
    with pytest.raises(InvalidOption, match="format: charts are drawn as PNG"):
        render_activity(evented(PROGRAM), SheetOptions(format="svg"))


def test_flamegraphs_do_not_import_matplotlib() -> None:
    code = (
        "import sys; import rendering.charts, rendering.diff, rendering.flamegraph, rendering.sandwich; "
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
