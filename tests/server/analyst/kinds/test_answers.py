"""Answers of kinds that have no tests of their own, to the letter."""

import pytest

from tests.server.analyst.written_answers import assert_answered, prompts_of


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("kinds"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
