"""Each case over many recordings, and how many of all are right, sure, or wrong without saying so."""

import pytest

from tests.evals.over_recordings import (
    COMPARISON,
    PATHS,
    RECURRENCE,
    REFUSAL,
    SERIES,
    Asked,
    answered,
    every,
    of_path,
    printed,
)


@pytest.mark.parametrize(("kind", "prompt", "parts"), [*SERIES, *RECURRENCE, *COMPARISON])
async def test_a_case_is_answered_with_what_the_file_says(kind: str, prompt: str, parts: tuple[str, ...]) -> None:
    said, plan = await answered(kind, prompt)
    assert [part for part in parts if part not in said] == [], (said, plan)
    assert bool(plan) != said.startswith(REFUSAL)


@pytest.mark.parametrize(("prompt", "parts"), PATHS)
def test_a_path_is_what_the_events_of_the_file_say(prompt: str, parts: tuple[str, ...]) -> None:
    said = of_path(prompt)
    assert [part for part in parts if part not in said] == [], said


async def test_nine_of_ten_are_right_most_without_doubt_and_none_is_wrong_unmarked() -> None:
    asked = await every()
    right = [one for one in asked if one.is_right]
    assert len(right) >= 0.9 * len(asked)
    assert sum(not one.is_marked for one in right) >= 0.8 * len(asked)
    assert [one.prompt for one in asked if not one.is_right and not one.is_marked] == []


def test_what_is_wrong_is_counted_and_printed() -> None:
    right, doubtful, wrong = (
        Asked("series", said, ("7",), said) for said in ("it is 7", "I could not place `x`, 8", "8")
    )
    lines = printed([right, doubtful, wrong]).splitlines()
    assert lines[2] == "| series | 3 | 33.3% | 33.3% | 1 |"
    assert lines[-2:] == ["WRONG I could not place `x`, 8: I could not place `x`, 8", "WRONG 8: 8"]


def test_there_are_as_many_cases_as_are_asked_for() -> None:
    assert min(len(SERIES) - 20, len(RECURRENCE) - 10, len(COMPARISON) - 10, len(PATHS) - 10) >= 0
