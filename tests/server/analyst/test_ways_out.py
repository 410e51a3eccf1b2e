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
    assert answer.startswith("**At most 60.0% (60.0 ms) can be saved at [`write`]"), answer
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
