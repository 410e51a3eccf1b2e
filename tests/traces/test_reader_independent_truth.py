"""What others say of the same recordings: go tool pprof, stackprof's own report, and plain arithmetic of intervals.

Callgrind's is beside callgrind's tests, pstats' beside cProfile's, perf script's beside perf.data's.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.traces.stacks_of_traces import read, warnings
from traces.model import Profile, Trace
from traces.values import ProfileKind

GO, STACKPROF = shutil.which("go"), shutil.which("stackprof")
SECONDS = 120
PPROF_ROW = re.compile(
    r"^ *(-?\d+)(?:ns|B)? +[\d.]+% +[\d.]+% +(-?\d+)(?:ns|B)? +[\d.]+% +(.+?)(?: \((?:partial-)?inline\))?$",
    re.MULTILINE,
)
STACKPROF_ROW = re.compile(r"^ *(\d+) +\( *[\d.]+%\) +(\d+) +\( *[\d.]+%\) +(.+)$", re.MULTILINE)


def by_name(trace: Trace, value: int) -> dict[str, tuple[float, float]]:
    """Self and total of each name in the first profile; a name inside itself counts once."""
    profile = trace.profiles[0]
    own, total = profile.tree.self_values[value].tolist(), profile.tree.total_values[value].tolist()
    names = [trace.frame_names[frame] for frame in profile.tree.frame.tolist()]
    parents = profile.tree.parent.tolist()
    above: list[frozenset[str]] = []
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for node, (name, parent) in enumerate(zip(names, parents, strict=True)):
        before = above[parent] if parent >= 0 else frozenset()
        above.append(before | {name})
        sums[name][0] += own[node]
        sums[name][1] += 0.0 if name in before else total[node]
    return {name: (pair[0], pair[1]) for name, pair in sums.items() if pair[1]}


def said(pattern: re.Pattern[str], report: str, *, self_first: bool) -> dict[str, tuple[float, float]]:
    """Self and total of each name that the report has once."""
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for first, second, name in pattern.findall(report):
        rows[name].append((float(first), float(second)) if self_first else (float(second), float(first)))
    return {name: found[0] for name, found in rows.items() if len(found) == 1}


@pytest.mark.long
@pytest.mark.skipif(GO is None, reason="go is not installed: no go tool pprof")
@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("fixtures/settlement.go-cpu.pb.gz", "cpu", "ns"),
        ("fixtures/settlement.go-heap.pb.gz", "alloc_space", "B"),
        ("fixtures/search-index.node-wall.pb.gz", "wall", "ns"),
        ("traces/go-compile-cpu.pb.gz", "cpu", "ns"),
    ],
)
def test_functions_have_what_go_tool_pprof_says(
    name: str, value: str, unit: str, fixtures: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    root = fixtures.parent if name.startswith("fixtures/") else request.getfixturevalue("shared")
    trace = read((root / name).read_bytes())
    assert GO is not None
    options = ["-top", "-nodefraction=0", "-nodecount=1000000", f"-unit={unit}", f"-sample_index={value}"]
    result = subprocess.run(
        [GO, "tool", "pprof", *options, str(root / name)],
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
        env=os.environ | {"PPROF_TMPDIR": str(tmp_path)},  # go builds its pprof at the first call, and keeps it in HOME
    )
    expected = said(PPROF_ROW, result.stdout, self_first=True)
    ours = by_name(trace, [v.name for v in trace.profiles[0].values].index(value))
    assert len(expected) > 10
    assert {function: ours[function] for function in expected} == expected


@pytest.mark.skipif(STACKPROF is None, reason="stackprof is not installed")
@pytest.mark.parametrize(
    ("name", "weight"),
    [("traces/stackprof-object.json.gz", 1), ("conformance/samples/stackprof/simple-cpu-stackprof.json", 1_000_000)],
)
def test_functions_have_what_stackprof_reports(name: str, weight: int, shared: Path, tmp_path: Path) -> None:
    data = (shared / name).read_bytes()
    file = tmp_path / "dump.json"
    file.write_bytes(gzip.decompress(data) if name.endswith(".gz") else data)
    assert STACKPROF is not None
    command = [STACKPROF, "--text", "--limit", "100000", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    expected = said(STACKPROF_ROW, result.stdout, self_first=False)
    ours = {function: own / weight for function, (own, _) in by_name(read(data), 0).items()}
    assert len(expected) > 5
    assert {function: ours.get(function, 0) for function in expected} == {f: own for f, (own, _) in expected.items()}


def events_of(data: bytes) -> list[dict[str, Any]]:
    file = json.loads(gzip.decompress(data))
    events: list[dict[str, Any]] = file if isinstance(file, list) else file["traceEvents"]
    return events


def busy(profile: Profile) -> int:
    return int(profile.tree.total_values[0][profile.tree.parent < 0].sum())


def test_threads_of_chrome_are_busy_as_long_as_the_union_of_their_slices(fixtures: Path) -> None:
    data = (fixtures / "board.chrome-object.json.gz").read_bytes()
    trace = read(data)
    assert "clamped" not in warnings(trace)
    slices: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for event in events_of(data):
        assert event["ph"] not in "BE"
        if event["ph"] == "X":
            start, lasting = round(event["ts"] * 1000), round(event.get("dur", 0) * 1000)
            slices[str(event["pid"]), str(event["tid"])].append((start, start + lasting))
    tasks = {(p.pid, p.tid): busy(p) for p in trace.profiles if p.kind is ProfileKind.EVENTED}
    assert tasks.keys() == slices.keys()
    for thread, intervals in slices.items():
        covered, until = 0, 0
        for start, end in sorted(intervals):
            covered += max(0, end - max(start, until))
            until = max(until, end)
        assert tasks[thread] == covered


@pytest.mark.parametrize("name", ["fixtures/changes.chrome-array.json.gz", "traces/chrome-20mb.json.gz"])
def test_processes_of_chrome_have_their_own_samples_alone(
    name: str, fixtures: Path, request: pytest.FixtureRequest
) -> None:
    """V8 numbers the profiles of each process anew: speedscope adds those of one number up."""
    root = fixtures.parent if name.startswith("fixtures/") else request.getfixturevalue("shared")
    data = (root / name).read_bytes()
    idle: dict[tuple[int, str], set[int]] = defaultdict(set)
    samples: dict[tuple[int, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for event in sorted(events_of(data), key=lambda event: event.get("ts", 0)):
        if event["name"] == "ProfileChunk":
            said, key = event["args"]["data"], (event["pid"], event["id"])
            for node in said.get("cpuProfile", {}).get("nodes", []):
                if node["callFrame"]["functionName"] in ("(root)", "(idle)"):
                    idle[key].add(node["id"])
            samples[key][0].extend(said.get("cpuProfile", {}).get("samples", []))
            samples[key][1].extend(said.get("timeDeltas", []))
    expected = []
    for key, (nodes, deltas) in samples.items():
        times = np.cumsum(deltas)
        order = np.argsort(times, kind="stable")
        lasting = np.diff(times[order], append=times.max())
        expected.append(int(lasting[~np.isin(np.array(nodes)[order], list(idle[key]))].sum()) * 1000)
    ours = [busy(p) for p in read(data).profiles if p.kind is ProfileKind.SAMPLED]
    assert len(ours) > 1
    assert sorted(ours) == pytest.approx(sorted(expected), rel=1e-9)
