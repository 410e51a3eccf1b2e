"""Paths of calls: against a plain walk over the calls of a recording, and by hand."""

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from traces.analysis.calls_in_turn import call_path
from traces.model import Profile, Trace
from traces.reader import read_trace

A, B, C = "handle", "parse", "render"


def recorded(events: list[tuple[str, int, int]]) -> Trace:
    """A recording of calls: name, beginning and end in microseconds."""
    calls: list[dict[str, Any]] = [
        {"ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": end - start, "name": name} for name, start, end in events
    ]
    return read_trace(json.dumps({"traceEvents": calls}).encode(), name="calls.json")


def masks(trace: Trace, *names: str) -> list[Any]:
    return [np.array([one == name for one in trace.frame_names], bool) for name in names]


def timeline(trace: Trace) -> Profile:
    return next(one for one in trace.profiles if one.spans is not None and len(one.spans))


def test_calls_that_come_no_further_say_which_call_was_their_last() -> None:
    trace = recorded(
        [
            *[(A, 0, 100), (B, 10, 30), (C, 40, 60)],  # in turn
            *[(A, 200, 300), (B, 220, 280), (C, 230, 240)],  # one in the other
            *[(A, 400, 500), (C, 410, 420), (B, 430, 440)],  # the other way round
            *[(A, 600, 700), ("give_up", 650, 660)],
            (A, 800, 900),
            (B, 1_000, 1_100),  # of nobody's call
        ]
    )
    first, then, last = call_path(timeline(trace), masks(trace, A, B, C))
    assert (first.reached, then.reached, last.reached) == (5, 3, 2)
    assert sorted(then.took.tolist()) == [10_000, 20_000, 30_000]
    assert sorted(last.took.tolist()) == [10_000, 30_000]
    ends = [(None if frame < 0 else trace.frame_name(frame), much) for frame, much in then.endings]
    assert sorted(ends, key=str) == [("give_up", 1.0), (None, 1.0)]
    assert [(trace.frame_name(frame), much) for frame, much in last.endings] == [(B, 1.0)]


def test_recursion_counts_once() -> None:
    trace = recorded([(A, 0, 100), (A, 10, 90), (B, 20, 30), (B, 40, 50)])
    first, then = call_path(timeline(trace), masks(trace, A, B))
    assert (first.reached, then.reached, then.took.tolist()) == (1, 1, [20_000])


def walked(events: list[tuple[str, int, int]], names: tuple[str, ...]) -> list[tuple[int, list[int], Counter[str]]]:
    """The same as a person would do it: call by call."""
    ordered = sorted(events, key=lambda one: (one[1], -one[2]))

    def inside(outer: tuple[str, int, int], one: tuple[str, int, int]) -> bool:
        return one is not outer and outer[1] <= one[1] and one[2] <= outer[2]

    calls = [one for one in ordered if one[0] == names[0]]
    outer = [one for one in calls if not any(inside(other, one) for other in calls)]
    found: list[tuple[int, list[int], Counter[str]]] = [(len(outer), [], Counter())]
    at: dict[tuple[str, int, int], tuple[str, int, int]] = {one: one for one in outer}
    for name in names[1:]:
        reached, took, lost = {}, [], Counter[str]()
        for call, place in at.items():
            below = [one for one in ordered if inside(call, one)]
            later = [one for one in below if one[0] == name and ordered.index(one) > ordered.index(place)]
            if later:
                reached[call] = later[0]
                took.append(later[0][1] - place[1])
            else:
                direct = [one for one in below if not any(inside(other, one) for other in below)]
                lost[direct[-1][0] if direct else ""] += 1
        found.append((len(reached), took, lost))
        at = reached
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_path_is_what_a_plain_walk_finds(seed: int) -> None:
    rng = random.Random(seed)
    events: list[tuple[str, int, int]] = []

    def call(start: int, end: int, depth: int) -> None:
        events.append((rng.choice([A, B, C, "other"]), start, end))
        at = start + 1
        while depth and at + 8 < end:
            stop = rng.randint(at + 4, end - 1)
            call(at, stop, depth - 1)
            at = stop + rng.randint(1, 60)

    for number in range(30):
        call(number * 1_000, number * 1_000 + 900, 4)
    trace = recorded(events)
    found = call_path(timeline(trace), masks(trace, A, B, C))
    for step, (reached, took, lost) in zip(found, walked(events, (A, B, C)), strict=True):
        assert step.reached == reached
        assert sorted(step.took.tolist()) == sorted(one * 1_000 for one in took)
        assert Counter({trace.frame_name(frame) if frame >= 0 else "": much for frame, much in step.endings}) == lost


def test_of_samples_it_is_what_they_measured_below_each_function() -> None:
    stacks = (
        b"main;handle;parse;render 40\nmain;handle;parse 20\nmain;handle;render;parse 30\n"
        b"main;render 7\nmain;handle 3\n"
    )
    trace = read_trace(stacks, name="stacks.txt")
    first, then, last = call_path(trace.profiles[0], masks(trace, A, B, C))
    assert (first.reached, then.reached, last.reached) == (93, 90, 40)
    assert [(trace.frame_name(frame), much) for frame, much in last.endings] == [(B, 50.0)]
    assert [(trace.frame_name(frame), much) for frame, much in then.endings] == [(A, 3.0)]
    assert not len(last.took)
