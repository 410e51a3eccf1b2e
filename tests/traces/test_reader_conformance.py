"""speedscope's samples, read as speedscope reads them, except where we differ on purpose."""

import gzip
import itertools
import json
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from traces.analysis.time_invariants import check_time
from traces.invariants import check
from traces.model import Profile, Trace
from traces.reader import read_trace
from traces.values import ProfileKind

FACTORS = {"none": 1, "bytes": 1, "nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}
SAME = [
    "Chrome/65/simple-timeline.json",
    "Chrome/65/simple.cpuprofile",
    "Chrome/69/Heap-20181005T144546.heapprofile",
    "Firefox/59/simple-firefox.json",
    "Firefox/63/simple-firefox.json",
    "Instruments/13.4/cycles-example-deep-copy.txt",
    "Instruments/7.3.1/simple-time-profile-deep-copy.txt",
    "Instruments/8.3.3/simple-time-profile.trace.zip",
    "Instruments/9.3.1/simple-time-profile.trace.zip",
    "Safari/13.1/simple.html-recording.json",
    "callgrind/callgrind.example.log",
    "callgrind/callgrind.multiple-event-types.log",
    "callgrind/callgrind.name-compression.log",
    "haskell/simple.prof",
    "java-flight-recorder/heavy.jfr",
    "node/10.11.0/example.cpuprofile",
    "papyrus/script.log",
    "pmcstat/simple.txt",
    "pprof/simple.prof",
    "speedscope/0.0.1/simple-no-pretty-print.speedscope.json",
    "speedscope/0.0.1/simple.speedscope.json",
    "speedscope/0.1.2/simple-sampled.speedscope.json",
    "stackcollapse/perf-vertx-stacks-01-collapsed-all.txt",
    "stackcollapse/recursion.txt",
    "stackcollapse/simple-crlf.txt",
    "stackcollapse/simple-utf16-le.txt",
    "stackcollapse/simple.txt",
    "stackprof/simple-cpu-stackprof.json",
    "stackprof/simple-stackprof.json",
    "trace-event/end-event-with-empty-stack.json",
    "trace-event/matching-x.json",
    "trace-event/multiprocess.json",
    "trace-event/simple-hermes.json",
    "trace-event/simple-object.json",
    "trace-event/simple-partial-whitespace.json",
    "trace-event/simple-partial.json",
    "trace-event/simple-with-samples.json",
    "trace-event/simple.json",
    "trace-event/x-events-matching-start.json",
]
GAPS_ARE_IDLE = [
    "linux-perf/one-sample.linux-perf.txt",
    "linux-perf/simple-with-header.linux-perf.txt",
    "linux-perf/simple-with-pid.linux-perf.txt",
    "linux-perf/simple.linux-perf.txt",
]
"""speedscope lets a sample of perf last half of the gaps to its neighbours, and so counts a thread's sleep as work of
the one sample between two of them. Here it lasts its period or the usual interval, as in `perf report`."""
WITHOUT_TRUTH = {"node/8.5.0/isolate-0x102802600-v8.log"}
"""Read here, not by speedscope: tested by the format's own tests."""
COUNTED_FROM_ZERO = {"Chrome/69/Heap-20181005T144546.heapprofile"}
"""speedscope shows V8's lines and columns as they are in the file; here they are counted from 1, as everywhere."""
VALUES_AS_PROFILES = {"callgrind", "haskell"}
"""speedscope makes a profile of each thing that is measured; here they are values of one profile."""
TWICE = {"Instruments/8.3.3/simple-time-profile.trace.zip"}
"""speedscope shows each thread once for every process whose symbols are in the file."""
CYCLES = {"Instruments/13.4/cycles-example-deep-copy.txt"}
"""speedscope calls processor cycles milliseconds."""
SPEEDSCOPES_PROFILES = 2
"""Of a Java recording: without and with native code; allocations and waits follow them here."""
Stacks = list[tuple[str, float]]


@pytest.fixture(scope="module")
def truths(shared: Path) -> dict[str, Any]:
    with gzip.open(shared / "conformance" / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {truth["path"]: truth for truth in map(json.loads, lines)}


def read(shared: Path, path: str, name: str = "unknown") -> Trace:
    trace = read_trace((shared / "conformance" / "samples" / path).read_bytes(), name=name)
    check(trace)
    check_time(trace)
    return trace


def compared_profiles(trace: Trace) -> list[Profile]:
    """A Chrome trace also shows the tasks of each thread, which speedscope leaves out."""
    if trace.format in VALUES_AS_PROFILES:
        return [
            replace(p, default_value=k) for p in trace.profiles for k, v in enumerate(p.values) if v.name != "calls"
        ]
    if trace.format == "jfr":
        return list(trace.profiles[:SPEEDSCOPES_PROFILES])
    return [p for p in trace.profiles if trace.format != "chrome" or p.kind is ProfileKind.SAMPLED]


def counted_from_one(profile: dict[str, Any]) -> dict[str, Any]:
    def named(names: str) -> str:
        return re.sub(r"\(anonymous ([^;]*?):(-?\d+)\)", lambda m: f"(anonymous {m[1]}:{int(m[2]) + 1})", names)

    frames = [{**f, "name": named(f["name"]), "line": f["line"] + 1, "col": f["col"] + 1} for f in profile["frames"]]
    return {**profile, "frames": frames, "stacksRaw": [(named(path), weight) for path, weight in profile["stacksRaw"]]}


def expected_profiles(path: str, profiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if path in COUNTED_FROM_ZERO:
        return list(map(counted_from_one, profiles))
    if path in TWICE:
        return profiles[:1]
    return [{**p, "unit": "none"} for p in profiles] if path in CYCLES else profiles


@cache
def without_args(name: str) -> str:
    """speedscope makes the arguments of a trace event a part of its name; here they are no part of the function."""
    return re.sub(r" \{.*\}$", "", name)


def with_place(frame: dict[str, Any]) -> dict[str, Any]:
    """GHC's `src/Main.hs:(21,1)-(38,42)` is a file for speedscope; here it is file, line and column."""
    place = re.fullmatch(r"(.+\.hs):\(?(\d+)[,:](\d+)\)?-.*", frame["file"] or "")
    return {**frame, "file": place[1], "line": int(place[2]), "col": int(place[3])} if place else frame


def merged(stacks: Stacks) -> Stacks:
    """Idle parts left out, equal neighbours as one: speedscope keeps them apart where a call returned between."""
    result: Stacks = []
    for path, weight in stacks:
        if path and weight:
            if result and result[-1][0] == path:
                result[-1] = (path, result[-1][1] + weight)
            else:
                result.append((path, weight))
    return result


UNFINISHED = {
    "trace-event/mismatched-name.json": ({"alpha": 0}, 1),
    "trace-event/not-enough-end-events.json": ({"A": 1000}, 2),
    "trace-event/only-begin-events.json": ({"A": 0, "B": 0, "C": 0}, 3),
    "speedscope/invalid/incomplete-trace.json": ({"A": 0}, 1),
}
"""Spans without an end: the self time of each function, and how many there are. speedscope lets them last to the last
event and counts that; the last file it refuses."""


V8_ROOTS = {"(program)", "(garbage collector)"}
ROOTS_OF_THEIR_OWN = [
    "Chrome/65/sucrase.cpuprofile",
    "Chrome/66/worker.json",
    "source-maps/chrome-85-esbuild.json",
    "source-maps/chrome-85-parcel.json",
]
"""speedscope puts V8's `(program)` and `(garbage collector)` on top of what ran before, and moves samples out of order
to the latest time before them. Here they are roots: nothing says whose time it was, and a thread that waits shows
`(program)`; and samples are put in order. Both as in Chrome's panel."""


def paths_of(trace: Trace, profile: Profile) -> list[str]:
    paths: list[str] = []
    for frame, parent in zip(profile.tree.frame.tolist(), profile.tree.parent.tolist(), strict=True):
        name = trace.frame_names[frame]
        paths.append(name if parent < 0 else f"{paths[parent]};{name}")
    return paths


def stacks_of(trace: Trace, profile: Profile) -> Stacks:
    paths = paths_of(trace, profile)
    if profile.samples is not None:
        weights = profile.samples.weights[profile.default_value].tolist()
        leaves = profile.samples.leaf.tolist()
        return merged([("" if leaf < 0 else paths[leaf], w) for leaf, w in zip(leaves, weights, strict=True)])
    spans = profile.spans
    assert spans is not None
    moments = sorted({*spans.start.tolist(), *spans.end.tolist()})
    stacks: Stacks = []
    for begin, end in itertools.pairwise(moments):
        inside = [i for i in range(len(spans)) if spans.start[i] <= begin and spans.end[i] >= end]
        stacks.append(
            (paths[spans.node[max(inside, key=lambda i: int(spans.depth[i]))]] if inside else "", end - begin)
        )
    return merged(stacks)


def frames_of(trace: Trace, profile: Profile, *, places: bool) -> dict[Any, list[float]]:
    frames: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    tree = profile.tree
    own, total = tree.self_values[profile.default_value], tree.total_values[profile.default_value]
    for node, frame in enumerate(tree.frame.tolist()):
        column = int(trace.frames.column[frame])
        place = (trace.frame_line(frame), column if column >= 0 else None) if places else ()
        sums = frames[(trace.frame_name(frame), trace.frame_file(frame), *place)]
        sums[0] += own[node].item()
        sums[1] += total[node].item() * int(tree.outermost[node])
    return {key: sums for key, sums in frames.items() if sums[1] > 0}


def frames_in_truth(truth: dict[str, Any], factor: float, *, places: bool) -> dict[Any, list[float]]:
    frames: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for frame in truth["frames"]:
        place = (frame["line"] or None, frame["col"] or None) if places else ()
        sums = frames[(without_args(frame["name"]), frame["file"] or None, *place)]
        sums[0] += frame["self"] * factor
        sums[1] += frame["total"] * factor
    return {key: sums for key, sums in frames.items() if sums[1] > 0}


@pytest.mark.parametrize("path", SAME)
def test_a_sample_gives_the_stacks_and_frames_that_speedscope_gives(
    path: str, shared: Path, truths: dict[str, Any]
) -> None:
    trace = read(shared, path)
    profiles, expectations = compared_profiles(trace), expected_profiles(path, truths[path]["profiles"])
    if trace.format == "haskell":
        expectations = [{**e, "frames": list(map(with_place, e["frames"]))} for e in expectations]
    assert len(profiles) == len(expectations)
    for profile, truth in zip(profiles, expectations, strict=True):
        factor = FACTORS[truth["unit"]]
        expected = merged([(";".join(map(without_args, s.split(";"))), w * factor) for s, w in truth["stacksRaw"]])
        stacks = stacks_of(trace, profile)
        slack = 1.0 if profile.unit.is_time else 0.0
        assert [s for s, _ in stacks] == [s for s, _ in expected]
        for (path_of_stack, weight), (_, expected_weight) in zip(stacks, expected, strict=True):
            assert isclose(weight, expected_weight, rel_tol=1e-9, abs_tol=slack), path_of_stack
        # pprof: a function is one frame with its first line, not the line it was last sampled at.
        places = trace.format != "pprof"
        frames, target = frames_of(trace, profile, places=places), frames_in_truth(truth, factor, places=places)
        assert frames.keys() == target.keys()
        # Functions that speedscope splits by arguments count recursion once here, once per argument there.
        recursive = any(without_args(frame["name"]) != frame["name"] for frame in truth["frames"])
        samples = len(profile.samples) if profile.samples is not None else 1
        for key, sums in frames.items():
            assert isclose(sums[0], target[key][0], rel_tol=1e-9, abs_tol=slack * samples), key
            assert recursive or isclose(sums[1], target[key][1], rel_tol=1e-9, abs_tol=slack * samples), key


@pytest.mark.parametrize("path", ["trace-event/unbalanced-name.json", "trace-event/out-of-order-unbalanced-name.json"])
def test_an_end_event_closes_what_is_still_open_above_its_span(path: str, shared: Path) -> None:
    # speedscope ignores the first end event and closes both spans at 10 µs.
    trace = read(shared, path)
    assert stacks_of(trace, trace.profiles[0]) == [("alpha", 1000), ("alpha;beta", 8000)]
    assert [(w.code, w.count) for w in trace.warnings] == [("clamped", 1)]


@pytest.mark.parametrize("path", GAPS_ARE_IDLE)
def test_samples_of_perf_have_speedscopes_stacks_and_no_gaps(path: str, shared: Path, truths: dict[str, Any]) -> None:
    trace = read(shared, path)
    profiles, expectations = compared_profiles(trace), truths[path]["profiles"]
    assert len(profiles) == len(expectations)
    for profile, truth in zip(profiles, expectations, strict=True):
        factor = FACTORS[truth["unit"]]
        expected = [(stack, weight * factor) for stack, weight in truth["stacksRaw"]]
        assert {stack for stack, _ in stacks_of(trace, profile)} >= {stack for stack, weight in expected if weight}
        found = sum(weight for _, weight in stacks_of(trace, profile))
        assert truth["unit"] == "none" or found <= sum(weight for _, weight in expected) * 1.01


@pytest.mark.parametrize("path", ROOTS_OF_THEIR_OWN)
def test_what_v8_calls_program_and_collector_are_roots(path: str, shared: Path, truths: dict[str, Any]) -> None:
    trace = read(shared, path)
    for profile, truth in zip(compared_profiles(trace), truths[path]["profiles"], strict=True):
        factor = FACTORS[truth["unit"]]
        expected: Stacks = []
        for stack, weight in truth["stacksRaw"]:
            last = stack.rsplit(";", 1)[-1]
            expected.append((last if last in V8_ROOTS else stack, weight * factor))
        moved = {"unread_stacks", "clock_backwards"} & {warning.code for warning in trace.warnings}
        by_stack: dict[str, float] = defaultdict(float)
        for sign, stacks in ((1, stacks_of(trace, profile)), (-1, merged(expected))):
            for stack, weight in stacks:
                by_stack[stack] += sign * weight
        differing = {stack: weight for stack, weight in by_stack.items() if abs(weight) > len(expected)}
        assert moved or not differing


@pytest.mark.parametrize("path", UNFINISHED)
def test_spans_without_an_end_are_drawn_as_speedscope_does_and_left_out_of_sums(
    path: str, shared: Path, truths: dict[str, Any]
) -> None:
    trace, (own, count) = read(shared, path), UNFINISHED[path]
    profiles = truths[path].get("profiles") or []
    for truth in profiles if path != "trace-event/mismatched-name.json" else []:  # there: to an end that it drops
        expected = merged([(";".join(map(without_args, s.split(";"))), w * 1e3) for s, w in truth["stacksRaw"]])
        assert stacks_of(trace, trace.profiles[0]) == expected
    tree = trace.profiles[0].tree
    assert (
        dict.fromkeys(own, 0)
        | {trace.frame_names[frame]: tree.self_values[0][tree.frame == frame].sum().item() for frame in set(tree.frame)}
        == own
    )
    assert {w.code: w.count for w in trace.warnings}["unclosed"] == count


def test_every_sample_is_compared_or_has_a_test_of_its_own(truths: dict[str, Any]) -> None:
    others = {"trace-event/unbalanced-name.json", "trace-event/out-of-order-unbalanced-name.json"}
    others |= {*WITHOUT_TRUTH, *UNFINISHED, *ROOTS_OF_THEIR_OWN, *GAPS_ARE_IDLE}
    assert set(truths) == {*SAME, *others}
