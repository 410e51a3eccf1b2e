"""V8 heap profiles: a sample for each node that allocated."""

import json
from pathlib import Path
from typing import Any

import pytest

from traces.errors import DamagedTrace, EmptyTrace
from traces.invariants import check
from traces.reader import read_trace
from traces.values import Unit


def node(name: str, size: Any, *children: dict[str, Any], url: str = "app.js", line: int = 0) -> dict[str, Any]:
    call = {"functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 4}
    return {"callFrame": call, "selfSize": size, "id": 1, "children": list(children)}


def written(head: dict[str, Any]) -> bytes:
    return json.dumps({"head": head, "samples": [{"size": 8, "nodeId": 1, "ordinal": 1}]}).encode()


def test_a_node_weighs_what_it_allocated_and_lines_count_from_one() -> None:
    head = node("(root)", 0, node("load", 0, node("parse", 300, line=8), node("", 100)), url="", line=-1)
    trace = read_trace(written(head), name="heap")
    check(trace)
    (profile,) = trace.profiles
    assert (trace.format, profile.values[0].name, profile.unit) == ("heap-profile", "allocated", Unit.BYTES)
    assert trace.frame_names == ("(root)", "load", "parse", "(anonymous app.js:1)")
    assert [trace.frame_line(frame) for frame in range(4)] == [None, 1, 9, 1]
    assert profile.tree.total_values[0].tolist() == [400, 400, 300, 100]


def test_a_profile_recorded_by_node_is_read_completely(shared: Path) -> None:
    trace = read_trace((shared / "traces" / "node-tsc.heapprofile.gz").read_bytes(), name="unknown")
    check(trace)
    assert trace.format == "heap-profile"
    assert trace.profiles[0].tree.total_values[0][0] == 36_534_952


def test_a_program_that_allocated_nothing_leaves_an_empty_trace() -> None:
    with pytest.raises(EmptyTrace):
        read_trace(written(node("(root)", 0)), name="heap")


@pytest.mark.parametrize("size", [-1, "many", None, 1e400])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    with pytest.raises(DamagedTrace, match="heap-profile"):
        read_trace(written(node("(root)", 0, node("load", size))), name="heap")


def test_a_tree_deeper_than_any_stack_is_refused() -> None:
    deep = b'{"head":' + b'{"callFrame":{"functionName":"f"},"selfSize":1,"children":[' * 100_000
    with pytest.raises(DamagedTrace):
        read_trace(deep, name="heap")
