"""What a short prompt goes on about: events, a thread, a single call, another quantity."""

from dataclasses import replace

import pytest

from server.analyst.intent import Intent
from server.analyst.measured import loosely_measured
from server.analyst.question import alone
from server.analyst.sentence_forms import is_yes_or_no, judges, limit_asked, refers
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import understood
from server.analyst.unread_words import is_of_asking
from tests.server.analyst.written_questions import assert_read, prompts_of

SPOKEN = SpokenOf("f7", "[`parse`](#f7)", "what about `parse`?", listed=("f7", "f8"), ranked=("f7", "f8"))
COLLECTED = replace(SPOKEN, prompt="how much is gc", is_aside=True)


@pytest.mark.parametrize(
    ("before", "prompt", "intent", "has"),
    [
        ("how much is gc", "worst one?", Intent.GARBAGE, "garbage collection"),
        ("how much is gc", "and when was that?", Intent.GARBAGE, "garbage collection"),
        ("wie viel ist gc", "und wie viele?", Intent.GARBAGE, "garbage collection"),
        ("how long do they wait for it", "longest single one?", Intent.WAITING, "wait"),
        ("longest task?", "how many over 50 ms", Intent.LONG_TASKS, "task"),
        ("how much is gc", "can you fix that?", Intent.GARBAGE, "reduce"),
        ("longest freeze?", "what happens inside it", Intent.LONG_TASKS, "task"),
        ("do they block each other? where", "longest, whose", Intent.WAITING, "wait"),
        ("blockieren die sich", "sum over the 3 and how often", Intent.WAITING, "wait"),
        ("how long do they wait", "how much longer than the others", Intent.WAITING, "than the others"),
        ("longest task?", "um wie viel länger als die anderen", Intent.LONG_TASKS, "than the others"),
        ("how long do they wait", "avg wait if you drop that outlier", Intent.WAITING, "without the longest"),
    ],
)
def test_a_prompt_without_a_subject_is_about_the_events_before(
    before: str, prompt: str, intent: Intent, has: str
) -> None:
    found = understood(prompt, {}, [], replace(SPOKEN, prompt=before), ("**Yes.**",))
    assert (found.intent, found.handle) == (intent, None)
    assert has in found.text


def test_a_finding_is_gone_on_about_as_its_events_are() -> None:
    asked_why = replace(SPOKEN, prompt="why is it slow")
    opening = "**Lock contention**: Threads wait for a lock in [`sell`](#f7)."
    assert understood("longest one?", {}, [], asked_why, (opening,)).intent is Intent.WAITING
    assert (
        understood("longest one?", {}, [], asked_why, ("**[`parse`](#f7) dominates**.",)).intent is not Intent.WAITING
    )


def test_what_an_answer_counted_is_gone_on_about_whatever_was_asked() -> None:
    asked_why = replace(SPOKEN, prompt="why is it slow")
    opening = "**51 waits took 4.14 s together**; the middle one 46.1 ms."
    assert understood("worst one?", {}, [], asked_why, (opening,)).intent is Intent.WAITING


@pytest.mark.parametrize(
    "prompt", ["who calls it", "how often is it called", "what about `emit`?", "is it the network?"]
)
def test_what_has_a_subject_of_its_own_is_not_about_the_events_before(prompt: str) -> None:
    assert understood(prompt, {}, [], replace(SPOKEN, prompt="how much is gc"), ("**Yes.**",)).intent is not (
        Intent.GARBAGE
    )


def test_what_was_only_suspected_is_not_what_is_to_be_fixed() -> None:
    suspected = replace(SPOKEN, prompt="is it the gc?")
    assert understood("can you fix that?", {}, [], suspected, ("**No.**",)).intent is not Intent.GARBAGE


def test_what_an_answer_names_in_passing_is_not_what_would_be_saved() -> None:
    assert understood("what do we get if we drop it", {}, [], COLLECTED, ("**Importing takes long.**",)).handle is None
    assert understood("what do we get if we drop it", {}, [], SPOKEN, ("**[`parse`](#f7)**",)).handle == "f7"


def test_calls_longer_than_a_limit_are_asked_of_what_was_spoken_of() -> None:
    found = understood("how many over 20ms", {}, [], SPOKEN, ("**[`parse`](#f7)** takes 5 ms.",))
    assert (found.intent, found.handle) == (Intent.CALLS_OF, "f7")
    assert alone("how many calls of `parse` took longer than 5 ms", {}, None).intent is Intent.CALLS_OF
    assert limit_asked("longer than 1.5s") == (1500.0, "1.5 s")
    assert limit_asked("über 200 µs") == (0.2, "200 µs")
    assert limit_asked("how long is it") is None


def test_measures_are_read_in_a_sentence_about_what_was_spoken_of() -> None:
    found = loosely_measured("why is its p99 so bad", is_of_asking)
    assert found is not None
    assert found.measures == ("p99",)
    assert loosely_measured("why is its parser so bad", is_of_asking) is None
    of_thread = replace(SPOKEN, threads=("p2",))
    asked = understood("how often and how long each", {}, [], of_thread, ("**[`main`](#p2) works for 5 ms.**",))
    assert asked.handles == ("f7",)
    assert asked.measured is not None
    assert set(asked.measured.measures) == {"calls", "mean"}


def test_a_sentence_before_the_question_asks_nothing() -> None:
    assert is_yes_or_no("but it only adds words to a dict... is it waiting for something?")
    assert not is_yes_or_no("is it slow? what takes the most")
    assert refers("is that a lot")
    assert not refers("any slices that never end?")
    assert judges("is 200ms normal for this")
    assert not judges("is it the normal path that is slow")


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("spoken_topics"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


def test_how_many_samples_is_asked_of_the_recording_whatever_was_spoken_of() -> None:
    assert understood("and how many of them?", {}, [], COLLECTED, ()).intent is Intent.GARBAGE
    assert understood("how many samples", {}, [], COLLECTED, ()).intent is not Intent.GARBAGE
