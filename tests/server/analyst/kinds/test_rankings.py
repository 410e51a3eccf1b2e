"""Rankings: the heaviest path, and where it forks."""

import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled


async def test_where_the_heaviest_path_forks_each_way_has_its_share() -> None:
    trace = sampled({"main;load;parse": 30, "main;load;check": 25, "main;load": 20, "main;draw": 15, "main": 10})
    answer, _ = await asked("What is the hot path?", trace)
    assert answer.text.startswith("**The heaviest path ends in [`load`]")
    assert "75.0% (75.0 ms) of 100 ms goes through all of it" in answer.text
    assert "There it forks: 20.0% (20.0 ms) stays in [`load`]" in answer.text
    assert "itself, the rest goes to [`parse`]" in answer.text


async def test_a_path_that_ends_has_its_own_share() -> None:
    answer, _ = await asked("What is the hot path?", sampled({"main;load": 90, "main;draw": 10}))
    assert "90.0% (90.0 ms) of it is in [`load`]" in answer.text
    assert "There it forks" not in answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("rankings"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
