"""What lies in time besides calls: which rows are kept of many, and that none of a lane's row overlap."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.lanes import BINS, MOST_ROWS, lanes
from traces.model import Trace
from traces.reader import read_trace


def trace_of(*events: dict[str, Any]) -> Trace:
    call = {"ph": "X", "name": "work", "ts": 0, "dur": 10_000_000, "pid": 7, "tid": 1}
    rows = [call, *({"pid": 7, "tid": 1} | event for event in events)]
    return read_trace(json.dumps(rows).encode(), name="lanes.json")


def test_a_recording_of_calls_alone_has_no_lanes() -> None:
    found = lanes(trace_of())
    assert [*found.levels, *found.marks, *found.boxes] == []


def test_of_many_readings_the_highest_and_the_latest_of_each_part_are_kept() -> None:
    readings = [
        {"ph": "C", "name": "queue", "ts": at, "args": {"v": 9 if at == 4321 else at % 7}} for at in range(9000)
    ]
    (level,) = lanes(trace_of(*readings)).levels
    points = list(level.points)
    assert level.readings == 9000
    assert [level.lowest, level.highest, points[-1][1]] == [0, 9, 8999 % 7]
    assert len(points) <= 2 * BINS + 1
    assert points == sorted(points)
    assert {(0, 0.0), (4_321_000, 9.0)} <= set(points)


def test_marks_are_counted_by_name_and_thinned() -> None:
    frames = [{"ph": "I", "s": "t", "name": "frame", "ts": at * 10} for at in range(1000)]
    first, second = lanes(trace_of({"ph": "I", "s": "t", "name": "load", "ts": 5}, *frames)).marks
    assert {(first.name, first.count), (second.name, second.count)} == {("load", 1), ("frame", 1000)}
    assert max(len(first.times), len(second.times)) == BINS


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 300)), min_size=1, max_size=40))
def test_async_spans_of_a_row_do_not_overlap(spans: list[tuple[int, int]]) -> None:
    events: list[dict[str, Any]] = []
    for number, (at, lasted) in enumerate(spans):
        common = {"name": f"fetch {number}", "cat": "net", "id": number}
        events += [common | {"ph": "b", "ts": at}, common | {"ph": "e", "ts": at + lasted}]
    (lane,) = lanes(trace_of(*events)).boxes
    assert (lane.name, lane.count) == ("Async spans", len(spans))
    assert len(lane.boxes) == len(spans) or lane.rows == MOST_ROWS
    for row in range(lane.rows):
        mine = [box for box in lane.boxes if box[2] == row]
        assert all(before[1] <= after[0] for before, after in pairwise(mine))
