"""Slips of typing in words of asking are read as meant; names of code stay as they are."""

import pytest

from server.analyst.typing_slips import corrected
from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import sampled


@pytest.mark.parametrize(
    ("prompt", "meant"),
    [
        ("which functon has most of them", "which function has most of them"),
        ("what made the diffrence?", "what made the difference?"),
        ("slowst thraed", "slowest thread"),
        ("how much memmory", "how much memory"),
        ("would a cache help, and who sends it", "would a cache help, and who sends it"),
        ("single calls of the signal thread", "single calls of the signal thread"),
        ("`memroy` in memroy.py, memroy() and Memroy", "`memroy` in memroy.py, memroy() and Memroy"),
        ("read_thraed and lib/thraed", "read_thraed and lib/thraed"),
    ],
)
def test_a_slip_is_read_as_the_word_that_is_meant(prompt: str, meant: str) -> None:
    assert corrected(prompt) == meant


async def test_a_prompt_with_slips_is_answered_like_the_one_without() -> None:
    trace = sampled({"main;load;parse": 35, "main;load;check": 25, "main;load": 20})
    slips, _ = await asked("which two functons take the longst", trace)
    plain, _ = await asked("which two functions take the longest", trace)
    assert slips.text == plain.text


@pytest.mark.parametrize(
    "prompt",
    ["why does this lint run take 30 s?", "why is the lint script slow", "whats the slowest part of this script"],
)
async def test_the_name_of_the_program_asks_for_all_of_it(prompt: str) -> None:
    trace = sampled({"lint_main@/srv/lint.py;load;parse": 75, "lint_main@/srv/lint.py;check": 25})
    answer, _ = await asked(prompt, trace)
    assert answer.text.startswith("**[`parse`](#f2) dominates**"), answer.text


async def test_a_word_that_all_of_its_functions_hold_is_the_program() -> None:
    stacks = {
        "run@/x/pylint/run.py;walk@/x/pylint/walker.py": 75.0,
        "run@/x/pylint/run.py;build@/x/pylint/build.py": 25.0,
    }
    answer, _ = await asked("why does this pylint run take 28 s?", sampled(stacks))
    assert answer.text.startswith("**[`walk`](#f1) dominates**"), answer.text
