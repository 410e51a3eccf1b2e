"""The list of processes and threads: order, shares, activity, names."""

import json

import pytest

from tests.traces.test_first_profile import of_threads
from traces.model import Trace
from traces.reader import read_trace
from traces.tracks import BINS, tracks

MS = 1_000


def events(*slices: tuple[str, str, int, int, int, int]) -> Trace:
    """Trace events: process, thread, pid, tid, begin and length in milliseconds."""
    rows: list[dict[str, object]] = []
    for process, thread, pid, tid, at, lasted in slices:
        rows.append({"ph": "M", "name": "process_name", "pid": pid, "tid": tid, "args": {"name": process}})
        rows.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": thread}})
        rows.append({"ph": "X", "name": "call", "ts": at * MS, "dur": lasted * MS, "pid": pid, "tid": tid})
    return read_trace(json.dumps(rows).encode(), name="threads.json")


def test_the_first_thread_of_the_trace_is_first_and_quiet_ones_are_small() -> None:
    trace = of_threads(
        ("bash", "3", "3", 100), ("python3", "5", "5", 1000), ("idle", "5", "6", 0), ("few", "5", "7", 0.9)
    )
    found = tracks(trace)
    assert [(row.name, row.is_small) for row in found.tracks] == [
        ("python3", False),
        ("few", True),
        ("idle", True),
        ("bash", False),
    ]
    assert found.tracks[0].handle == trace.profiles[trace.default_profile].handle
    assert [one.pid for one in found.processes] == ["5", "3"]
    assert [round(row.share or 0, 4) for row in found.tracks] == [1, 0.0009, 0, 0.1]


def test_activity_is_when_a_thread_was_busy_on_the_recording_s_axis() -> None:
    found = tracks(events(("app", "main", 7, 7, 0, 64), ("app", "late", 7, 8, 32, 16)))
    late = next(row for row in found.tracks if row.name == "late")
    assert late.activity == "0" * 32 + "f" * 16 + "0" * 16
    assert len(late.activity) == BINS
    assert (found.start, found.end) == (0, 64_000_000)
    assert late.share == pytest.approx(0.25)


def test_a_moment_of_activity_is_seen() -> None:
    found = tracks(events(("app", "main", 7, 7, 0, 640), ("app", "blip", 7, 8, 31, 1)))
    blip = next(row for row in found.tracks if row.name == "blip")
    assert blip.activity == "0002" + "0" * 60


def test_a_thread_has_its_own_name_and_its_process_its() -> None:
    slices = [("Renderer", "Worker", 7, 8, 0, 5), ("Renderer", "Worker", 7, 9, 0, 3), ("GPU", "Worker", 4, 4, 0, 1)]
    found = tracks(events(*slices))
    assert [(row.name, row.tid, found.processes[row.process].pid) for row in found.tracks] == [
        ("Worker", "8", "7"),
        ("Worker", "9", "7"),
        ("Worker", "4", "4"),
    ]


def test_what_measures_no_time_has_no_share_and_the_heaviest_is_not_small() -> None:
    found = tracks(read_trace(b"main;parse 900\nmain;write 100\n", name="stacks.txt"))
    (row,) = found.tracks
    assert (row.share, row.activity, row.is_small) == (None, None, False)


def test_what_the_file_opens_with_is_first_although_another_works_more() -> None:
    def profile(name: str, lasted: int) -> dict[str, object]:
        limits = {"name": name, "unit": "milliseconds", "startValue": 0, "endValue": lasted}
        return {"type": "sampled", "samples": [[0]], "weights": [lasted], **limits}

    file = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "work"}]},
        "profiles": [profile("heavy", 90), profile("opened", 10)],
        "activeProfileIndex": 1,
    }
    found = tracks(read_trace(json.dumps(file).encode(), name="two.speedscope.json"))
    assert [row.name for row in found.tracks] == ["opened", "heavy"]
