"""pyinstrument: a tree of seconds becomes samples of what each function did itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import DamagedTrace, EmptyTrace


def frame(function: str, time: float, *children: dict[str, Any]) -> dict[str, Any]:
    return {"function": function, "file_path": "app.py", "line_no": 4, "time": time, "children": list(children)}


def session(root: dict[str, Any] | None) -> str:
    head = {"start_time": 1.5, "duration": 2.0, "sample_count": 9, "target_description": "Program: app.py"}
    return json.dumps({**head, "cpu_time": 1.0, "root_frame": root})


def test_a_function_has_what_its_callees_leave() -> None:
    trace = read(session(frame("main", 2.0, frame("draw", 0.5), frame("[self]", 0.25), frame("load", 1.0))))
    assert stacks(trace) == [("main;draw", 500_000_000), ("main;load", 1_000_000_000), ("main", 500_000_000)]
    assert (trace.profiles[0].name, trace.frame_file(0), trace.frame_line(0)) == ("Program: app.py", "app.py", 4)
    assert warnings(trace) == {}
    assert trace.recorded_at_ns == 1_500_000_000


def test_callees_that_exceed_their_caller_are_counted() -> None:
    trace = read(session(frame("main", 1.0, frame("draw", 1.5))))
    assert stacks(trace) == [("main;draw", 1_500_000_000)]
    assert warnings(trace) == {"callees_exceed": 1}


def test_a_real_session_has_its_time(shared: Path) -> None:
    trace = read((shared / "traces" / "pyinstrument-pylint.json.gz").read_bytes())
    assert trace.format == "pyinstrument"
    assert sum(w for _, w in stacks(trace)) == pytest.approx(28.407792e9, rel=1e-9)


def test_a_session_without_samples_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(session(None))


@pytest.mark.parametrize("root", [frame("main", 1e300), {"function": 5, "time": 1}, {"function": "f"}, []])
def test_frames_that_are_none_are_refused(root: Any) -> None:
    with pytest.raises(DamagedTrace):
        read(session(root))
