"""How a recording is made is answered with the words of the documentation, and only where it is asked."""

import re
import tomllib
from pathlib import Path

import pytest

from server.analyst.recording_questions import Recipe, asked_recipes, recipes

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
