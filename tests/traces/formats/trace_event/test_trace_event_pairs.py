"""Begin and end events between complete ones: which lies outside, whose arguments, and ends before their begins."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, warnings
from traces.reader import read_arguments


def event(phase: str, name: str, at: int, **more: Any) -> dict[str, Any]:
    return {"ph": phase, "name": name, "pid": 1, "tid": 1, "ts": at, **more}


def spans(events: list[dict[str, Any]]) -> list[tuple[int, str, int, int]]:
    """Depth, name, start and end in microseconds."""
    trace = read(json.dumps(events))
    profile = trace.profiles[0]
    assert profile.spans is not None
    names = [trace.frame_names[frame] for frame in profile.tree.frame[profile.spans.node].tolist()]
    times = ((profile.spans.start // 1000).tolist(), (profile.spans.end // 1000).tolist())
    return list(zip(profile.spans.depth.tolist(), names, *times, strict=True))


@pytest.mark.parametrize(
    "events",
    [
        [event("B", "b", 0), event("E", "b", 5), event("X", "x", 10, dur=1), event("X", "y", 10, dur=3)],
        [event("B", "late", 20), event("E", "late", 25), event("B", "b", 0), event("E", "b", 5)],
        [event("X", "x", 0, dur=9), event("E", "b", 3), event("B", "b", 2), event("B", "in", 2), event("E", "in", 3)],
    ],
    ids=["pairs before slices", "out of order", "pairs inside slices"],
)
def test_every_span_has_its_own_arguments(events: list[dict[str, Any]]) -> None:
    data = json.dumps([{**e, "args": {"of": e["name"] if e["ph"] != "E" else "an end"}} for e in events]).encode()
    trace = read(data)
    spans = trace.profiles[0].spans
    assert spans is not None
    said = read_arguments(data, trace, [f"s{i}" for i in range(len(spans))])
    names = [trace.frame_names[frame] for frame in trace.profiles[0].tree.frame[spans.node].tolist()]
    assert [arguments["of"] for arguments in said.values()] == names


def test_of_equal_slices_those_of_two_events_lie_outside() -> None:
    assert spans([event("X", "x", 0, dur=2), event("B", "b", 0), event("E", "b", 2)]) == [
        (0, "b", 0, 2),
        (1, "x", 0, 2),
    ]


def test_an_end_before_its_begin_in_the_same_moment_is_a_call_without_duration() -> None:
    events = [event("B", "main", 0)]
    for at in (2, 4):
        events += [event("E", "tick", at), event("B", "tick", at)]
    trace = read(json.dumps([*events, event("E", "main", 9)]))
    assert warnings(trace) == {}
    assert spans([*events, event("E", "main", 9)]) == [(0, "main", 0, 9), (1, "tick", 2, 2), (1, "tick", 4, 4)]


def test_calls_that_follow_each_other_at_once_stay_two() -> None:
    events = [event("B", "a", 0), event("E", "a", 5), event("B", "a", 5), event("E", "a", 9)]
    assert spans(events) == [(0, "a", 0, 5), (0, "a", 5, 9)]


def test_an_end_whose_begin_was_cut_off_does_not_shorten_the_next_call() -> None:
    events = [event("E", "a", 5), event("B", "a", 5), event("E", "a", 9)]
    assert spans(events) == [(0, "a", 5 - 5, 9 - 5)]
    assert warnings(read(json.dumps(events))) == {"unmatched_end": 1}


def test_ends_without_a_name_close_the_innermost() -> None:
    nameless = {"ph": "E", "pid": 1, "tid": 1}
    found = spans(
        [
            event("B", "a", 0),
            event("B", "b", 2),
            {**nameless, "ts": 5},
            event("X", "x", 6, dur=1),
            {**nameless, "ts": 9},
        ]
    )
    assert found == [(0, "a", 0, 9), (1, "b", 2, 5), (1, "x", 6, 7)]
    assert not warnings(read(json.dumps([event("B", "a", 0), {**nameless, "ts": 5}])))
    assert warnings(read(json.dumps([event("X", "x", 6, dur=1), {**nameless, "ts": 9}]))) == {"unmatched_end": 1}
