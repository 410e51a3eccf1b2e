"""rbspy's raw recordings: a JSON stack a line, threads apart, lines of calls gathered."""

import json
from typing import Any

import pytest

from tests.traces.stacks_of_traces import read, stacks
from traces.errors import DamagedTrace, EmptyTrace

MAIN = {"name": "<main>", "relative_path": "app.rb", "absolute_path": "/srv/app.rb", "lineno": 30}
DRAW = {"name": "draw", "relative_path": "draw.rb", "absolute_path": None, "lineno": 8}


def recording(*stacks: Any, version: str = "02", rate: int | None = 100) -> str:
    header = [json.dumps({"sample_rate": rate, "rbspy_version": "0.41.0"})] if version == "02" else []
    return "\n".join([f"rbspy{version}", *header, *map(json.dumps, stacks), ""])


def stack(*frames: dict[str, Any], thread: int | None = 9) -> dict[str, Any]:
    return {"trace": list(frames), "pid": 4, "thread_id": thread, "time": None}


def test_threads_are_profiles_and_samples_last_as_long_as_the_rate_says() -> None:
    trace = read(
        recording(
            stack(DRAW, MAIN), stack({**DRAW, "lineno": 5}, {**MAIN, "lineno": 31}), stack(MAIN, thread=10), stack()
        )
    )
    assert [(p.name, p.pid, p.tid) for p in trace.profiles] == [
        ("pid 4, thread 9", "4", "9"),
        ("pid 4, thread 10", "4", "10"),
    ]
    assert stacks(trace) == [("<main>;draw", 10_000_000), ("<main>;draw", 10_000_000), ("", 10_000_000)]
    assert stacks(trace, 1, "samples") == [("<main>", 1)]
    assert [(trace.frame_file(i), trace.frame_line(i)) for i in (0, 1)] == [("/srv/app.rb", 30), ("draw.rb", 5)]


def test_the_version_without_a_header_is_counted() -> None:
    trace = read(recording(stack(MAIN, thread=None), version="01"))
    assert stacks(trace) == [("<main>", 1)]
    assert trace.profiles[0].name == "pid 4"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (recording(version="77"), "version 77"),
        (recording({"trace": 5}), "array"),
        (recording(stack(MAIN))[:-20], "truncated|malformed|breaks"),
    ],
)
def test_what_rbspy_never_writes_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(text)


def test_a_recording_without_stacks_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(recording())
