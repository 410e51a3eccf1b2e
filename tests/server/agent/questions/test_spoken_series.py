"""Everyday words over recordings, and what of them no rule takes in."""

import pytest

from server.agent.questions.question_schema import Comparison, Recurrence, Series
from server.agent.questions.spoken_comparisons import spoken_comparison
from server.agent.questions.spoken_questions import is_over_runs, spoken_question
from server.agent.questions.unplaced_words import unplaced_words
from server.ports.history import KnownRuns

KNOWN = KnownRuns(
    runs=6,
    labels={"commit": {f"c{number}": 1 for number in range(6)}, "branch": {"main": 3, "feature-x": 3}},
    programs={"reader": 6},
    functions=(("paint", None), ("read", "a.c")),
    findings=(),
    figures=("total",),
)


@pytest.mark.parametrize(
    ("text", "starting"),
    [
        ("did read get faster lately?", None),
        ("plot read over time", None),
        ("Has `read` regressed since c2?", "commit:c2"),
        ("has read improved since c3", "commit:c3"),
        ("what happened to read", None),
        ("read became slower, didn't it", None),
        ("since commit c99 how is read?", "commit:c99"),
    ],
)
def test_a_series_is_asked_in_everyday_words(text: str, starting: str | None) -> None:
    asked = spoken_question(text, KNOWN)
    assert isinstance(asked, Series), text
    assert (asked.measure.name, asked.runs.starting) == ("read", starting)


@pytest.mark.parametrize("text", ["how many times does read appear above 40%?", "is read over 40 % anywhere"])
def test_above_a_share_it_is_asked_in_which_recordings(text: str) -> None:
    asked = spoken_question(text, KNOWN)
    assert isinstance(asked, Recurrence)
    assert (asked.measure.name, asked.above) == ("read", 0.4)


def test_one_group_is_set_against_another_with_on_as_with_in() -> None:
    for text in ("is read slower on main than on feature-x?", "is read slower in main than in feature-x?"):
        asked = spoken_comparison(text, KNOWN)
        assert isinstance(asked, Comparison)
        assert (asked.before.labels, asked.after.labels) == ({"branch": "feature-x"}, {"branch": "main"})


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what happened to read between c1 and c4", ("between c1 and c4",)),
        ("did read get slower until c3", ("until c3",)),
        ("how did read develop before c4", ("before c4",)),
        ("has read improved since c2", ()),
        ("did read get slower before", ()),
    ],
)
def test_an_end_that_no_series_has_is_left_over(text: str, left: tuple[str, ...]) -> None:
    asked = spoken_question(text, KNOWN)
    assert isinstance(asked, Series)
    assert unplaced_words(text, asked) == left


@pytest.mark.parametrize("text", ["plot read over time", "did read get faster lately?", "what happened to read"])
def test_in_a_conversation_about_one_recording_they_stay_of_that_one(text: str) -> None:
    assert not is_over_runs(text)


@pytest.mark.parametrize("text", ["what is the weather", "which function is slowest", "show me read", "read"])
def test_what_is_no_question_over_recordings_is_none(text: str) -> None:
    assert spoken_question(text, KNOWN) is None
