"""Which intent a prompt has: the nearest one that fits what it names."""

from typing import Any

import pytest

from server.analyst.chosen_intent import chosen_intent
from server.analyst.intent import Intent
from server.analyst.nearest_intent import Nearest
from server.analyst.question import alone
from server.analyst.subjects import Subjects
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of

NOTHING = Subjects(names=(), maybe=(), placed=(), thread=None, profiles=(), labels=(), handle=None, masked="", plain="")


def chosen(
    text: str, *near: tuple[Intent, float], named: dict[str, Any] | None = None, function: bool = False, **more: bool
) -> Intent:
    """Of the intents that a prompt is near to, the likeliest first."""
    given = {name: getattr(NOTHING, name) for name in Subjects.__slots__} | (named or {})
    nearest = Nearest(tuple((str(one), probability) for one, probability in near), "en", 1.0)
    return chosen_intent(
        text, nearest, Subjects(**given), has_function=function, has_range=more.get("has_range", False)
    )


SUSPECT, GARBAGE, TOP = (Intent.SUSPECT, 0.6), (Intent.GARBAGE, 0.3), (Intent.TOP, 0.8)


def test_a_suspicion_stays_one_where_it_names_something_that_may_be_a_function() -> None:
    assert chosen("is it the parser", SUSPECT, GARBAGE, named={"maybe": ("parser",)}) is Intent.SUSPECT
    assert chosen("is it `parser`", SUSPECT, GARBAGE, named={"names": ("parser",)}, function=True) is Intent.SUSPECT


def test_a_suspicion_that_names_nothing_is_about_the_likeliest_cause() -> None:
    assert chosen("is it that again", SUSPECT, GARBAGE) is Intent.GARBAGE
    assert chosen("is it the disk", SUSPECT, GARBAGE) is Intent.WAITING
    assert chosen("is it that again", SUSPECT, TOP) is Intent.SUSPECT


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("select name from nodes", Intent.SQL),
        ("draw a histogram of the calls", Intent.DRAW),
        ("?!", Intent.SMALLTALK),
    ],
)
def test_a_query_a_chart_and_no_words_are_known_whatever_is_near(text: str, intent: Intent) -> None:
    assert chosen(text, TOP) is intent


def test_two_profiles_are_compared_and_one_is_not() -> None:
    assert chosen("p0 and p1", TOP, named={"profiles": ("p0", "p1")}) is Intent.COMPARE
    assert chosen("p0 and p0", TOP, named={"profiles": ("p0", "p0")}) is Intent.TOP


def test_what_is_asked_of_everything_is_of_the_function_that_is_named() -> None:
    assert chosen("top of `read`", TOP, function=True) is Intent.FUNCTION
    assert chosen("top of `read`", TOP, (Intent.CALLERS, 0.1), function=True) is Intent.CALLERS
    assert chosen("top", TOP, (Intent.CALLERS, 0.1)) is Intent.TOP


def test_a_thread_s_name_turns_a_question_for_everything_to_that_thread() -> None:
    thread = {"thread": "gpu"}
    assert chosen("what takes long on gpu", TOP, named=thread) is Intent.THREAD
    assert chosen("what takes long on gpu", (Intent.REGEX, 0.9), named=thread) is Intent.REGEX
    assert chosen("what is it on", (Intent.THREAD, 0.9)) is Intent.PROFILES


def test_a_time_range_turns_a_question_for_everything_to_that_time() -> None:
    assert chosen("what happens from 1 to 2 s", TOP, has_range=True) is Intent.WINDOW
    assert chosen("what happens then", (Intent.WINDOW, 0.9)) is Intent.BUSIEST
    assert chosen("the same", (Intent.CALLERS, 0.9), has_range=True) is Intent.WINDOW
    shown = chosen("show `read` from 1 to 2 s", (Intent.SHOW, 0.9), function=True, has_range=True)
    assert shown is Intent.SHOW


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("read vs write", Intent.TWO_FUNCTIONS),
        ("read and write together", Intent.TWO_FUNCTIONS),
        ("read, write", Intent.TOP),
    ],
)
def test_two_names_are_set_against_each_other_where_a_word_says_so(text: str, intent: Intent) -> None:
    assert chosen(text, TOP, named={"maybe": ("read", "write")}) is intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("who calls read", Intent.CALLERS),
        ("is read more than half", Intent.FUNCTION),
        ("which line of read", Intent.FUNCTION),
    ],
)
def test_how_a_prompt_is_put_goes_before_what_it_is_near_to(text: str, intent: Intent) -> None:
    assert chosen(text, TOP, named={"names": ("read",)}, function=True) is intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("is the cpu busy", Intent.WAITING),
        ("who waits longest", Intent.PROFILES),
        ("is there a leak", Intent.MEMORY),
        ("how many minor gcs", Intent.GARBAGE),
        ("hottest function overall", Intent.TOP),
        ("slowest task", Intent.LONG_TASKS),
    ],
)
def test_some_questions_are_known_by_their_words(text: str, intent: Intent) -> None:
    assert chosen(text, (Intent.ABILITIES, 0.9)) is intent


def test_the_kernel_is_asked_of_as_a_group_of_functions() -> None:
    assert chosen("kernel or not", (Intent.LIBRARIES, 0.9)) is Intent.GROUP


@pytest.mark.parametrize(
    "prompt",
    ["who calls it? the slow one", "and who is calling that", "wer ruft das auf?", "qui l'appelle ?", "quién lo llama"],
)
def test_who_calls_it_asks_for_callers_whatever_follows(prompt: str) -> None:
    assert alone(prompt, {}, None).intent is Intent.CALLERS


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("chosen_intent"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("chosen_intent"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


@pytest.mark.parametrize(
    "prompt", ["Wie viele GCs gab es und wie lange haben sie insgesamt angehalten?", "¿cuántas gcs hubo?"]
)
def test_collections_are_counted_in_other_languages(prompt: str) -> None:
    assert alone(prompt, {}, None).intent is Intent.GARBAGE


def test_then_behind_a_question_for_one_thing_asks_for_no_order() -> None:
    timeline = (Intent.TIMELINE, 0.9)
    named = {"names": ("parse",)}
    assert chosen("what is parse then", timeline, named=named, function=True) is Intent.FUNCTION
    assert chosen("what is after parse then", timeline, named=named, function=True) is Intent.TIMELINE
