"""A word that an answer could not place may be part of a function's name, in any thread."""

import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.traces.insights.recorded import timeline
from traces.model import Trace


def workers() -> Trace:
    jobs = [("handle_job", 20 * at, 20 * at + (12 if at == 2 else 4)) for at in range(5)]
    return timeline([("compute", 0, 100)], jobs, names=("MainThread", "worker-1"))


async def test_the_slowest_thing_is_a_call_of_the_function_named_after_it() -> None:
    answer, _ = await asked("slowest job?", workers())
    assert answer.text.startswith("**The longest call of [`handle_job`](#s3) took 12.0 ms, from 40.0 ms on in ")


async def test_a_word_that_no_function_has_stays_unplaced() -> None:
    answer, _ = await asked("slowest ink?", workers())
    assert "`ink`" in answer.text.partition("\n")[0]
    assert "Taking" not in answer.text


async def test_a_word_that_many_functions_have_stays_unplaced() -> None:
    jobs = [(f"{name}_job", 20 * at, 20 * at + 4) for at, name in enumerate(("handle", "store", "fetch", "drop"))]
    answer, _ = await asked("slowest job?", timeline([("compute", 0, 100)], jobs, names=("MainThread", "worker-1")))
    assert "Taking `job`" not in answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("unplaced"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
