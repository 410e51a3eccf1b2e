"""What is divided by a noun that no one function is called: by the nearest caller that is named like it."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import timeline
from traces.model import Trace


def rows() -> Trace:
    """Two calls of `sum_row`, in each `add_cell` three times, with `check_cell` in the first of these."""
    calls = [("main", 0, 100)]
    for start in (0, 50):
        calls.append(("sum_row", start, start + 40))
        for at in (0, 10, 20):
            calls.append(("add_cell", start + at, start + at + 8))
            calls.append(("check_cell", start + at, start + at + 2))
    return timeline(calls)


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (
            ["how many cells per row"],
            "**3 calls of `add_cell` for each call of `sum_row`**: 6 in all. It takes 24.0 ms",
        ),
        (
            ["how often is add_cell called", "per ledger?"],
            "No caller of it is named like `ledger`; of the nearest that runs it repeatedly: **3 calls of ",
        ),
        (
            ["how often is check_cell called", "and per cell?"],
            "**1 call of `check_cell` for each call of `add_cell`**: 6",
        ),
    ],
)
async def test_a_function_is_divided_by_the_calls_of_a_noun(prompts: list[str], begins: str) -> None:
    answers = await talk(rows(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    answer = re.sub(r"\[([^\]]+)\]\(#[^)]+\)", r"\1", answer)
    assert answer.startswith(begins), answer


@pytest.mark.parametrize(
    ("prompts", "has"),
    [
        (
            ["how often is add_cell called", "what would we save there with an index"],
            "; with `sum_row`, which calls it 3 times",
        ),
        (
            ["what would be saved if `add_cell` was called only once"],
            "40.0 ms less if it is called once and not 6 times",
        ),
        (["how often is add_cell called", "what would be left of the run without it"], " would be left at best"),
    ],
)
async def test_what_would_be_saved_is_given_with_the_caller(prompts: list[str], has: str) -> None:
    answers = await talk(rows(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    answer = re.sub(r"\[([^\]]+)\]\(#[^)]+\)", r"\1", answer)
    assert has in answer, answer
