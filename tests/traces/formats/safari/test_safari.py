"""Safari's timeline recordings: samples that end at their time, with gaps where nothing ran."""

import json
from typing import Any

import pytest

from traces.errors import DamagedTrace, EmptyTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

DRAW = {"sourceID": "9", "name": "draw", "line": 4, "column": 2, "url": "http://host/app.js"}
UNNAMED = {"sourceID": "9", "name": "", "line": 1, "column": 1, "url": "http://host/app.js"}


def recording(*samples: tuple[Any, Any, list[dict[str, Any]]], **other: Any) -> bytes:
    """Samples are (end, duration, frames innermost first), in seconds."""
    traces = [{"timestamp": end, "stackFrames": frames} for end, _, frames in samples]
    file = {
        "displayName": "Timeline Recording 1",
        "instrumentTypes": ["timeline-record-type-script"],
        "records": [{"type": "timeline-record-type-script", "startTime": 1.0}],
        "sampleStackTraces": traces,
        "sampleDurations": [duration for _, duration, _ in samples],
        **other,
    }
    return json.dumps({"version": 1, "recording": file, "overview": {}}).encode()


def read(data: bytes) -> Trace:
    trace = read_trace(data, name="recording")
    check(trace)
    return trace


def test_samples_end_at_their_time_and_only_long_gaps_are_idle() -> None:
    trace = read(recording((1.0, 0.001, [DRAW, UNNAMED]), (1.0025, 0.001, [UNNAMED]), (1.0105, 0.001, [DRAW, UNNAMED])))
    profile = trace.profiles[0]
    assert profile.samples is not None
    assert (trace.format, profile.name) == ("safari", "Timeline Recording 1")
    assert profile.samples.weights[0].tolist() == [1_000_000, 1_000_000, 7_000_000, 1_000_000]
    assert profile.samples.leaf.tolist() == [1, 0, -1, 1]
    assert trace.frame_names == ("(anonymous app.js:1)", "draw")
    assert (trace.frame_file(1), trace.frame_line(1), int(trace.frames.column[1])) == ("http://host/app.js", 4, 2)


def test_an_hour_lasts_an_hour_to_the_nanosecond() -> None:
    profile = read(recording((1.0, 3_600.0, [DRAW]), (1.0, 0.5, [DRAW]))).profiles[0]
    assert profile.samples is not None
    assert profile.samples.weights[0].tolist() == [3_600_000_000_000, 500_000_000]


def test_a_recording_without_samples_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(recording())


@pytest.mark.parametrize(
    "data",
    [
        recording((1.0, 0.1, [DRAW]), sampleDurations=[]),
        recording((1.0, -0.1, [DRAW])),
        recording((1.0, 1e300, [DRAW])),
        recording(("late", 0.1, [DRAW])),
        recording((1.0, None, [DRAW])),
        recording((1.0, 0.1, [DRAW]))[:-40],
    ],
)
def test_samples_that_are_none_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedTrace):
        read(data)
