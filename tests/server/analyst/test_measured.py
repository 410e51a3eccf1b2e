"""Prompts of nothing but measures and names, read word by word."""

import pytest

from server.analyst.measured import measured
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import understood
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of


@pytest.mark.parametrize(
    ("prompt", "measures", "runs"),
    [
        ("price self time", ("self",), ("price",)),
        ("longest flush and when did it start", ("longest", "when"), ("flush",)),
        ("flush total in all of them together", ("total",), ("flush",)),
        ("calls?", ("calls",), ()),
        ("and flush?", (), ("flush",)),
        ("checksum is called in every thread right?", ("all_threads",), ("checksum",)),
        ("script evaluation total", ("total",), ("script evaluation",)),
        ("list.append vs list.pop, calls", ("compared", "calls"), ("list.append", "list.pop")),
        ("quel pourcentage pour fingerprint ?", ("share",), ("fingerprint",)),
        ("wie oft wird flush aufgerufen", ("calls",), ("flush aufgerufen",)),
        ("who's calling that", ("callers",), ()),
        ("is refund waiting on the lock as well?", ("waiting",), ("refund",)),
        ("ratio of the two", ("compared",), ()),
        ("by how many percent", ("compared",), ()),
        ("which of them is called more often", ("compared", "calls"), ()),
        ("how much longer is backward in %", ("compared", "share"), ("backward",)),
        ("is compile slower than isinstance", ("compared",), ("compile", "isinstance")),
        ("more than parse?", ("compared",), ("parse",)),
        ("average of each", ("mean", "each"), ()),
        ("which call was that?", ("longest",), ()),
        ("is there an outlier in flush?", ("longest",), ("flush",)),
        ("what percentage of publish is snapshot", ("part",), ("snapshot", "publish")),
        ("how much of walk's time is visit", ("part",), ("visit", "walk")),
        ("how many of its calls come from itself", ("calls", "from_itself"), ()),
    ],
)
def test_measures_and_names_are_distinguished(prompt: str, measures: tuple[str, ...], runs: tuple[str, ...]) -> None:
    found = measured(prompt)
    assert found is not None
    assert (found.measures, found.runs) == (measures, runs)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "why is it slow",
        "flush",
        "is walk_tree recursive?",
        "what takes the most time between 2 s and 3 s?",
        "where is the time going",
        "how many functions are there in total",
        "which of those two calls it more",
        "?!",
    ],
)
def test_what_asks_for_something_else_is_left_to_likeness(prompt: str) -> None:
    found = measured(prompt)
    assert found is None or found.runs != ()


def test_a_measure_alone_needs_something_that_was_spoken_of() -> None:
    assert understood("total?", {}).measured is None
    before = SpokenOf(handle="f3", cited="[`load`](#f3)", prompt="load calls?", listed=("f3",), pair=("f3", "f4"))
    assert understood("self time?", {}, None, before).handles == ("f3",)
    assert understood("ratio of the two", {}, None, before).handles == ("f3", "f4")


def test_the_measure_before_is_asked_of_the_next_name() -> None:
    before = SpokenOf(handle="f3", cited="[`load`](#f3)", prompt="load self time", listed=("f3",), pair=("f3",))
    asked = understood("and flush?", {}, None, before).measured
    assert asked is not None
    assert asked.measures == ("self",)


def test_a_micro_sign_is_read_as_it_is_typed() -> None:
    found = measured("µs each for parse")
    assert found is not None
    assert (found.measures, found.runs) == (("mean",), ("parse",))


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("measured"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("measured"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
