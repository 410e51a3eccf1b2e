"""Tests of a module have one worker process after another, and the first of them does not take it along."""

import os

import anyio.to_process
import pytest

pytestmark = [pytest.mark.usefixtures("one_loop"), pytest.mark.xdist_group("one_loop")]
answered: list[int] = []


@pytest.mark.parametrize("question", range(3))
async def test_each_question_is_answered_by_the_same_process(question: int) -> None:
    answered.append(await anyio.to_process.run_sync(os.getpid))
    assert len(set(answered)) == 1, question
