"""What a model reads of single calls and of the hottest windows: every figure of a small recording."""

import json

import pytest

from server.agent.tools.windows_and_calls import (
    HottestWindows,
    LongestCalls,
    answer_hottest_windows,
    answer_longest_calls,
)
from tests.traces.insights.recorded import sampled, timeline
from traces.reader import read_trace

CALLS = timeline([("main", 0, 100), ("load", 10, 40), ("parse", 12, 30), ("load", 50, 60), ("draw", 70, 95)])
SAMPLES = sampled({"main;load;parse": 30, "main;parse;skip": 20, "main;parse": 10, "main": 5})


def test_the_longest_calls_have_a_line_each_with_their_own_time_and_place() -> None:
    assert answer_longest_calls(CALLS, LongestCalls(limit=3)).text.splitlines() == [
        'longest calls of 5 in p0 "CrRendererMain"',
        's0 f0 "main" 100 ms, self 35.0 ms, from 0 ns, depth 0, p0',
        's1 f1 "load" 30.0 ms, self 12.0 ms, from 10.0 ms, depth 1, p0',
        's4 f3 "draw" 25.0 ms, self 25.0 ms, from 70.0 ms, depth 1, p0',
    ]


def test_a_call_without_a_caller_is_given_as_data() -> None:
    found = answer_longest_calls(CALLS, LongestCalls(outermost=True)).data
    (row,) = found["rows"]
    assert {name: found[name] for name in ("profile", "unit", "total_rows", "exact")} == {
        "profile": "p0",
        "unit": "nanoseconds",
        "total_rows": 1,
        "exact": True,
    }
    assert {name: value for name, value in row.items() if value is not None} == {
        "handle": "s0",
        "frame": "f0",
        "name": "main",
        "profile": "p0",
        "depth": 0,
        "start": 0.0,
        "end": 100e6,
        "duration": 100e6,
        "self_value": 35e6,
    }


def test_samples_say_that_one_may_be_several_calls() -> None:
    assert answer_longest_calls(SAMPLES, LongestCalls(filter="pars")).text.splitlines() == [
        'longest stretches of samples (one may be several calls) of 2 in p0 "thread"',
        'n2 f2 "parse" 30.0 ms, from 0 ns, depth 2, p0',
        'n3 f2 "parse" 30.0 ms, from 30.0 ms, depth 1, p0',
    ]


def test_the_hottest_windows_have_their_functions() -> None:
    head, first, second, *_ = answer_hottest_windows(CALLS, HottestWindows()).text.splitlines()
    assert head == 'hottest windows in p0 "CrRendererMain", each 5.00 ms long; 5.00 ms on average'
    assert first == '31.2 ms to 36.2 ms: 5.00 ms 5.0%; self: f1 "load" 100.0%, f0 "main" 0.0%'
    assert second == '37.5 ms to 42.5 ms: 5.00 ms 5.0%; self: f0 "main" 50.0%, f1 "load" 50.0%'
    found = answer_hottest_windows(CALLS, HottestWindows()).data
    assert {name: found[name] for name in ("profile", "length", "average", "whole", "frame")} == {
        "profile": "p0",
        "length": 5e6,
        "average": 5e6,
        "whole": 100e6,
        "frame": None,
    }
    assert [(row["start"], row["end"], round(row["share"], 9)) for row in found["rows"][:2]] == [
        (31.25e6, 36.25e6, 0.05),
        (37.5e6, 42.5e6, 0.05),
    ]


def _slice(name: str, thread: int, start: int, lasting: int) -> dict[str, object]:
    return {"ph": "X", "name": name, "ts": start * 1_000, "dur": lasting * 1_000, "pid": 1, "tid": thread}


TWO_STARTS = read_trace(json.dumps([_slice("main", 1, 0, 100), _slice("worker", 2, 40, 50)]).encode(), name="two")


@pytest.mark.parametrize("profile", ["p1", "all"])
def test_a_call_begins_at_the_same_moment_whichever_threads_are_asked(profile: str) -> None:
    outcome = answer_longest_calls(TWO_STARTS, LongestCalls(profile=profile, filter="worker"))
    assert outcome.text.splitlines()[1] == (
        's1 f1 "worker" 50.0 ms, self 50.0 ms, from 0 ns (40.0 ms of the recording), depth 0, p1'
    )
    (row,) = outcome.data["rows"]
    assert (row["start"], row["end"], row["recording_start_ns"]) == (0, 50e6, 40e6)


def test_a_moment_that_is_the_recordings_own_is_said_once() -> None:
    outcome = answer_longest_calls(TWO_STARTS, LongestCalls(profile="all", filter="main"))
    assert "from 0 ns, depth 0, p0" in outcome.text
    assert outcome.data["rows"][0]["recording_start_ns"] is None
