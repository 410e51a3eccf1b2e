"""V8's CPU profiles: both of their forms are the same profile, and what breaks off is refused."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, stacks
from traces.errors import DamagedTrace
from traces.reader import read_trace

CALL = {"url": "app.js", "lineNumber": 3, "columnNumber": 0, "scriptId": "1"}
NODES: list[dict[str, Any]] = [
    {"id": 1, "callFrame": CALL | {"functionName": "(root)"}, "children": [2]},
    {"id": 2, "callFrame": CALL | {"functionName": "main"}, "children": [3]},
    {"id": 3, "callFrame": CALL | {"functionName": "work"}},
]
LIST: dict[str, Any] = {
    "nodes": NODES,
    "startTime": 1_000,
    "endTime": 1_060,
    "samples": [2, 3, 3, 2],
    "timeDeltas": [0, 10, 20, 30],
}


def a_node(number: int, name: str, *children: dict[str, Any]) -> dict[str, Any]:
    place = {"url": "app.js", "lineNumber": 3, "columnNumber": 0}
    return {"id": number, "functionName": name, "children": list(children)} | place


TREE = {
    "head": a_node(1, "(root)", a_node(2, "main", a_node(3, "work"))),
    "samples": LIST["samples"],
    "timestamps": [1_000, 1_010, 1_030, 1_060],
}


def rows(document: object) -> list[tuple[str, float]]:
    return stacks(read(json.dumps(document)))


def test_a_tree_of_old_is_the_list_of_today() -> None:
    assert rows(LIST)[:3] == [("main", 10_000), ("main;work", 20_000), ("main;work", 30_000)]
    assert rows(TREE) == rows(LIST)


def without(document: dict[str, Any], *missing: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in missing}


@pytest.mark.parametrize("missing", [("samples",), ("samples", "timeDeltas")])
def test_without_samples_or_what_nodes_say_of_them_it_is_refused(missing: tuple[str, ...]) -> None:
    with pytest.raises(DamagedTrace, match="no samples or no time deltas"):
        rows(without(LIST, *missing))


@pytest.mark.parametrize("document", [without(LIST, "timeDeltas"), without(TREE, "timestamps")])
def test_samples_without_times_are_counted(document: dict[str, Any]) -> None:
    trace = read(json.dumps(document))
    assert sorted(stacks(trace)) == [("main", 2.0), ("main;work", 2.0)]
    assert trace.profiles[0].values[0].name == "samples"
    assert "no_times" in {warning.code for warning in trace.warnings}


def test_what_nodes_say_of_their_samples_is_counted_where_there_is_no_list_of_them() -> None:
    document = without(LIST, "samples", "timeDeltas") | {"nodes": [n | {"hitCount": n["id"] - 1} for n in NODES]}
    assert sorted(stacks(read(json.dumps(document)))) == [("main", 1.0), ("main;work", 2.0)]


def test_moments_stand_for_what_lies_between_them() -> None:
    assert rows(without(LIST, "timeDeltas") | {"timestamps": TREE["timestamps"]}) == rows(LIST)


def test_one_that_breaks_off_is_read_as_far_as_times_go() -> None:
    document = json.dumps(LIST).encode()
    complete = read_trace(document, name="a.cpuprofile")
    cut = read_trace(document.removesuffix(b"}"), name="a.cpuprofile")
    assert [len(each.profiles[0].samples or ()) for each in (complete, cut)] == [len(LIST["samples"])] * 2
    assert "unterminated" in {warning.code for warning in cut.warnings}
    shorter = read_trace(document[: document.rindex(b",")], name="a.cpuprofile")
    assert len(shorter.profiles[0].samples or ()) == len(LIST["timeDeltas"]) - 2  # the last number may go on


@pytest.mark.parametrize("form", ["list", "tree"])
def test_one_that_breaks_off_before_its_times_counts_how_often_nodes_were_sampled(form: str) -> None:
    document: dict[str, Any] = LIST | {"nodes": [node | {"hitCount": node["id"] - 1} for node in NODES]}
    if form == "tree":
        nodes = [a_node(3, "work") | {"hitCount": 2}]
        for number, name in ((2, "main"), (1, "(root)")):
            nodes = [a_node(number, name, *nodes) | {"hitCount": number - 1}]
        document = TREE | {"head": nodes[0]}
    content = json.dumps(document).encode()
    cut = read(content[: content.index(b'"samples"') + 14], name="a.cpuprofile")
    assert sorted(stacks(cut)) == [("main", 1.0), ("main;work", 2.0)]
    assert cut.profiles[0].values[0].name == "samples"
    assert {"times_lost", "unterminated"} <= {warning.code for warning in cut.warnings}
