"""V8's profiles of which Chrome dropped pieces: what is left is read, and it is said."""

import json

from tests.traces.stacks_of_traces import read, stacks, warnings


def node(ident: int, name: str, parent: int | None = None) -> dict[str, object]:
    call = {"functionName": name, "url": "", "lineNumber": 1, "columnNumber": 1}
    return {"id": ident, "callFrame": call} | ({} if parent is None else {"parent": parent})


def chunks(nodes: list[dict[str, object]], samples: list[int]) -> str:
    data = {"cpuProfile": {"nodes": nodes, "samples": samples}, "timeDeltas": [10] * len(samples)}
    common = {"cat": "v8", "ph": "P", "pid": 1, "tid": 1, "id": "0x1", "ts": 0}
    start = {"name": "Profile", "args": {"data": {"startTime": 0}}, **common}
    return json.dumps([start, {"name": "ProfileChunk", "args": {"data": data}, **common}])


def test_a_node_whose_caller_is_lost_is_drawn_without_it() -> None:
    trace = read(chunks([node(1, "(root)"), node(7, "draw", 6), node(8, "line", 7)], [8, 7, 1]))
    assert stacks(trace) == [("draw;line", 10_000), ("draw", 10_000), ("", 0)]
    assert warnings(trace) == {"lost_callers": 1}


def test_a_sample_of_a_lost_node_shows_what_ran_before_it() -> None:
    trace = read(chunks([node(1, "(root)"), node(2, "main", 1)], [9, 2, 9, 9, 1]))
    assert stacks(trace) == [("", 10_000), ("main", 10_000), ("main", 10_000), ("main", 10_000), ("", 0)]
    assert warnings(trace) == {"lost_nodes": 2}


UNREAD = [node(1, "(root)"), node(2, "(program)", 1), node(3, "main", 1), node(4, "work", 3), node(5, "timer", 1)]


def test_a_single_unread_stack_between_two_of_one_root_shows_the_one_before() -> None:
    trace = read(chunks(UNREAD, [4, 2, 3, 1]))
    assert stacks(trace) == [("main;work", 10_000), ("main;work", 10_000), ("main", 10_000), ("", 0)]
    assert warnings(trace) == {"unread_stacks": 1}


def test_an_unread_stack_between_two_roots_stays() -> None:
    trace = read(chunks(UNREAD, [4, 2, 5, 1]))
    assert stacks(trace) == [("main;work", 10_000), ("(program)", 10_000), ("timer", 10_000), ("", 0)]
    assert warnings(trace) == {}


HOUR = 3_600_000_000
"""In the microseconds of a file."""


def jumped(*deltas: int) -> tuple[list[float], list[str]]:
    """What each sample weighs of a file with these deltas, and what it says of jumps."""
    nodes = [{"children": [2], **node(1, "(root)")}, node(2, "main")]
    file = {"nodes": nodes, "samples": [2] * len(deltas), "timeDeltas": deltas, "startTime": 1, "endTime": 0}
    trace = read(json.dumps(file))
    said = [warning.text for warning in trace.warnings if warning.code == "clock_jumps"]
    assert trace.profiles[0].samples is not None
    return trace.profiles[0].samples.weights[0].tolist(), said


def test_an_hour_between_samples_is_none_and_more_is_a_jump_whose_length_is_said() -> None:
    weights, said = jumped(0, 10, HOUR, 10)
    assert (sum(weights), said) == ((HOUR + 20) * 1_000, [])
    weights, (text,) = jumped(0, 10, HOUR + 1, 10)
    assert sum(weights) == 20_000
    assert "left out, 60 min 0 s in all" in text
    _, (text,) = jumped(0, 10, 1 << 53, 1 << 53, 10)
    assert "left out, more than " in text


def test_an_hour_is_no_jump_in_a_file_that_is_wrong_about_its_length() -> None:
    half = HOUR // 2
    nodes = [{"children": [2], **node(1, "(root)")}, node(2, "main")]
    deltas = {"timeDeltas": [0, HOUR, half, half], "startTime": 1, "endTime": 1 + half}
    trace = read(json.dumps({"nodes": nodes, "samples": [2, 2, 2, 2], **deltas}))
    assert trace.profiles[0].samples is not None
    assert trace.profiles[0].samples.weights[0].sum() == 2 * HOUR * 1_000
