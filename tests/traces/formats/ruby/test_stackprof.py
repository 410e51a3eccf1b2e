"""stackprof: what a sample weighs in each mode, the collector on top of what ran, and dumps without raw samples."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import callers_callees
from traces.errors import DamagedTrace, EmptyTrace

FRAMES = {
    "11": {"name": "<main>", "file": "app.rb", "line": 1, "samples": 0, "edges": {"22": 3}},
    "22": {"name": "Object#draw", "file": "app.rb", "line": 7, "samples": 3},
    "1": {"name": "(garbage collection)", "file": "", "samples": 1},
    "33": {"name": None, "file": "<cfunc>", "line": None, "samples": 0},
}


def dump(mode: str, **other: Any) -> str:
    head = {"version": 1.2, "mode": mode, "interval": 1000, "samples": 4, "gc_samples": 1, "missed_samples": 0}
    return json.dumps({**head, "frames": FRAMES, **other})


RAW = [2, 11, 22, 2, 1, 1, 1, 1, 1, 1, 2, 11, 33, 1]


@pytest.mark.parametrize(
    ("mode", "value", "weights"),
    [
        ("wall", "wall time", [500_000, 7_000, 7_000, 7_000]),
        ("cpu", "CPU time", [2_000_000, 1_000_000, 1_000_000, 1_000_000]),
        ("object", "samples", [2, 1, 1, 1]),
        ("custom", "samples", [2, 1, 1, 1]),
    ],
)
def test_a_sample_weighs_what_its_mode_measures(mode: str, value: str, weights: list[float]) -> None:
    trace = read(dump(mode, raw=RAW, raw_timestamp_deltas=[200, 300, 7, 7, 7]))
    assert trace.profiles[0].values[0].name == value
    assert stacks(trace) == list(
        zip(
            [
                "<main>;Object#draw",
                "<main>;Object#draw;(garbage collection)",
                "<main>;Object#draw;(garbage collection)",
                "<main>;(unknown)",
            ],
            weights,
            strict=True,
        )
    )


def test_without_raw_samples_sums_and_callers_are_left() -> None:
    trace = read(dump("cpu"))
    assert own_values(trace)[("Object#draw", "app.rb")] == 3
    assert stacks(trace)[0] == ("<main>;Object#draw", 3.0)
    assert "estimated_paths" in warnings(trace)


def test_large_dumps_have_every_sample(shared: Path) -> None:
    data = (shared / "traces" / "stackprof-object.json.gz").read_bytes()
    trace, said = read(data), json.loads(gzip.decompress(data))
    own = own_values(trace)
    assert sum(own.values()) == said["samples"]
    for frame in said["frames"].values():
        if frame["samples"]:
            assert own[(frame["name"], frame["file"])] >= frame["samples"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"raw": [5, 11, 22]}, "breaks off"),
        ({"raw": [-1, 11, 1]}, "contradicts"),
        ({"raw": [1, 11, -4]}, "contradicts"),
        ({"raw": [1, 99, 1]}, "frame that is not"),
        ({"raw": [1, 11, 5], "raw_timestamp_deltas": [1]}, "fewer times"),
        ({"raw": [1, 11, 1], "raw_timestamp_deltas": [1e300]}, "out of range"),
        ({"frames": {"1": {"name": "f", "edges": {"2": 1}}}}, "edge names"),
        ({"frames": []}, "object"),
    ],
)
def test_contradictions_are_refused(other: dict[str, Any], reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(dump("wall", **other))


def test_a_dump_without_frames_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(dump("wall", frames={}))


def test_without_raw_samples_callers_have_the_samples_of_the_dump_and_no_calls(shared: Path) -> None:
    dumped = json.loads(gzip.decompress((shared / "traces" / "stackprof-object.json.gz").read_bytes()))
    dumped = {key: value for key, value in dumped.items() if not key.startswith("raw")}
    trace = read(json.dumps(dumped))
    names = {key: (f["name"], f["file"], f.get("line")) for key, f in dumped["frames"].items()}
    alone = {place: key for key, place in names.items() if list(names.values()).count(place) == 1}
    checked = 0
    for frame in range(len(trace.frames)):
        key = alone.get((trace.frame_name(frame), trace.frame_file(frame), trace.frame_line(frame)))
        edges = dumped["frames"][key].get("edges", {}) if key else {}
        if not edges or any(alone.get(names[callee]) != callee for callee in edges):
            continue
        found = callers_callees(trace, frame, limit=10_000)
        rows = {(row.name, row.file, row.line): row.value for row in found.callees}
        assert rows == {names[callee]: samples for callee, samples in edges.items() if callee != key}
        assert found.basis is Basis.RECORDED
        assert found.frame.total_value == dumped["frames"][key]["total_samples"]
        assert all(row.calls is None for row in found.callers + found.callees)
        checked += 1
    assert checked > 20
