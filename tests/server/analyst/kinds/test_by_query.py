"""Questions that the analyst asks of a trace in SQL: what gets longer while the recording goes on."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled, timeline


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


ORDER = [("job", 0, 100), ("ink", 10, 20), ("dry", 22, 40), ("cut", 25, 30), ("ink", 45, 50), ("stack", 55, 60)]


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("what ran right before dry", "**Right before `dry` it is `ink`**, on its thread, at 22.0 ms."),
        (
            "what runs after ink",
            "**Right after `ink` it is `dry`**, on its thread, 1 of 2 times, then `stack` 1; after",
        ),
        ("¿qué corre después de dry?", "**Right after `dry` it is `ink`**, on its thread, at 40.0 ms."),
        ("was kommt nach ink", "**Right after `ink` it is `dry`**, on its thread, 1 of 2 times, then `stack` 1; after"),
    ],
)
async def test_what_runs_next_to_a_function_is_of_its_thread(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, timeline(ORDER))
    assert read(answer.text).startswith(begins), answer.text


async def test_next_to_samples_is_the_sample_before_and_nothing_is_made_up() -> None:
    trace = sampled([("main;read", 5.0), ("main;parse", 10.0), ("main;emit", 5.0)])
    answer, _ = await asked("what ran right before parse", trace)
    assert "order" in answer.text or "`read`" in answer.text, answer.text


def read(answer: str) -> str:
    return re.sub(r"\[([^\]]+)\]\(#[\w.]+\)", r"\1", answer)


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("by_query"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
