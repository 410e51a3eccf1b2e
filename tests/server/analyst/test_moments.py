"""Which time a prompt means: ranges, moments, parts of the recording, windows with a name, and what lies next to it."""

import pytest

from server.analyst.moments import (
    TimeRange,
    is_next_to,
    lengths,
    milliseconds,
    next_to,
    time_ranges,
    within,
    without_time_ranges,
)
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of

WINDOWS = [
    {"name": "load", "start_ms": 0.0, "end_ms": 120.0, "profile": "p1"},
    {"name": "what is in view", "start_ms": 5.0, "end_ms": 9.0, "profile": "p0"},
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("between 1 and 2 s", TimeRange(1000, 2000)),
        ("between 500 and 750 \N{MICRO SIGN}s", TimeRange(0.5, 0.75)),
        ("from 100 to 250 ms", TimeRange(100, 250)),
        ("zwischen 1,5", None),
        ("von 1 bis 2 Sekunden", TimeRange(1000, 2000)),
        ("1.5s-2s", TimeRange(1500, 2000)),
        ("900 ms to 1.2 s", TimeRange(900, 1200)),
        ("in 1 到 2 秒", TimeRange(1000, 2000)),
        ("between 4 and 5", TimeRange(4000, 5000)),
        ("between 5 and 4", None),
        ("at 3 s", TimeRange(moment=3000)),
        ("around 250ms", TimeRange(moment=250)),
        ("in second 4", TimeRange(moment=4000)),
        ("in the first 2 seconds", TimeRange(0.0, 2000)),
        ("in the first second", TimeRange(0.0, 1000)),
        ("before 300 ms", TimeRange(0.0, 300)),
        ("the last 2 minutes", TimeRange(last=120_000)),
        ("the last two seconds", TimeRange(last=2000)),
        ("after 3 s", TimeRange(3000)),
        ("the first half", TimeRange(part=(0.0, 0.5))),
        ("the other half", TimeRange(part=(0.5, 1.0))),
        ("in the last quarter", TimeRange(part=(0.75, 1.0))),
        ("at the very beginning", TimeRange(part=(0.0, 0.1))),
        ("towards the end", TimeRange(part=(0.9, 1.0))),
        ("during load", TimeRange(0.0, 120.0, profile="p1")),
        ("what I see", TimeRange(5.0, 9.0, profile="p0")),
        ("at the busiest moment", None),
        ("why is it slow", None),
    ],
)
def test_a_time_is_read_as_it_is_written(text: str, found: TimeRange | None) -> None:
    assert time_ranges(text, WINDOWS) == (() if found is None else (found,))


def test_several_times_stand_in_their_order() -> None:
    assert time_ranges("compare 2 to 3 s with 0 to 1 s", []) == (TimeRange(2000, 3000), TimeRange(0, 1000))
    assert time_ranges("the second half against the first half", []) == (
        TimeRange(part=(0.5, 1.0)),
        TimeRange(part=(0.0, 0.5)),
    )


@pytest.mark.parametrize(
    ("asked", "length", "found"),
    [
        (TimeRange(100, 200), 1000, (100, 200)),
        (TimeRange(100), 1000, (100, 1000)),
        (TimeRange(end=50), 1000, (0, 50)),
        (TimeRange(part=(0.5, 1.0)), 1000, (500, 1000)),
        (TimeRange(last=300), 1000, (700, 1000)),
        (TimeRange(last=3000), 1000, (0, 1000)),
        (TimeRange(moment=500), 1000, (495, 505)),
        (TimeRange(moment=5000), 10_000, (4950, 5050)),
        (TimeRange(moment=2), 1000, (0, 7)),
    ],
)
def test_a_time_lies_within_a_recording(asked: TimeRange, length: float, found: tuple[float, float]) -> None:
    assert asked.within(length) == found


@pytest.mark.parametrize(
    ("number", "unit", "found"),
    [
        ("2", None, 2000),
        ("2", "ms", 2),
        ("2", "milliseconds", 2),
        ("2", "Millisekunden", 2),
        ("2", "secs", 2000),
        ("2", "Sekunden", 2000),
        ("1.5", "minutes", 90_000),
        ("3", "\N{MICRO SIGN}s", 0.003),
        ("3", "\N{GREEK SMALL LETTER MU}s", 0.003),
        ("3", "us", 0.003),
        ("4", "ns", 4e-6),
        ("2", "秒", 2000),
    ],
)
def test_a_length_has_its_unit(number: str, unit: str | None, found: float) -> None:
    assert milliseconds(number, unit) == pytest.approx(found)


def test_lengths_are_read_wherever_they_stand() -> None:
    assert lengths("over 16 ms and under 2s, not v3s or 7 calls") == (16.0, 2000.0)


def test_a_text_without_its_times_is_what_else_it_asks() -> None:
    assert without_time_ranges("what runs between 1 and 2 s?").split() == ["what", "runs", "W", "?"]
    assert without_time_ranges("in the first half of it").split() == ["in", "the", "W", "of", "it"]
    assert without_time_ranges("who calls read") == "who calls read"


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("and before that?", "before"),
        ("what happened right after it", "after"),
        ("und davor?", "before"),
        ("danach", "after"),
        ("et avant", "before"),
        ("before 3 s", ""),
        ("who calls it", ""),
    ],
)
def test_the_time_next_to_what_was_spoken_of(text: str, side: str) -> None:
    assert is_next_to(text) == side


def test_before_and_after_are_of_the_newest_answer_and_else_of_an_earlier_prompt() -> None:
    opening = "**The busiest 10 ms is from 20.0 ms to 30.0 ms**: 9.00 ms of work."
    assert next_to("and before that?", ["from 1 to 2 s"], [opening]) == TimeRange(0.0, 20.0)
    assert next_to("and after that?", ["from 1 to 2 s"], [opening]) == TimeRange(30.0)
    assert next_to("and after that?", ["from 1 to 2 s", "from 3 to 4 s"], ["nothing"]) == TimeRange(4000.0)
    assert next_to("and after that?", [], []) is None
    assert next_to("who calls it", ["from 1 to 2 s"], [opening]) is None


def test_a_call_that_an_answer_names_has_its_end() -> None:
    opening = "**The slowest call took 60.0 ms**, from 10.0 ms on."
    assert next_to("and before that?", [], [opening]) == TimeRange(0.0, 10.0)
    assert next_to("and after that?", [], [opening]) == TimeRange(70.0)


def test_what_was_in_a_time_is_of_the_range_that_the_answer_named() -> None:
    opening = "**The busiest 10 ms is from 20.0 ms to 30.0 ms**."
    assert within("what ran in that", [opening]) == TimeRange(20.0, 30.0)
    assert within("was lief da?", [opening]) == TimeRange(20.0, 30.0)
    assert within("what ran in that", ["nothing"]) is None
    assert within("what ran in that", []) is None
    assert within("why", [opening]) is None


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("moments"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("moments"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
