"""Answers over recordings are kept while the recordings stand as they did, and for no longer than ten minutes."""

import asyncio

import pytest

from server.agent.questions.run_answers import RunsAnswer
from server.errors import BadRequest
from server.testing.manual_clock import ManualClock
from server.turns.kept_run_answers import KEPT_S, MOST_KEPT, KeptRunAnswers


class Runs:
    def __init__(self) -> None:
        self.count = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def run(self) -> RunsAnswer:
        self.count += 1
        await self.may_end.wait()
        return RunsAnswer({}, f"{self.count}", (), {}, (), ())


async def test_the_same_question_of_the_same_recordings_runs_once(anyio_backend: str) -> None:
    clock, runs = ManualClock(), Runs()
    kept = KeptRunAnswers(clock)
    runs.may_end.clear()
    async with asyncio.TaskGroup() as group:
        three = [group.create_task(kept.answer(("a",), "s", runs.run)) for _ in range(3)]
        while not runs.count:
            await asyncio.sleep(0)
        runs.may_end.set()
    assert {task.result().headline for task in three} == {"1"}
    assert (await kept.answer(("b",), "s", runs.run)).headline == "2"
    assert (await kept.answer(("a",), "t", runs.run)).headline == "3"
    clock.advance(KEPT_S - 1)
    assert (await kept.answer(("a",), "t", runs.run)).headline == "3"
    clock.advance(2)
    assert (await kept.answer(("a",), "t", runs.run)).headline == "4"


async def test_a_refusal_is_kept_for_nobody_and_the_oldest_go(anyio_backend: str) -> None:
    kept, runs = KeptRunAnswers(ManualClock()), Runs()

    async def refused() -> RunsAnswer:
        raise BadRequest("no", field="question")

    with pytest.raises(BadRequest):
        await kept.answer(("a",), "s", refused)
    assert (await kept.answer(("a",), "s", runs.run)).headline == "1"
    for number in range(MOST_KEPT):
        await kept.answer((str(number),), "s", runs.run)
    assert len(kept._kept) == MOST_KEPT
    assert (await kept.answer(("a",), "s", runs.run)).headline == str(runs.count)
