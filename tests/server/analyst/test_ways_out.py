"""Prompts that go on by asking for the fix of what was spoken of, for what it would bring, or which of two it is."""

from dataclasses import replace

import pytest

from server.analyst.intent import Intent
from server.analyst.question import Question
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import understood
from server.analyst.ways_out import BY_CACHE, SAVED, TO_FIX, WHICH
from tests.server.analyst.test_analyst_chat import talk
from tests.server.analyst.test_answerable import STACKS
from tests.traces.insights.recorded import sampled, timeline

SPOKEN = SpokenOf("f7", "[`parse`](#f7)", "what about `parse`?", listed=("f7", "f8"), pair=("f7", "f8"))


def after(prompt: str, opening: str = "**[`parse`](#f7)** takes 5 ms.", spoken: SpokenOf = SPOKEN) -> Question:
    return understood(prompt, {}, [], spoken, (opening,))


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        *((one, TO_FIX) for one in ("fix?", "ok how would you fix it", "was würde helfen", "que faire ?")),
        *((one, TO_FIX) for one in ("¿cómo lo arreglo?", "como resolver?", "どう直す？", "怎么优化")),
        *((one, SAVED) for one in ("how much would we win", "lohnt sich das?", "worth it?", "ça vaut le coup ?")),
        *((one, SAVED) for one in ("¿vale la pena?", "どれくらい速くなる？", "能快多少")),
        *((one, BY_CACHE) for one in ("lohnt sich da ein cache?", "cache the code per name then. best case?")),
    ],
)
def test_what_to_do_and_what_it_would_bring_are_asked_of_what_was_spoken_of(prompt: str, text: str) -> None:
    found = after(prompt)
    assert (found.intent, found.text, found.handle) == (Intent.FIRST_FIX, text, "f7")
    assert after(prompt, "**No: [`parse`](#f7) takes 1%.**").handle is None
    aside = replace(SPOKEN, is_aside=True, pair=("f7", "f9"))
    assert after(prompt, spoken=aside).handle == "f9"
    assert understood(prompt, {}).handle is None


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "ok how would u fix it",
            "fix??",
            "what to do instead",
            "how to write that properly",
            "better data structure?",
        ),
        *("how could i get that down", "cheaper way?", "fix suggestion", "whats to be done about it", "any tips"),
        *("better way to write that?", "faster algorithm?", "what now", "how can this be improved?"),
        *(
            "wie schreibt man das besser?",
            "wie kriege ich das runter?",
            "alors on change quoi ?",
            "comment faire mieux",
        ),
        *("¿hay una forma mejor?", "como faço melhor?", "もっと良い書き方は?", "更好的写法?"),
    ],
)
def test_another_way_is_asked_for_in_many_ways(prompt: str) -> None:
    found = after(prompt)
    assert (found.intent, found.text, found.handle) == (Intent.FIRST_FIX, TO_FIX, "f7")


@pytest.mark.parametrize(
    "prompt",
    [
        *("is it faster now?", "did the fix help", "how much faster would that be", "which one to fix first"),
        *("how do i fix the queries", "is there a faster thread", "why is it not better"),
    ],
)
def test_no_other_way_is_asked_for_where_words_are_left_or_a_figure_is_meant(prompt: str) -> None:
    assert after(prompt).text != TO_FIX


async def test_another_way_is_asked_of_the_function_that_a_prompt_names() -> None:
    (answer,) = await talk(sampled({"main;crunch": 60.0, "main;other": 40.0}), "how do i make crunch faster")
    assert answer.startswith("**[`crunch`](#f1): Do less in it"), answer


async def test_another_way_for_what_takes_next_to_nothing_is_that_for_what_leads() -> None:
    stacks = {"main;order_lines": 2.0, "main;_strptime": 98.0}
    *_, answer = await talk(sampled(stacks), "how long does `order_lines` take?", "cheaper way?")
    assert answer.startswith("**[`_strptime`](#f2): Read a date by its one format"), answer
    *_, answer = await talk(sampled(stacks), "how long does `order_lines` take?", "how do i speed that up")
    assert answer.startswith("**[`order_lines`](#f1): "), answer


async def test_what_is_the_same_each_time_is_kept() -> None:
    *_, answer = await talk(sampled(STACKS), "how long does `load` take?", "the argument is always the same btw")
    assert answer.startswith("**[`load`](#f4): If it is the same each time, work it out once before the loop"), answer
    assert "What each call was given, the recording does not show." in answer


@pytest.mark.parametrize(
    "prompt",
    [
        "which of the two is worth it",
        "welcher der beiden ist teurer?",
        "lequel des deux vaut le coup ?",
        "cuál de los dos es más lento?",
        "qual dos dois vale mais a pena otimizar?",
        "どちらが遅い？",
        "两个哪个更值得优化？",
    ],
)
def test_which_of_the_two_is_of_those_spoken_of_last(prompt: str) -> None:
    assert (after(prompt).text, after(prompt).handles) == (WHICH, ("f7", "f8"))
    assert after(prompt, spoken=replace(SPOKEN, pair=("f7",))).handles == ()
    assert after("which of the three is the slow one").handle is None


async def test_a_fix_says_what_can_be_saved_and_what_to_do() -> None:
    *_, answer = await talk(sampled(STACKS), "how long does `write` take?", "fix?")
    assert answer.startswith("**[`write`](#f3): Write less often and more at once"), answer
    assert "At most 60.0% (60.0 ms) can be saved there" in answer
    *_, answer = await talk(sampled(STACKS), "how long does `write` take?", "worth a cache?")
    assert answer.startswith("**At most 60.0% (60.0 ms) would be saved, if [`write`]"), answer
    assert "A cache saves what is worked out again" in answer


async def test_the_longest_wait_is_a_call_of_the_function_that_waited() -> None:
    trace = timeline([("main", 0, 90), ("Condition.wait", 5, 15), ("Condition.wait", 20, 80)])
    *_, answer = await talk(trace, "how long does `Condition.wait` take?", "längste wartezeit, wann")
    assert answer.startswith("**The slowest call of [`Condition.wait`]"), answer


@pytest.mark.parametrize(
    "prompt",
    [
        "3000 times.. isnt that n+1-ish? 60 tables x 50 questions",
        "select the slowest function from the list",
        "show me the table again",
        "pro tabelle 50 abfragen, 3000 mal?",
    ],
)
def test_prose_is_no_query(prompt: str) -> None:
    assert after(prompt).intent is not Intent.SQL
    assert after("select name from spans").intent is Intent.SQL


async def test_only_a_query_is_run_as_one() -> None:
    (answer,) = await talk(sampled(STACKS), "which tables can i query")
    assert answer.startswith("**Type the query itself"), answer
    (answer,) = await talk(sampled(STACKS), "run this: select count(*) from frames")
    assert answer.startswith("**1 row**"), answer
