"""Numbers that no summary has, and moments that a recording has not."""

import pytest

from server.analyst.intent import Intent
from server.analyst.question import alone
from server.analyst.subjects import subjects
from tests.server.analyst.test_analyst_chat_everywhere import asked
from tests.traces.insights.recorded import sampled

DEEP = sampled([("main;a;b;c;d", 30), ("main;a", 70)])


@pytest.mark.parametrize("prompt", ["max stack depth?", "how deep is the stack"])
async def test_the_deepest_stack_is_counted(prompt: str) -> None:
    answer = await asked(prompt, DEEP)
    assert answer.text.startswith("**The deepest stack has 5 frames** in "), answer.text
    assert "it ends in [`d`](#f4)" in answer.text


@pytest.mark.parametrize(
    "prompt", ["which recursion is the deepest", "递归最深的是哪个", "welche rekursion ist am tiefsten?"]
)
async def test_the_deepest_recursion_is_no_heaviest_one(prompt: str) -> None:
    trace = sampled([("main;sort;sort;sort;sort", 10), ("main;merge;merge", 90)])
    answer = await asked(prompt, trace)
    begins = "**The deepest recursion is that of [`sort`](#f1) with "
    assert answer.text.startswith(begins), answer.text


def test_what_is_done_to_it_is_no_name() -> None:
    found = alone("what would caching it buy me", {}, None)
    assert (found.intent, found.maybe, found.stems, found.saves) == (Intent.FIRST_FIX, (), (), True)


def test_an_article_of_any_language_is_no_thread() -> None:
    assert subjects("hay un worker verdad? que hace").thread is None
