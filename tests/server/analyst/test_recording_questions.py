"""How a recording is made is answered with the words of the documentation, and only where it is asked."""

import re
import tomllib
from pathlib import Path

import pytest

from server.analyst.recording_questions import Recipe, asked_recipes, recipes, recording_answer

ROOT = Path(__file__).resolve().parents[3]
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
CHAPTERS = {part.partition("\n")[0].strip("# "): part for part in re.split(r"(?m)^(?=#+ )", FORMATS)}


@pytest.mark.parametrize("recipe", recipes(), ids=lambda one: one.tool)
def test_a_recipe_says_what_its_chapter_says(recipe: Recipe) -> None:
    heading, record = recipe.heading, recipe.record
    chapter = " ".join(CHAPTERS[heading].split()).casefold()
    assert record.casefold() in chapter


@pytest.mark.parametrize(
    ("prompt", "tools"),
    [
        ("How do I record a trace with py-spy that you can read?", ["py-spy"]),
        ("how can i profile a Python script", ["py-spy", "cProfile"]),
        ("which profiler should I use to record a Ruby program?", ["rbspy"]),
        ("what command makes a perf recording?", ["perf"]),
        ("how do we capture a profile in Go", ["Go"]),
        ("Wie zeichne ich mit Austin auf?", ["Austin"]),
    ],
)
def test_the_tool_or_language_that_is_named_is_answered_for(prompt: str, tools: list[str]) -> None:
    assert [one.tool for one in asked_recipes(prompt)] == tools


def test_questions_about_a_trace_are_none_of_recording() -> None:
    intents = tomllib.loads((ROOT / "server" / "analyst" / "intents.toml").read_text(encoding="utf-8"))
    prompts = re.findall(r"'([^']{8,200})'", str(intents))
    assert len(prompts) > 1_000
    taken = [one for one in prompts if asked_recipes(one)]
    assert len(taken) <= 5, taken


def test_the_longest_word_that_is_named_counts_and_nothing_named_is_nothing_answered() -> None:
    assert asked_recipes("how do I record a trace") == []
    assert asked_recipes("how do I record a trace with an abacus") == []
    assert asked_recipes("how do I make Python faster in this profile") == []
    named = asked_recipes("how do I record a trace of Ruby with py-spy")
    assert [one.tool for one in named] == ["py-spy"]


def test_the_answer_has_each_command_and_where_it_is_from() -> None:
    one = recording_answer(asked_recipes("how do I record a trace with py-spy"))
    assert one.startswith("**With py-spy: ")
    assert "Then drop the file here." in one
    assert "Or:" not in one
    two = recording_answer(asked_recipes("how can i profile a Python script"))
    assert "\n\nOr:\n\n- With cProfile: " in two
