"""Hermes writes where a function is into the arguments of every event."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read
from traces.model import Trace


def call(name: str, at: int, **place: Any) -> dict[str, Any]:
    args = {"url": "app.js", "line": 1, "column": 2, "allocatedName": name, "name": name} | place
    return {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 5, "cat": "react", "args": args}


def places(trace: Trace) -> dict[str, tuple[str | None, int | None]]:
    return {name: (trace.frame_file(at), trace.frame_line(at)) for at, name in enumerate(trace.frame_names)}


EVENTS = [call("render", 0, line=17, column=4), call("layout", 10, url="view.js", line=3), call("render", 20)]


def test_each_function_has_its_place() -> None:
    trace = read(json.dumps(EVENTS))
    assert places(trace)["layout"] == ("view.js", 3)
    files = {(trace.frame_names[at], trace.frame_line(at)) for at in range(len(trace.frames))}
    assert files >= {("render", 17), ("layout", 3), ("render", 1)}, "one name at two places is two functions"


def test_other_events_between_them_change_nothing() -> None:
    between = {"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 7, "s": "t"}
    apart = read(json.dumps([EVENTS[0], between, *EVENTS[1:]]))
    assert places(apart) == places(read(json.dumps(EVENTS)))


def test_a_place_that_is_not_known_is_none() -> None:
    unknown = call("native", 30)
    del unknown["args"]
    trace = read(json.dumps([*EVENTS, unknown]))
    assert places(trace)["native"] == (None, None)


@pytest.mark.parametrize(
    "args",
    ["text", 7, None, {"url": 7}, {"line": "no number"}, {"line": [1]}, {"url": "a.js", "line": 1e300}, {"line": -5}],
)
def test_arguments_of_another_form_leave_the_call_without_its_place(args: Any) -> None:
    odd = {**call("odd", 30), "args": args}
    trace = read(json.dumps([*EVENTS, odd]))
    assert "odd" in trace.frame_names
    assert places(trace)["layout"] == ("view.js", 3)
