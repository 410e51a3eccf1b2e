"""Threads by the names that people write, next to any sign or script, and by no more than their number."""

import pytest

from server.analyst.thread_names import called, in_text, names_of, spelled_out

ROWS = [
    {"name": "Page (pid 7), RasterWorker1/42 (tid 42) tasks", "tid": "42"},
    {"name": "Page (pid 7), Raster (tid 41) tasks", "tid": "41"},
    {"name": 'Thread 9 "kettle-1"', "tid": "9"},
    {"name": "DedicatedWorker thread tasks", "tid": "10"},
    {"name": "main", "tid": "1"},
]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (ROWS[0]["name"], ("RasterWorker1/42", "RasterWorker1")),
        (ROWS[2]["name"], ("kettle-1",)),
        ("thread (1998): kettle-1", ("kettle-1",)),
        ("Waits of picker-3", ("picker-3",)),
        ("CrRendererMain (pid 1)", ("CrRendererMain",)),
    ],
)
def test_what_a_recorder_adds_is_no_part_of_a_name(name: str, names: tuple[str, ...]) -> None:
    assert names_of({"name": name}) == names


@pytest.mark.parametrize(
    ("text", "tid"),
    [
        ("RasterWorker1/42: drawing takes how long", "42"),
        ("RasterWorker1で一番長いのは", "42"),
        ("und im Raster-Thread?", "41"),
        ("kettle-1里最慢的", "9"),
        ("in DedicatedWorker", "10"),
        ("in kettle-12", None),
        ("what does main do", None),
    ],
)
def test_a_name_is_found_next_to_any_sign_and_in_no_longer_one(text: str, tid: str | None) -> None:
    assert [row["tid"] for row in called(in_text(text, ROWS) or "-", ROWS)] == ([tid] if tid else [])


@pytest.mark.parametrize(
    ("prompt", "before", "full"),
    [
        ("and -4?", ("what does dispatcher-1 do",), "and on dispatcher-4?"),
        ("und 2?", ("drive auf engine-1", "and -3?"), "and on engine-2?"),
        ("4呢", ("kettle-1 里最慢的",), "and on kettle-4?"),
        ("and 4?", ("the five slowest",), "and 4?"),
        ("more than 4?", ("kettle-1",), "more than 4?"),
    ],
)
def test_a_number_alone_is_of_the_threads_that_were_named(prompt: str, before: tuple[str, ...], full: str) -> None:
    assert spelled_out(prompt, before) == full
