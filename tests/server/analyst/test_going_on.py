"""Prompts that go on: doubts, ordinals, the time that was spoken of."""

from dataclasses import replace

import pytest

from server.analyst.evidence import Evidence
from server.analyst.kinds.other_values import value_before
from server.analyst.ordinals import NEXT, with_ordinals
from server.analyst.question import Intent, Question
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import AGAIN, ALL, understood

SPOKEN = SpokenOf("f7", "[`parse`](#f7)", "what about `parse`?", listed=("f7", "f8", "f9"), ranked=("f7", "f8", "f9"))
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


def test_a_bare_second_is_the_second_of_what_was_listed() -> None:
    assert with_ordinals("and second?", SPOKEN.listed) == "and f8?"
    of_threads = replace(SPOKEN, threads=("p2", "p4"))
    assert (after("and second?", spoken=of_threads).intent, after("and second?", spoken=of_threads).thread) == (
        Intent.THREAD,
        "p4",
    )


def test_a_thread_is_gone_on_about_as_a_function_is() -> None:
    of_threads = replace(SPOKEN, threads=("p2", "p4"))
    found = after("what does it spend its time in", spoken=of_threads)
    assert (found.intent, found.thread) == (Intent.THREAD, "p2")
    assert after("what does it spend its time in").intent is not Intent.THREAD
    assert after("who calls `emit`?", spoken=of_threads).intent is Intent.CALLERS
    assert after("and the main thread, whats it doing", spoken=of_threads).thread != "p2"


def test_a_comparison_may_be_with_a_function_of_the_same_recording() -> None:
    assert after("by how much vs heap sort").against == "parse"
    assert set(after("by how much vs heap sort").stems) >= {"heap", "sort"}
    assert not after("compared with the run before?").against


def test_why_after_an_answer_about_no_function_asks_the_topic_again() -> None:
    lcp = replace(SPOKEN, prompt="LCP?", is_aside=True)
    found = after("why so late", spoken=lcp)
    assert (found.intent, found.handle, found.why) == (Intent.PAGE, None, True)
    assert after("why so late", spoken=replace(lcp, is_aside=False)).handle == "f7"


def test_a_word_before_a_comma_is_what_is_asked_about() -> None:
    assert after("and memequal, where does that come from").maybe == ("memequal",)


def test_words_next_to_a_pronoun_are_no_subject() -> None:
    found = after("how often is it called per parent?")
    assert (found.intent, found.handle, found.maybe, found.stems) == (Intent.CALLERS, "f7", (), ())


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


def test_that_one_after_callers_is_the_caller_that_was_named() -> None:
    callers = replace(SPOKEN, prompt="who calls `parse`?")
    assert after("and what share of the run is that one", spoken=callers).handle == "f8"
    assert after("and who calls that", spoken=callers).handle == "f8"
    assert after("how often is it called", spoken=callers).handle == "f7"
    assert after("and who calls that").handle == "f7"


def test_versus_goes_on_with_what_was_spoken_of() -> None:
    found = after("vs write_block")
    assert (found.intent, found.names) == (Intent.TWO_FUNCTIONS, ("parse", "write_block"))
    of_files = replace(SPOKEN, prompt="how much is typescript.js")
    found = after("vs bundle.min.js", spoken=of_files)
    assert (found.intent, found.names) == (Intent.GROUP, ("typescript.js", "bundle.min.js"))


@pytest.mark.parametrize("prompt", ["and the rest", "and others?"])
def test_a_small_word_after_and_is_no_name(prompt: str) -> None:
    assert after(prompt).placed == ()


def test_there_is_the_other_recording_once_two_were_compared() -> None:
    compared = SpokenOf("f7", "[`parse`](#f7)", "is this slower than before?")
    question = understood("what's left there", {}, spoken_of=compared)
    assert (question.intent, question.is_of_the_other) == (Intent.COMPARE, True)
    assert not understood("what's left there", {}, spoken_of=SPOKEN).is_of_the_other


