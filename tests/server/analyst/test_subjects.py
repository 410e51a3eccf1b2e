"""What prompts name, and how they look with it replaced."""

import pytest

from server.analyst.subjects import subjects
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of


@pytest.mark.parametrize(
    ("prompt", "names", "maybe", "masked"),
    [
        ("who calls `parse json`?", ("parse json",), (), "who calls X ?"),
        ("compare load_all and drawBox", ("load_all", "drawBox"), (), "compare X and Y"),
        ("how much is go/parser/scan.go", ("go/parser/scan.go",), (), "how much is X"),
        ("what is tsc doing", (), ("tsc",), "what is X doing"),
        ("why is it slwo", (), ("slwo",), "why is it slow"),
        ("what happens between 2s and 3s", (), (), "what happens W"),
        ("谁调用了 luhn_sum？", ("luhn_sum",), (), "谁调用了 X ？"),
        ("is it I/O?", (), (), "is it I/O?"),
        ("top 20", (), (), "top N"),
    ],
)
def test_names_are_read_and_replaced(prompt: str, names: tuple[str, ...], maybe: tuple[str, ...], masked: str) -> None:
    found = subjects(prompt)
    assert (found.names, found.maybe, found.masked) == (names, maybe, masked)


def test_a_thread_and_a_profile_are_no_function() -> None:
    found = subjects("what does the thread `gpu-worker-9` do in p3?")
    assert found.thread == "p3"
    assert found.profiles == ("p3",)
    assert subjects("what does gpu-worker-9 do").thread == "gpu-worker-9"
    assert subjects("what does gpu-worker-9 do").masked == "what does P do"


def test_a_prompt_of_unknown_words_names_none_of_them() -> None:
    assert subjects("glimmering bandersnatches whiffle tulgey vorpal snickersnack").maybe == ()


@pytest.mark.parametrize("prompt", ["who's holding it", "whos holding that", "is it worth replacing?"])
def test_what_somebody_does_is_no_name(prompt: str) -> None:
    assert subjects(prompt).maybe == ()


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("subjects"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("subjects"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
