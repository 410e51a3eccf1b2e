"""Questions to a small trace whose answers can be worked out by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from traces.analysis.calltree import call_tree
from traces.analysis.find import find_frames
from traces.analysis.functions import top_functions
from traces.analysis.sandwich import NO_CALLER, callers_callees
from traces.analysis.summary import summarise
from traces.analysis.units import format_moment, format_share, format_value
from traces.analysis.view_layout import left_heavy, time_order
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion, UnknownHandle
from traces.handles import parse_handle
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit

MS = 1_000_000
PAGE_VALUES = Path(__file__).parents[3] / "web/tests/values.json"
"""Read by the page's own test: answers, pictures and page write one way."""


@pytest.fixture
def trace() -> Trace:
    """main > parse > main > load, main > draw and 40 ms of idle; beside it a thread with two tasks."""
    builder = TraceBuilder("app.json", "example")
    main, parse, load, draw = (
        builder.frame(n, "app.py", i + 1) for i, n in enumerate(("main", "parse", "load", "draw"))
    )
    stacks = StackTable()
    leaves = stacks.leaves([[main, parse], [main, parse, main, load], [], [main, draw]])
    builder.add_sampled("main thread", stacks, leaves, [np.array([10, 20, 40, 30]) * MS])
    starts, ends = np.array([0, 60]) * MS, np.array([55, 90]) * MS
    builder.add_evented("tasks", nest_slices(starts, ends, np.array([parse, draw], np.int32)))
    return builder.build(content_key="0" * 64, source_bytes=123)


