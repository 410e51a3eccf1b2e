"""Words that ask for a path of calls."""

import pytest

from server.agent.questions.question_schema import Runs
from server.agent.questions.spoken_paths import is_path, says_runs, spoken_path


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("How many calls of handle reach parse?", ["handle", "parse"]),
        ("how many of the calls of handle reach parse, then render?", ["handle", "parse", "render"]),
        ("Of the calls of `handle`, how many get to `parse a b` and then render", ["handle", "parse a b", "render"]),
        ("where are the calls of app::handle lost on the way to parse?", ["app::handle", "parse"]),
        ("Where do calls to handle end before reaching parse()?", ["handle", "parse"]),
        ("how long does it take from handle to parse over the last 5 runs", ["handle", "parse"]),
        ("the path from a.b to c.d via e", ["a.b", "c.d", "e"]),
    ],
)
def test_functions_are_the_steps_in_their_order(words: str, names: list[str]) -> None:
    found = spoken_path(words, Runs())
    assert found is not None
    assert [one.name for one in found.steps] == names


@pytest.mark.parametrize(
    "words",
    ["how many calls of parse are there?", "how long does parse take", "where is parse called", "since when is f slow"],
)
def test_other_words_are_no_path(words: str) -> None:
    assert not is_path(words)


def test_words_about_recordings_are_of_many() -> None:
    assert says_runs("how many calls of f reach g over the last 5 runs")
    assert not says_runs("how many calls of f reach g")
