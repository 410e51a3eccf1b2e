"""Questions that the analyst asks of a trace in SQL: what gets longer while the recording goes on."""

import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import timeline


@pytest.mark.parametrize("prompt", ["does it get slower over time?", "wird es mit der Zeit langsamer?"])
async def test_calls_that_get_longer_are_named(prompt: str) -> None:
    calls = [("main", 0, 1000)]
    calls += [("parse", 50 * at, 50 * at + (4 if at < 10 else 20)) for at in range(20)]
    answer, _ = await asked(prompt, timeline(calls))
    assert "[`parse`](#f1) from 4.00 ms to 20.0 ms a call, in 20 calls" in answer.text
    assert "look into the trace failed" not in answer.text


async def test_calls_of_one_length_do_not_get_longer() -> None:
    answer, _ = await asked(
        "does it get slower over time?", timeline([("parse", 50 * at, 50 * at + 4) for at in range(20)])
    )
    assert answer.text.startswith("**No: no function's calls get clearly longer during the recording.**")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("by_query"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
