"""What a prompt names besides its subject is kept, or the answer begins by saying that it is not."""

import pytest

from server.analyst.addressed import not_recorded
from server.analyst.exclusions import exclusion
from server.analyst.question import alone
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled

SORTS = {"main;merge_sort": 50, "main;quick_sort": 30, "main;heap_sort": 12, "main;load": 8}
GO = {"main.main;main.label;strings.ToLower;runtime.asyncPreempt": 40, "main.main;main.wave": 35, "main.main": 5}


@pytest.mark.parametrize(
    ("prompt", "rest", "what"),
    [
        ("apart from merge_sort, what is slow", "what is slow", "merge_sort"),
        ("top functions excluding the load", "top functions", "load"),
        ("everything except `merge_sort`", "everything", "merge_sort"),
        ("abgesehen von merge_sort was ist langsam", "was ist langsam", "merge_sort"),
        ("what takes the most", "what takes the most", ""),
    ],
)
def test_what_a_prompt_leaves_out_is_read_with_what_it_asks(prompt: str, rest: str, what: str) -> None:
    assert exclusion(prompt) == (rest, what)


async def test_a_ranking_leaves_out_what_the_prompt_names_or_speaks_of() -> None:
    _, without, more = await talk(
        sampled(SORTS), "what is slow", "apart from that, what is slow?", "ignoring quick_sort?"
    )
    assert "`quick_sort`](#" in without.partition("\n")[0]
    assert "`merge_sort`](#" not in without
    assert "`quick_sort`](#" not in more


async def test_what_cannot_be_left_out_is_not_passed_over() -> None:
    (said,) = await talk(sampled(SORTS), "what takes the most besides the wombat?")
    assert "cannot leave it out" in said


@pytest.mark.parametrize(
    ("prompt", "has"),
    [
        ("how much does merge_sort take in the other trace?", "no other recording here"),
        ("what if merge_sort had an index instead", "a recording cannot show"),
        ("time in merge_sort per customer", "Divided by `customer`"),
        ("which python version was that", "The recording does not say that"),
        ("energy use?", "The recording does not say that"),
    ],
)
async def test_what_an_answer_does_not_take_up_stands_first(prompt: str, has: str) -> None:
    (said,) = await talk(sampled(SORTS), prompt)
    assert has in said.partition("\n")[0]


def test_a_function_may_be_called_like_what_is_never_recorded() -> None:
    asked = alone("which commit takes the longest, `commit`?", {}, None)
    assert not not_recorded(asked, "`commit` takes 3 s")
    assert not_recorded(alone("which commit is that", {}, None), "in general")


async def test_gos_preemption_points_are_counted_to_the_function_that_they_interrupted() -> None:
    said, top = await talk(sampled(GO), "why is it slow", "top functions by self time")
    assert "`strings.ToLower`](#" in said.partition("\n")[0]
    assert "50.0%" in said.partition("\n")[0]
    assert "asyncPreempt`](#" not in top
    assert "counted to the functions that they interrupted" in top


async def test_a_failed_lookup_is_nothing_to_go_on_about() -> None:
    _, who = await talk(sampled(SORTS), "how long does `merge_sorted_runs` take", "who calls it")
    assert "Which function do you mean" in who or "no function" in who.partition("\n")[0]


async def test_a_word_of_measures_is_a_name_after_calls_of() -> None:
    (said,) = await talk(sampled({"main;sum": 60, "main;other": 40}), "who calls sum")
    assert said.startswith("**[`sum`](#")