@pytest.mark.parametrize(
    "prompt",
    [
        "what is left w/o that",
        "say i got rid of all of it, total after?",
        "hoist it -> what remains",
        "turn that off, then?",
    ],
)
def test_what_would_be_left_is_asked_in_many_ways(prompt: str) -> None:
    found = after(prompt)
    assert (found.intent, found.handle, found.saves) == (Intent.FIRST_FIX, "f7", True)


def test_a_word_of_surprise_asks_for_no_waiting() -> None:
    assert after("wait what does `emit` do").intent is not Intent.WAITING
    assert after("hold on, what is left w/o it").intent is Intent.FIRST_FIX


def test_a_pronoun_behind_a_name_is_for_that_name() -> None:
    assert after("when does minify start, and does it run to the end").maybe == ("minify",)


@pytest.mark.parametrize(("prompt", "thread"), [("worst one", "p2"), ("the busiest?", "p2")])
def test_the_worst_of_listed_threads_is_the_first(prompt: str, thread: str) -> None:
    found = after(prompt, spoken=replace(SPOKEN, threads=("p2", "p4")))
    assert (found.intent, found.thread, found.measured) == (Intent.THREAD, thread, None)


def test_each_of_listed_threads_is_asked_of_all() -> None:
    assert after("secs each?", spoken=replace(SPOKEN, threads=("p2", "p4"))).intent is Intent.PROFILES


def test_where_alone_asks_the_cause_before_again() -> None:
    of_memory = replace(SPOKEN, prompt="what allocates the most memory?")
    assert after("where", spoken=of_memory).intent is Intent.MEMORY
    assert (after("where").intent, after("where").handle) == (Intent.FUNCTION, "f7")


@pytest.mark.parametrize("prompt", ["so what is it", "what then?", "was ist es dann?", "c'est quoi alors ?"])
def test_after_a_no_it_is_asked_what_takes_the_time(prompt: str) -> None:
    assert after(prompt, "**No: [`gc`](#f9) takes 3 ms.**").text == ALL
    assert after(prompt).text != ALL


def test_there_and_what_is_left_are_of_the_other_recording() -> None:
    compared = replace(SPOKEN, is_of_recordings=True, is_less_there=True)
    for prompt, name in (("and `emit` there?", "emit"), ("und emit dort?", "emit"), ("is it faster there", "")):
        found = after(prompt, spoken=compared)
        assert found.intent is Intent.COMPARE
        assert name in (*found.names, *found.maybe, "")
    left = after("what's the biggest thing left", spoken=compared)
    assert (left.intent, left.is_of_the_other) == (Intent.COMPARE, True)
    assert not after("what's the biggest thing left").is_of_the_other


def test_the_quantity_of_the_answer_before_is_known_by_how_it_begins() -> None:
    by_value = Evidence("and emit?", {}, (), openings=("**By “alloc_space” [`f`](#f1) leads: 86.0%**",))
    assert value_before(by_value) == "alloc_space"
    assert value_before(Evidence("and emit?", {}, (), openings=("**[`f`](#f1) takes 5 ms**",))) == ""


def test_the_next_biggest_follows_in_the_order_of_all() -> None:
    for prompt in ("next biggest?", "and then, next biggest thing?", "der nächstgrößte"):
        assert (after(prompt).intent, after(prompt).place) == (Intent.FUNCTION, NEXT)


def test_the_new_one_is_the_recording_that_was_named_so() -> None:
    spoken = replace(SPOKEN, prompt="json in each?", prompts=("shop-new: faster or not?",))
    found = after("what dominates the new one", spoken=spoken)
    assert (found.intent, found.labels, found.is_of_the_other) == (Intent.COMPARE, ("shop-new",), True)
    assert after("what dominates the new one").intent is not Intent.COMPARE


def test_whether_a_thread_blocks_the_page_is_asked_of_that_thread() -> None:
    found = after("so is it blocking the page?", spoken=replace(SPOKEN, threads=("p2",)))
    assert (found.intent, found.thread) == (Intent.THREAD, "p2")
