"""The largest that traces come: they are read and answered, or a bound is said."""

import json
from collections.abc import Callable

import pytest

from traces.analysis.calltree import call_tree
from traces.analysis.find import find_frames
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.analysis.view_layout import left_heavy, time_order
from traces.bounds import MAX_STACK_DEPTH
from traces.cache import decode, encode
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

DEEP = 100_000
SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"


def answered(trace: Trace) -> Trace:
    """The same trace; every kind of question has been asked of it."""
    assert top_functions(trace).rows
    assert call_tree(trace).nodes
    assert left_heavy(trace, max_boxes=1_000).boxes
    if trace.profiles[trace.default_profile].has_times:
        assert time_order(trace, max_boxes=1_000).boxes
    assert summarise(trace).frame_count == len(trace.frames)
    return decode(b"".join(encode(trace)))


def deep_collapsed() -> bytes:
    return b"f0;other 3\n" * 9 + ";".join(f"f{i}" for i in range(DEEP)).encode() + b" 7\n"


def deep_trace_events() -> bytes:
    begins = [{"ph": "B", "name": f"f{i}", "ts": i, "pid": 1, "tid": 1} for i in range(DEEP)]
    ends = [{"ph": "E", "name": f"f{i}", "ts": 2 * DEEP - i, "pid": 1, "tid": 1} for i in reversed(range(DEEP))]
    return json.dumps([*begins, *ends]).encode()


def deep_cpuprofile() -> bytes:
    frame = {"scriptId": "0", "url": "", "lineNumber": 0, "columnNumber": 0}
    nodes = [
        {"id": i + 1, "callFrame": frame | {"functionName": f"f{i}"}, "children": [i + 2] * (i < DEEP - 1)}
        for i in range(DEEP)
    ]
    times = {"startTime": 0, "endTime": 10, "samples": [DEEP, 2], "timeDeltas": [5, 5]}
    return json.dumps({"nodes": nodes, **times}).encode()


def deep_speedscope() -> bytes:
    frames = [{"name": f"f{i}"} for i in range(DEEP)]
    profile = {"type": "sampled", "name": "p", "unit": "none", "startValue": 0, "endValue": 10}
    samples = {"samples": [list(range(DEEP)), [0]], "weights": [7, 3]}
    return json.dumps({"$schema": SPEEDSCOPE, "shared": {"frames": frames}, "profiles": [profile | samples]}).encode()


@pytest.mark.parametrize(
    "make",
    [
        deep_collapsed,
        *(pytest.param(m, marks=pytest.mark.long) for m in (deep_trace_events, deep_cpuprofile, deep_speedscope)),
    ],
)
@pytest.mark.timeout(300)
def test_a_stack_a_hundred_thousand_deep_is_cut_at_the_bound_and_that_is_said(make: Callable[[], bytes]) -> None:
    trace = answered(read_trace(make(), name="deep"))
    assert trace.profiles[0].tree.depth.max() == MAX_STACK_DEPTH - 1
    assert "too_deep" in {warning.code for warning in trace.warnings}


def test_two_hundred_threads_are_two_hundred_profiles() -> None:
    events = [
        {"ph": "X", "name": f"f{i % 7}", "ts": i * 10, "dur": 10 - i % 7, "pid": 1, "tid": tid}
        for tid in range(200)
        for i in range(20)
    ]
    trace = answered(read_trace(json.dumps(events).encode(), name="threads.json"))
    check(trace)
    assert len(trace.profiles) == 200
    assert len(summarise(trace).profiles) == 200


@pytest.mark.parametrize("form", ["collapsed", "trace-event"])
def test_names_of_a_megabyte_are_kept_in_full(form: str) -> None:
    names = [letter * (1 << 20) for letter in "abc"]
    events = [{"ph": "X", "name": name, "ts": i, "dur": 9 - 2 * i, "pid": 1, "tid": 1} for i, name in enumerate(names)]
    content = "a;b 1\n" * 9 + ";".join(names) + " 3\n" if form == "collapsed" else json.dumps(events)
    trace = answered(read_trace(content.encode(), name="names"))
    check(trace)
    assert trace.format == form
    assert set(names) <= set(trace.frame_names)
    assert find_frames(trace, "bbb").total_matches == 1


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("form", ["collapsed", "trace-event"])
def test_five_million_frames_are_read_and_answered(form: str) -> None:
    count = 5_000_000
    if form == "collapsed":
        content = "".join(f"main;f{i} 1\n" for i in range(count)).encode()
    else:
        row = b'{"ph":"X","name":"f%d","ts":%d,"dur":1,"pid":1,"tid":1},'
        content = b"[" + b"".join(row % (i % 1_000, i) for i in range(count)) + b"{}]"
    trace = answered(read_trace(content, name="large"))
    assert (len(trace.frames), top_functions(trace).scope_total) == (
        (count + 1, count) if form == "collapsed" else (1_000, count * 1_000)
    )
