"""An answer takes up what it is asked of, or says that it cannot: names that nothing has, the base of a share, and of
which threads a figure is."""

import pytest

from server.analyst.measured import measured
from server.analyst.ordinals import bare_place
from server.analyst.other_words import in_known_words
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import timeline

MAIN = [("work", 0, 90), ("send", 10, 40), ("parse", 50, 60)]
OTHER = [("work", 0, 30), ("send", 2, 12), ("send", 14, 20)]


@pytest.mark.parametrize(
    ("prompt", "missing"),
    [
        ("script execution: total and longest", "script execution"),
        ("quota lookup: how many calls", "quota lookup"),
        ("what fraction of all kernel time", "kernel"),
    ],
)
async def test_what_nothing_is_called_gets_no_answer_of_something_else(prompt: str, missing: str) -> None:
    answer, _ = await asked(prompt, timeline(MAIN))
    first = f"**I cannot answer that**: nothing here that I know is called `{missing}`."
    assert answer.text.startswith(first), answer.text
    assert "`" not in answer.text.partition("\n")[0].removeprefix(first), "what can be asked stands in a list"


async def test_a_function_is_answered_for_in_all_threads_and_in_the_main_one() -> None:
    answer, _ = await asked("tell me about send", timeline(MAIN, OTHER, names=("a", "b")))
    opening = answer.text.partition("\n")[0]
    assert "30.0 ms" in opening, opening
    assert "in all threads together it takes 38.3% (46.0 ms), in 3 calls" in opening, opening


async def test_callers_are_those_of_all_threads() -> None:
    trace = timeline([("first", 0, 90), ("send", 10, 40)], [("second", 0, 30), ("send", 2, 12)], names=("a", "b"))
    answer, _ = await asked("who calls send", trace)
    assert all(f"`{name}`" in answer.text.partition("\n")[0] for name in ("first", "second")), answer.text


async def test_a_ranking_of_one_thread_says_so_and_what_leads_over_all() -> None:
    waits = [("poll", 0, 60)]
    answer, _ = await asked("what is the hottest function", timeline(MAIN, waits, waits, names=("a", "b", "c")))
    opening = answer.text.partition("\n")[0]
    assert "[`a`](#p0)" in opening, opening
    assert "Over all threads together [`poll`]" in opening, opening


async def test_the_longest_task_of_another_thread_is_named_with_that_of_the_main_one() -> None:
    trace = timeline([("tick", 0, 45), ("tick", 50, 95)], [("load", 0, 80)], names=("CrRendererMain", "worker"))
    answer, _ = await asked("longest task anywhere", trace)
    assert answer.text.startswith("**The longest of all threads is [`load`](#s"), answer.text
    answer, _ = await asked("longest task", trace)
    assert "of all threads the longest is [`load`](#s" in answer.text.partition("\n")[0], answer.text


async def test_a_total_stands_before_the_longest_call() -> None:
    answer, _ = await asked("send total and longest", timeline(OTHER))
    opening = answer.text.partition("\n")[0]
    assert "16.0 ms" in opening, opening
    assert "10.0 ms" in opening, opening


async def test_a_name_that_is_spelled_like_one_goes_before_a_word() -> None:
    trace = timeline([("run", 0, 100), ("aten::mm", 0, 50), ("matmul", 50, 90)])
    answer, _ = await asked("matmul cost: aten::mm total + call count", trace)
    assert "`aten::mm`" in answer.text.partition("\n")[0], answer.text


async def test_the_parent_and_the_runner_up_are_of_what_was_spoken_of() -> None:
    answers = await talk(timeline(MAIN), "what is the hottest function", "its parent?", "and the runner-up")
    assert "stacks begin with it" in answers[1], answers[1]
    assert "`send`" in answers[2].partition("\n")[0], answers[2]


@pytest.mark.parametrize(
    ("prompt", "place"), [("and number two?", 1), ("nummer drei", 2), ("no. 1", 0), ("number of calls", None)]
)
def test_places_are_counted_in_words(prompt: str, place: int | None) -> None:
    assert bare_place(prompt) == place


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("top leaf frame", "hottest function"),
        ("was rechnet am meisten", "what is the hottest function"),
        ("¿qué hilo gasta más cpu?", "which thread is the busiest"),
        ("was rechnet parse am meisten aus", "was rechnet parse am meisten aus"),
    ],
)
def test_words_of_other_tools_are_read(prompt: str, words: str) -> None:
    assert in_known_words(prompt) == words


def test_both_values_of_one_function_are_no_comparison() -> None:
    found = measured("parse: incl. vs excl.")
    assert found is not None
    assert (found.measures, found.runs) == (("total",), ("parse",))
