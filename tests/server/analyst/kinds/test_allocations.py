"""Answers about memory: allocations in a profile next to one of time."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import MS, finished
from traces.builder import TraceBuilder
from traces.stacks import StackTable
from traces.values import Unit, ValueType


async def test_allocations_next_to_a_profile_of_time_are_answered_from_their_own() -> None:
    builder = TraceBuilder("both", "example")
    for name, unit, value in (("cpu", Unit.NANOSECONDS, 10 * MS), ("allocations", Unit.BYTES, 3_000)):
        table = StackTable()
        frames = [builder.frame("run"), builder.frame("make_rows")]
        leaves = table.leaves([frames, frames[:1]])
        kinds = (ValueType("alloc_space" if unit is Unit.BYTES else "time", unit),)
        builder.add_sampled(name, table, leaves, [np.array([3 * value, value])], values=kinds, pid="1", tid=name)
    answer, _ = await asked("What allocates the most?", finished(builder))
    assert (
        "**[`make_rows`](#f1) allocates the most: 75.0% (9.00 kB)** of 12.0 kB in [`allocations`](#p1)." in answer.text
    )
    assert "- [`run`](#f0): 25.0% (3.00 kB)" in answer.text
    assert "What was allocated is in it, not what was kept" in answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("allocations"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