def test_functions_sort_by_self_or_total_and_shares_leave_idle_out(trace: Trace) -> None:
    table = top_functions(trace)
    assert [(row.name, row.self_value // MS, row.self_share) for row in table.rows] == [
        ("draw", 30, 0.5),
        ("load", 20, pytest.approx(1 / 3)),
        ("parse", 10, pytest.approx(1 / 6)),
        ("main", 0, 0),
    ]
    assert table.scope_total == 60 * MS
    by_total = top_functions(trace, sort_by="total", limit=2)
    assert [(row.name, row.total_value // MS) for row in by_total.rows] == [("main", 60), ("parse", 30)]
    assert by_total.total_rows == 4


def test_functions_of_a_window_count_what_lies_inside_it(trace: Trace) -> None:
    rows = top_functions(trace, window=Window(5 * MS, 15 * MS)).rows
    assert [(row.name, row.self_value // MS, row.total_value // MS) for row in rows] == [
        ("parse", 5, 10),
        ("load", 5, 5),
        ("main", 0, 10),
    ]


def test_functions_and_frames_are_found_by_name_and_file(trace: Trace) -> None:
    assert [row.name for row in top_functions(trace, pattern="A").rows] == ["draw", "load", "parse", "main"]
    assert [row.name for row in find_frames(trace, "^LO", regex=True).rows] == ["load"]
    assert find_frames(trace, "app.py", limit=1).total_matches == 4
    assert find_frames(trace, "nothing").rows == ()


def test_a_recursive_function_is_entered_once_and_never_calls_itself(trace: Trace) -> None:
    sandwich = callers_callees(trace, 0)
    assert sandwich.recursive
    assert [(row.name, row.handle, row.value // MS) for row in sandwich.callers] == [(NO_CALLER, None, 60)]
    assert [(row.name, row.value // MS) for row in sandwich.callees] == [("draw", 30), ("load", 20), ("parse", 10)]


def test_the_call_tree_can_start_at_a_function_a_node_or_the_leaves(trace: Trace) -> None:
    assert [(n.name, n.depth) for n in call_tree(trace).nodes] == [
        ("main", 0),
        ("parse", 1),
        ("main", 2),
        ("load", 3),
        ("draw", 1),
    ]
    assert [n.name for n in call_tree(trace, root="f1").nodes] == ["parse", "main", "load"]
    assert [n.name for n in call_tree(trace, root="n2").nodes] == ["main", "load"]
    assert [n.name for n in call_tree(trace, root="f2", inverted=True).nodes] == ["load", "main", "parse", "main"]
    assert [n.name for n in call_tree(trace, inverted=True, max_nodes=1).nodes] == ["draw"]
    assert [n.name for n in call_tree(trace, root="n5").nodes] == ["parse"]  # a node of the second profile


def test_time_order_joins_what_goes_on_and_left_heavy_puts_the_heaviest_first(trace: Trace) -> None:
    boxes = time_order(trace).boxes
    shown = [
        (trace.frame_names[f], s // MS, e // MS) for f, s, e in zip(boxes.frame, boxes.start, boxes.end, strict=True)
    ]
    assert shown[:2] == [("main", 0, 30), ("main", 70, 100)]  # idle between them
    boxes = left_heavy(trace).boxes
    second = boxes.frame[boxes.row_offsets[1] : boxes.row_offsets[2]]
    assert [trace.frame_names[f] for f in second] == ["draw", "parse"]


def test_a_limit_of_boxes_merges_the_narrow_ones_and_says_how_many() -> None:
    builder = TraceBuilder("many", "example")
    frame = builder.frame("tick")
    starts = np.arange(5000) * 10
    builder.add_evented("ticks", nest_slices(starts, starts + 5, np.full(5000, frame, np.int32)))
    layout = time_order(builder.build(content_key="0" * 64, source_bytes=1), max_boxes=600)
    assert len(layout.boxes) <= 600
    assert layout.merged == 5000 - len(layout.boxes)


def test_the_summary_says_what_is_there_and_what_cannot_be_answered(trace: Trace) -> None:
    summary = summarise(trace)
    assert (summary.duration_ns, summary.frame_count, summary.default_profile) == (100 * MS, 4, "p0")
    samples, tasks = summary.profiles
    assert samples.idle_share == pytest.approx(0.4)
    assert (samples.sample_count, tasks.span_count) == (4, 2)
    assert any("memory" in question for question in summary.cannot_answer)
    assert summary.as_json()["profiles"][0]["unit"] == "nanoseconds"


@pytest.mark.parametrize("text", ["", "x1", "f", "f-1", "f1.5", "12", "f" * 50])
def test_texts_that_are_no_handles_are_refused(text: str) -> None:
    with pytest.raises(UnknownHandle, match="not a handle"):
        parse_handle(text)


def test_handles_that_do_not_exist_say_which_do(trace: Trace) -> None:
    with pytest.raises(UnknownHandle, match="frames are f0 to f3"):
        callers_callees(trace, 4)
    with pytest.raises(UnknownHandle, match="p0 to p1"):
        top_functions(trace, profile=7)
    with pytest.raises(UnknownHandle, match="nodes are n0 to n6"):
        call_tree(trace, root="n7")
    with pytest.raises(UnknownHandle, match="profile"):
        call_tree(trace, root="p0")


def test_questions_that_make_no_sense_are_refused(trace: Trace) -> None:
    with pytest.raises(InvalidQuestion, match="empty"):
        Window(5, 5)
    with pytest.raises(InvalidQuestion, match="regular expression"):
        find_frames(trace, "(", regex=True)


@pytest.mark.parametrize(("value", "unit", "text"), json.loads(PAGE_VALUES.read_text(encoding="utf-8")))
def test_values_are_written_for_people_as_the_page_writes_them(value: float, unit: str, text: str) -> None:
    assert format_value(value, Unit(unit)) == text


def test_moments_are_written_by_the_clock_of_where_they_were() -> None:
    at = 1_700_000_000_999_999_999
    said = [format_moment(at, ahead) for ahead in (None, 0, 60, -570)]
    assert said == [
        "2023-11-14 22:13:20 UTC",
        "2023-11-14 22:13:20 UTC",
        "2023-11-14 23:13:20 UTC+01:00",
        "2023-11-14 12:43:20 UTC-09:30",
    ]


def test_shares_are_written_for_people() -> None:
    assert [format_share(s) for s in (0, 0.0001, 0.123, 1)] == ["0.0%", "<0.1%", "12.3%", "100.0%"]
    assert [format_share(s) for s in (0.9994, 0.9995, 0.99999, 1 - 1e-12)] == ["99.9%", ">99.9%", ">99.9%", "100.0%"]
