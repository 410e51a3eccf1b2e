"""Prompts that go on: doubts, ordinals, the time that was spoken of."""

import pytest

from server.analyst.evidence import SpokenOf
from server.analyst.going_on import with_ordinals
from server.analyst.question import AGAIN, Intent, Question, understood

SPOKEN = SpokenOf("f7", "[`parse`](#f7)", "what about `parse`?", listed=("f7", "f8", "f9"))
BUSIEST = "**The busiest [200 ms](#q3.c1) is from [1.20 s](#q3.c2) to [1.40 s](#q3.c3)**: work."
SLOWEST = "**The slowest call of [`f`](#s1) took [117 ms](#q2.c1)**, from [19.4 ms](#q2.c2) on."


def after(prompt: str, opening: str = "**[`parse`](#f7)** takes 5 ms.", spoken: SpokenOf = SPOKEN) -> Question:
    return understood(prompt, {}, [], spoken, (opening,))


@pytest.mark.parametrize("prompt", ["rly?", "are you sure?", "wirklich?", "真的吗？"])
def test_a_doubt_asks_the_same_again(prompt: str) -> None:
    found = after(prompt)
    assert (found.intent, found.names, found.note) == (Intent.FUNCTION, ("parse",), AGAIN)


def test_an_ordinal_means_a_function_of_the_answer_before() -> None:
    assert with_ordinals("what calls the second one", SPOKEN.listed) == "what calls f8"
    assert with_ordinals("and #3?", SPOKEN.listed) == "and f9?"
    assert with_ordinals("the fourth one", SPOKEN.listed) == "the fourth one"
    assert (after("who calls the last one").intent, after("who calls the last one").handle) == (Intent.CALLERS, "f9")


def test_what_ran_in_that_is_asked_of_the_time_that_was_spoken_of() -> None:
    found = after("what ran in that", BUSIEST)
    assert found.intent is Intent.WINDOW
    assert found.time_ranges[0].within(9e9) == (1200.0, 1400.0)
    assert after("what ran in that").intent is not Intent.WINDOW


def test_after_a_call_is_after_its_end() -> None:
    assert after("and after it?", SLOWEST).time_ranges[0].within(200.0) == pytest.approx((136.4, 200.0))
    assert after("what happend before it", SLOWEST).time_ranges[0].within(200.0) == pytest.approx((0.0, 19.4))


@pytest.mark.parametrize(
    ("prompt", "words"), [("and if mallocgc were free?", ("mallocgc",)), ("are there binder calls?", ())]
)
def test_a_new_word_of_a_prompt_that_goes_on_is_looked_up(prompt: str, words: tuple[str, ...]) -> None:
    found = after(prompt)
    assert found.maybe == words
    assert found.stems
