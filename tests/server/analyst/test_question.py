"""Prompts that go on about what was spoken of, and those that do not."""

import pytest

from server.analyst.evidence import SpokenOf
from server.analyst.question import Intent, understood

OVERVIEW = SpokenOf("f7", "[`parse`](#f7)", "why is this slow?")
ONE = SpokenOf("f7", "[`parse`](#f7)", "what about `parse`?")


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("and who calls it?", Intent.CALLERS),
        ("who calls that", Intent.CALLERS),
        ("from where?", Intent.CALLERS),
        ("and from where", Intent.CALLERS),
        ("how many calls?", Intent.HOW_OFTEN),
        ("what does it call", Intent.CALLEES),
        ("show it in the chart", Intent.SHOW),
        ("why?", Intent.FUNCTION),
        ("tell me more", Intent.FUNCTION),
    ],
)
def test_a_prompt_without_a_name_goes_on_about_what_was_spoken_of(prompt: str, intent: Intent) -> None:
    question = understood(prompt, {}, spoken_of=OVERVIEW)
    assert (question.intent, question.handle, question.carried) == (intent, "f7", "[`parse`](#f7)")
    assert understood(prompt, {}).handle is None


@pytest.mark.parametrize(
    "prompt",
    [
        "why is this slow?",
        "who calls `render`?",
        "who calls f9?",
        "top 5 functions",
        "is it garbage collection?",
        "show me the flame chart",
        "which threads are busy?",
        "what happens between 1 s and 2 s?",
        "why is it slow?",
    ],
)
def test_a_prompt_with_a_subject_of_its_own_leaves_it(prompt: str) -> None:
    assert understood(prompt, {}, spoken_of=OVERVIEW) == understood(prompt, {})


def test_it_is_the_function_only_when_that_was_asked_about() -> None:
    assert understood("why is it slow?", {}, spoken_of=ONE).handle == "f7"
    assert understood("is it recursive?", {}, spoken_of=ONE).handle == "f7"
    assert understood("is it recursive?", {}, spoken_of=OVERVIEW).handle is None


@pytest.mark.parametrize("prompt", ["from where?", "and from where does that come", "what else?", "some more please"])
def test_no_word_that_stands_for_a_place_is_taken_for_a_function(prompt: str) -> None:
    question = understood(prompt, {})
    assert (question.names, question.maybe) == ((), ())
