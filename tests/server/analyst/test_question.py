"""Prompts that go on about what was spoken of, and those that do not."""

import pytest

from server.analyst.question import HEAD, TAIL, Intent
from server.analyst.spoken_of import SpokenOf
from server.analyst.understanding import understood
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of

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


LOG = "ERROR com.acme.Store.load took 812 ms\n" * 400


@pytest.mark.parametrize(
    ("prompt", "which"), [(f"who calls `parse`?\n{LOG}", "first"), (f"{LOG}\nwho calls `parse`?", "last")]
)
def test_a_question_before_or_after_a_pasted_log_is_read(prompt: str, which: str) -> None:
    question = understood(prompt, {})
    assert (question.intent, question.names) == (Intent.CALLERS, ("parse",))
    assert question.note == f"I read the {which} of your message's {len(prompt.strip().splitlines())} lines."


def test_the_ends_of_a_long_prompt_are_read() -> None:
    prompt = f"who calls `parse`\n{LOG}"
    question = understood(prompt, {})
    assert "parse" in question.names
    assert len(question.text) == HEAD + TAIL + 1
    assert question.note == f"I read the first 1,500 and the last 500 of your message's {len(prompt):,} characters."


def test_a_prompt_of_usual_length_is_read_in_full() -> None:
    assert understood("who calls `parse`? " + "x " * 900, {}).note is None


def test_a_long_query_is_asked_in_full() -> None:
    query = "select name from functions where " + " or ".join(f"total_ns > {number}" for number in range(200))
    question = understood(query, {})
    assert (question.intent, question.text, question.note) == (Intent.SQL, query, None)


@pytest.mark.parametrize("prompt", ["teh " * 4000, "a-" * 8000, "`" * 16000, "x. " * 5000, " " * 16000, "?" * 16000])
def test_a_prompt_that_says_nothing_is_answered(prompt: str) -> None:
    assert len(understood(prompt, {}).text) <= HEAD + TAIL + 1


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("buildAll vs parse.Compile, which is heavier?", Intent.TWO_FUNCTIONS),
        ("is `cudaMalloc` worse than `cudaFree`", Intent.TWO_FUNCTIONS),
        ("walkTree: self vs total", Intent.FUNCTION),
        ("when did `cudaFree` block for 6 s", Intent.CALLS_OF),
        ("how much of `gamma` comes via `delta`", Intent.CALLERS),
        ("avg time per call of `parse`", Intent.HOW_OFTEN),
        ("instructions per call of `parse`", Intent.HOW_OFTEN),
    ],
)
def test_how_a_prompt_is_put_decides_before_its_words(prompt: str, intent: Intent) -> None:
    assert understood(prompt, {}).intent is intent


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("and what's the most expensive thing it calls?", Intent.CALLEES),
        ("what is it doing in there mostly", Intent.CALLEES),
        ("per call then?", Intent.HOW_OFTEN),
        ("without that how long would it run?", Intent.FIRST_FIX),
    ],
)
def test_what_refers_to_the_function_before_is_about_it(prompt: str, intent: Intent) -> None:
    question = understood(prompt, {}, spoken_of=ONE)
    assert (question.intent, question.handle) == (intent, "f7")


def test_the_second_worst_call_is_of_the_function_of_which_the_worst_was_asked() -> None:
    worst = SpokenOf("f7", "[`parse`](#f7)", "how long was the slowest call of `parse`?")
    question = understood("and the second worst?", {}, spoken_of=worst)
    assert (question.intent, question.handle) == (Intent.CALLS_OF, "f7")


@pytest.mark.parametrize(("prompt", "name"), [("et mallocgc ?", "mallocgc"), ("and betaFn?", "betaFn")])
def test_one_word_more_is_a_function_and_no_topic(prompt: str, name: str) -> None:
    question = understood(prompt, {}, spoken_of=ONE)
    assert name in (*question.names, *question.maybe)
    assert question.intent is Intent.FUNCTION


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("how many forks and what do they cost", Intent.HOW_OFTEN),
        ("who burns the cpu", Intent.PROFILES),
        ("whats all that [unknown] stuff", Intent.SUSPECT),
        ("any forced reflow?", Intent.SUSPECT),
        ("and why is the network so slow", Intent.WAITING),
        ("why is the database so slow", Intent.QUERIES),
        ("is the gpu busy or starved", Intent.PARALLEL),
        ("which training step is slowest", Intent.GROUP),
        ("how many objects", Intent.MEMORY),
        ("`visit_import` is only 8 calls but 5.5s?? why", Intent.FUNCTION),
        ("since `String#split` is the top allocator, how do I avoid it?", Intent.FUNCTION),
    ],
)
def test_what_words_ask_for_whatever_stands_around_them(text: str, intent: Intent) -> None:
    assert understood(text, {}).intent is intent


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("question"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("question"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


def test_how_often_something_is_done_is_no_question_for_the_busiest_time() -> None:
    assert understood("how often does it load the rules", {}, []).intent is Intent.HOW_OFTEN
