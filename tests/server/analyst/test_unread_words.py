"""An answer that leaves a word of its question out says so first."""

import pytest

from evals.grades import is_taken_otherwise, opening
from server.analyst.question import alone
from server.analyst.unread_words import admitted, unread
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.traces.insights.recorded import timeline

NOTHING = "**No call was found to be repeated in a way that stands out.**"


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("is the rate cache working?", ("rate",)),
        ("is the coupon cache working twice?", ("coupon",)),
        ("is work repeated?", ()),
        ("is anything cached twice?", ()),
        ("Typing into the coupon box is laggy. Is work repeated?", ()),
        ("is work repeated in this coupon script?", ()),
    ],
)
def test_words_of_no_intent_that_the_answer_does_not_have_are_unread(prompt: str, words: tuple[str, ...]) -> None:
    assert unread(alone(prompt, {}, None), NOTHING) == words


def test_a_word_before_one_that_is_answered_says_more_of_it() -> None:
    question = alone("does the crc checksum dominate?", {}, None)
    assert unread(question, "**Not mainly: [`checksum`](#f1) takes 7 %**") == ()
    assert unread(question, "**Not mainly: [`other`](#f1) takes 7 %**")[0] == "crc"
    done = alone("how much could we win by overlapping comms", {}, None)
    assert "overlapping" in unread(done, "**[`comms`](#f1)** takes 0.1% (1.04 ms) in total")


def test_nothing_is_admitted_before_a_plain_cannot_or_in_another_language() -> None:
    question = alone("is the rate cache working?", {}, None)
    assert admitted(question, NOTHING).startswith("**I could not place `rate`, so I cannot answer that part**; taken")
    assert admitted(question, "**This trace cannot say whether work is repeated**") == ""
    assert admitted(alone("¿funciona la caché de tarifas?", {}, None), NOTHING) == ""


def test_how_many_is_not_answered_by_a_length() -> None:
    question = alone("how many long tasks", {}, None)
    assert "How many that is, I cannot say" in admitted(question, "**The longest task took 12.3 ms**: `run`, from 0 ns")
    threads = alone("how many goroutines", {}, None)
    assert "How many that is, I cannot say" in admitted(threads, "**There is one profile in this trace.**")
    assert admitted(question, "**5 tasks last longer than 50 ms**") == ""


async def test_the_words_are_admitted_first_and_graded_as_a_note() -> None:
    answer, _ = await asked("is the rate cache working?", timeline([("main", 0, 50), ("work", 0, 40)]))
    assert answer.text.startswith("**I could not place `rate`, so I cannot answer that part**; taken as “")
    assert is_taken_otherwise(answer.text)
    assert opening(admitted(alone("is the rate cache working?", {}, None), NOTHING) + NOTHING) == NOTHING


def test_a_name_of_code_that_the_answer_does_not_have_is_unread() -> None:
    question = alone("why does charset __init__ show up?", {}, None)
    assert unread(question, "**[`_optimize_charset`](#f1) takes 0.1%**")[0] == "__init__"
    assert unread(question, "**[`Charset.__init__`](#f1) takes 0.1%**") == ()
    assert (
        unread(alone("how often is nodesOfClass called", {}, None), "**[`nodes_of_class`](#f1) was called once**") == ()
    )


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("unread_words"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
