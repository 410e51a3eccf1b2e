"""speedscope's own files: events that open and close frames, and samples with weights."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace
from traces.values import Clock, Unit

MS = 1_000_000
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def a_file(**profile: Any) -> str:
    bounds = {"unit": "milliseconds", "startValue": 0, "endValue": 10, "name": "thread"}
    frames = [{"name": "main"}, {"name": "work", "file": "work.py", "line": 3}]
    return json.dumps({"$schema": SCHEMA, "shared": {"frames": frames}, "profiles": [bounds | profile]})


def events(*rows: tuple[str, int, int]) -> str:
    return a_file(type="evented", events=[{"type": kind, "frame": frame, "at": at} for kind, frame, at in rows])


def test_events_become_calls_with_their_times() -> None:
    trace = read(events(("O", 0, 0), ("O", 1, 2), ("C", 1, 5), ("C", 0, 10)))
    spans = trace.profiles[0].spans
    assert spans is not None
    names = [trace.frame_names[trace.profiles[0].tree.frame[node]] for node in spans.node.tolist()]
    calls = list(zip(names, spans.start.tolist(), spans.end.tolist(), strict=True))
    assert calls == [("main", 0, 10 * MS), ("work", 2 * MS, 5 * MS)]


def test_samples_weigh_what_the_file_says() -> None:
    trace = read(a_file(type="sampled", samples=[[0], [0, 1]], weights=[4, 6]))
    assert stacks(trace) == [("main", 4 * MS), ("main;work", 6 * MS)]
    assert trace.frame_file(1) == "work.py"


def test_a_sample_without_a_weight_is_refused() -> None:
    with pytest.raises(DamagedTrace):
        read(a_file(type="sampled", samples=[[0], [0, 1]], weights=[4]))


@pytest.mark.parametrize("lost", [1, 2])
def test_frames_whose_names_stand_behind_the_break_have_one_name(lost: int) -> None:
    samples = [[0], *([0, 2 + k] for k in range(lost))]
    first = {"type": "sampled", "name": "thread", "unit": "milliseconds", "startValue": 0, "endValue": 9}
    first |= {"samples": samples, "weights": [4] * len(samples)}
    shared = '"shared":{"frames":[{"name":"main"},{"name":"work"},{"na'
    text = f'{{"$schema":"{SCHEMA}","profiles":[{json.dumps(first)}],{shared}'
    trace = read(text)
    assert [name for name, _ in stacks(trace)] == ["main", *["main;(name lost)"] * lost]
    assert warnings(trace)["lost_names"] == lost


def clocks(*kinds: str) -> list[Clock]:
    profiles = [
        {"type": kind, "name": kind, "unit": "milliseconds", "startValue": 0, "endValue": 9}
        | ({"samples": [[0]], "weights": [4]} if kind == "sampled" else {"events": EVENTS})
        for kind in kinds
    ]
    trace = read(json.dumps({"$schema": SCHEMA, "shared": {"frames": [{"name": "main"}]}, "profiles": profiles}))
    return [profile.clock for profile in trace.profiles]


EVENTS = [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 9}]


def test_several_sampled_profiles_need_not_have_been_taken_at_the_same_time() -> None:
    assert clocks("sampled", "sampled") == [Clock.OWN, Clock.OWN]
    assert clocks("sampled", "evented", "evented") == [Clock.TRACE] * 3
    assert clocks("evented", "evented") == [Clock.TRACE] * 2


@pytest.mark.parametrize(
    "kind", [{"type": "evented", "events": EVENTS}, {"type": "sampled", "samples": [[0]], "weights": [4]}]
)
def test_a_unit_that_nobody_knows_is_said_to_be_read_as_a_count(kind: dict[str, Any]) -> None:
    for unit, count in (("none", 0), ("milliseconds", 0), ("bytes", 0), ("Cycles", 1), ("usec", 1)):
        trace = read(a_file(**kind, unit=unit))
        assert warnings(trace).get("unknown_unit", 0) == count
        if count:
            (warning,) = [one for one in trace.warnings if one.code == "unknown_unit"]
            assert f'"{unit}"' in warning.text
            assert trace.profiles[0].unit is Unit.COUNT


def test_a_function_that_py_spy_lists_by_lines_is_one_at_the_lowest_but_what_has_no_name() -> None:
    listed = [("run", 9), ("run", 4), ("run", 7), ("<lambda>", 3), ("<lambda>", 5)]
    shared = {"frames": [{"name": name, "file": "app.py", "line": line, "col": None} for name, line in listed]}
    profile = {"type": "sampled", "name": "t", "unit": "seconds", "startValue": 0, "endValue": 4}
    profile |= {"samples": [[0], [1, 2], [2, 3], [1, 4]], "weights": [1, 1, 1, 1]}
    content = {"$schema": SCHEMA, "shared": shared, "profiles": [profile]}
    trace = read(json.dumps(content | {"exporter": "py-spy@0.4.3"}))
    places = [(name, trace.frame_line(number)) for number, name in enumerate(trace.frame_names)]
    assert places == [("run", 4), ("<lambda>", 3), ("<lambda>", 5)]
    assert [path for path, _ in stacks(trace)] == ["run", "run;run", "run;<lambda>", "run;<lambda>"]
    assert top_functions(trace).rows[0].total_value == 4e9
    assert len(read(json.dumps(content | {"exporter": "speedscope@1.25.0"})).frames) == 5
