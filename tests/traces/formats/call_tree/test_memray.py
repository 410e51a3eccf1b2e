"""memray's exports, and what is said about the recordings that only memray reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.errors import DamagedTrace, UnrecognisedTrace
from traces.reader import read_trace

STRINGS = ["<root>", "", "main", "app.py", "load", "lib&lt;x&gt;.py"]
NODES = {
    "function": [0, 2, 4, 4],
    "filename": [1, 3, 5, 5],
    "lineno": [0, 3, 7, 9],
    "children": [[1], [2, 3], [], []],
    "value": [100, 100, 60, 30],
    "n_allocations": [10, 10, 6, 3],
}


def page(**nodes: Any) -> str:
    data = json.dumps({"inverted_no_imports_nodes": {}, "nodes": {**NODES, **nodes}, "strings": STRINGS})
    head = "<!DOCTYPE html>\n<html>\n<head>\n  <title>memray - flamegraph report</title>\n"
    return f"{head}<script>\n    const packed_data = {data};\n    var data = null;\n</script></html>\n"


def test_a_flame_graph_page_has_bytes_and_allocations() -> None:
    trace = read(page())
    assert stacks(trace) == [("main;load", 60.0), ("main;load", 30.0), ("main", 10.0)]
    assert stacks(trace, value="allocations") == [("main;load", 6.0), ("main;load", 3.0), ("main", 1.0)]
    assert [(trace.frame_file(i), trace.frame_line(i)) for i in range(3)] == [
        ("app.py", 3),
        ("lib<x>.py", 7),
        ("lib<x>.py", 9),
    ]


def test_a_flame_graph_over_time_asks_for_one_without() -> None:
    with pytest.raises(UnrecognisedTrace, match="--temporal"):
        read(page(value=None, n_allocations=None))


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ({"children": [[1], [1], [], []]}, "not below"),
        ({"children": [[1], [9], [], []]}, "not below"),
        ({"function": [0, 99, 4, 4]}, "text that"),
        ({"lineno": [0]}, "different length"),
        ({"value": ["x", 1, 1, 1]}, "int"),
    ],
)
def test_contradictions_are_refused(nodes: dict[str, Any], reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(page(**nodes))


def test_a_page_that_breaks_off_is_refused() -> None:
    with pytest.raises(DamagedTrace, match="no data"):
        read(page()[:200])


def test_statistics_say_what_is_not_listed(shared: Path) -> None:
    trace = read((shared / "traces" / "memray-stats.json.gz").read_bytes())
    assert (trace.recorded_at_ns, trace.utc_offset_minutes) == (1_795_294_932_959_000_000, None)
    own = own_values(trace)
    assert sum(own.values()) == 168_814_372
    assert sum(own_values(trace, value=1).values()) == 54_175
    assert own[("parse", "/opt/.python/versions/3.11.7/lib/python3.11/ast.py")] == 56_365_480
    assert warnings(trace) == {"no_stacks": 1}


def test_gprof2dot_exports_have_complete_chains() -> None:
    file = {
        "version": 0,
        "costs": [{"description": "Memory", "unit": "bytes"}, {"description": "Time", "unit": "ms"}],
        "functions": [{"name": "main", "module": "app.py"}, {"name": "load", "module": ""}],
        "events": [{"callchain": [1, 0], "cost": [30, 2]}, {"callchain": [0], "cost": [12, 0.5]}],
    }
    trace = read(json.dumps(file))
    assert stacks(trace) == [("main;load", 30.0), ("main", 12.0)]
    assert stacks(trace, value="Time") == [("main;load", 2_000_000), ("main", 500_000)]
    for key, value, reason in (
        ("events", [{"callchain": [5], "cost": [1, 1]}], "function that is not"),
        ("events", [{"callchain": [0], "cost": [1]}], "number of costs"),
        ("costs", [], "number of costs"),
    ):
        with pytest.raises(DamagedTrace, match=reason):
            read(json.dumps({**file, key: value}))


def test_memrays_own_recording_is_refused_with_advice(shared: Path) -> None:
    with pytest.raises(UnrecognisedTrace, match=r"pylint\.bin.*memray flamegraph"):
        read_trace((shared / "traces" / "memray-pylint.bin.gz").read_bytes(), name="pylint.bin")


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"\x04\x08{\x0d:\x0cversionf\x081.2", "JSON.generate"),
        (b"gmon\x01\0\0\0" + bytes(40), "perf record"),
        (b"desc: (none)\ncmd: ./prog\ntime_unit: i\n#-----------\nsnapshot=0\n", "callgrind"),
    ],
)
def test_other_tools_own_recordings_are_refused_with_advice(data: bytes, advice: str) -> None:
    with pytest.raises(UnrecognisedTrace, match=advice):
        read_trace(data, name="recording")
