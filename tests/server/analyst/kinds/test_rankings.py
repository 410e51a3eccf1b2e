"""Rankings: the heaviest path, and where it forks."""

import pytest

from server.agent.verification.references.figure_links import without_addresses
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled, timeline


async def test_where_the_heaviest_path_forks_each_way_has_its_share() -> None:
    trace = sampled({"main;load;parse": 30, "main;load;check": 25, "main;load": 20, "main;draw": 15, "main": 10})
    answer, _ = await asked("What is the hot path?", trace)
    assert answer.text.startswith("**The heaviest path ends in [`load`]")
    assert "75.0% (75.0 ms) of 100 ms goes through all of it" in answer.text
    assert "There it forks: 20.0% (20.0 ms) stays in [`load`]" in answer.text
    assert "itself, the rest goes to [`parse`]" in answer.text


async def test_a_path_that_ends_has_its_own_share() -> None:
    answer, _ = await asked("What is the hot path?", sampled({"main;load": 90, "main;draw": 10}))
    assert "90.0% (90.0 ms) of it is in [`load`]" in answer.text
    assert "There it forks" not in answer.text


TWO = [("main", 0, 100), ("parse", 0, 40), ("check", 40, 70), ("send", 70, 85)]
OTHER = [("main", 0, 100), ("send", 10, 90)]


@pytest.mark.parametrize(
    "prompt",
    [
        "Which are the two hottest functions over all threads?",
        "what are the 2 slowest functions",
        "die zwei teuersten Funktionen über alle Threads",
        "quelles sont les deux fonctions les plus lentes ?",
        "¿cuáles son las dos funciones más lentas?",
        "耗时最多的2个函数是哪些？",
        "top 2 in all threads",
    ],
)
async def test_as_many_functions_as_are_asked_for_lead_over_all_threads(prompt: str) -> None:
    answer, _ = await asked(prompt, timeline(TWO, OTHER, names=("a", "b")))
    opening = without_addresses(answer.text).partition("\n")[0]
    assert opening.startswith("**[`send`](#f3) 95.0 ms (47.5%) and [`parse`](#f1) 40.0 ms (20.0%)**"), opening
    assert "over all threads together" in opening


async def test_the_hottest_of_one_thread_and_the_sum_of_the_first() -> None:
    trace = timeline(TWO, OTHER, names=("a", "b"))
    of_one, _ = await asked("the 2 slowest functions in thread 1", trace)
    assert of_one.text.startswith("**[`send`](#f3) 80.0 ms (80.0%)"), of_one.text
    together, _ = await asked("how much do the top 2 functions take together", trace)
    assert "Together they take 135 ms (67.5%) themselves" in without_addresses(together.text), together.text


@pytest.mark.parametrize(
    ("prompt", "opening"),
    [
        ("which functions take more than 20%?", "**2 functions take more than 20% themselves**: [`parse`]"),
        ("functions above 20 ms", "**2 functions take more than 20 ms themselves**: [`parse`]"),
        ("functions with more than 70% in total", "**2 functions take more than 70% with what they call**: [`main`]"),
        ("is any function above 60%?", "**No function takes more than 60% itself.** [`parse`]"),
    ],
)
async def test_functions_over_a_figure_are_counted(prompt: str, opening: str) -> None:
    trace = sampled({"main;load;parse": 35, "main;load;check": 25, "main;load": 20, "main;draw": 15, "main": 5})
    answer, _ = await asked(prompt, trace)
    assert answer.text.startswith(opening), answer.text


@pytest.mark.parametrize(
    "prompt", ["how often is the hottest function called?", "how many calls does the slowest function get?"]
)
async def test_the_calls_of_the_first_are_no_order_by_calls(prompt: str) -> None:
    trace = timeline([("main", 0, 100), ("parse", 0, 40), ("tick", 50, 51), ("tick", 60, 61)])
    answer, _ = await asked(prompt, trace)
    assert answer.text.startswith("**[`main`](#f0) was called once**"), answer.text


async def test_the_longest_calls_are_of_whatever_function() -> None:
    trace = timeline([("parse", 0, 40), ("tick", 50, 51), ("parse", 60, 70)])
    for prompt in ("longest calls?", "what are the longest spans", "five longest calls"):
        answer, _ = await asked(prompt, trace)
        assert answer.text.startswith("**The slowest call of [`parse`](#s0) took 40.0 ms**"), (prompt, answer.text)


async def test_the_runner_up_is_of_the_order_before_whatever_came_between() -> None:
    answers = await talk(timeline(TWO), "what is the hottest function", "its parent?", "and the runner-up")
    assert answers[2].startswith("**The second is [`check`]"), answers[2]


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("rankings"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
