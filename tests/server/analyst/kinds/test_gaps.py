"""When nothing ran: from one sample to the next, where samples are taken only while it runs."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import MS, finished, frame
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Facts, Unit, ValueType, Waits


def sampled_while_it_ran(waits: Waits) -> Trace:
    """Samples of 1 ms each that begin at 0, 1, 41, 42 and 62 ms."""
    builder = TraceBuilder("small", "example")
    table = StackTable()
    leaves = table.leaves([[frame(builder, "main"), frame(builder, "work")]] * 5)
    builder.add_sampled(
        "main",
        table,
        leaves,
        [np.full(5, 1.0) * MS],
        values=(ValueType("time", Unit.NANOSECONDS),),
        time=np.array([0.0, 1, 41, 42, 62]) * MS,
        pid="1",
        tid="1",
        facts=Facts(waits=waits),
    )
    return finished(builder)


@pytest.mark.parametrize("prompt", ["longest stretch with nothing on main?", "when was the longest gap?"])
async def test_the_longest_time_without_a_sample_is_named_with_its_moment(prompt: str) -> None:
    answer, _ = await asked(prompt, sampled_while_it_ran(Waits.WORK))
    first = answer.text.partition("\n")[0]
    assert first.startswith("**The longest time without a sample is 40.0 ms from 1.00 ms on**, then 20.0 ms from"), (
        first
    )
    assert "why it did not, the recording does not say" in answer.text


async def test_no_gap_is_looked_for_where_waiting_is_sampled_too() -> None:
    answer, _ = await asked("when was the longest gap?", sampled_while_it_ran(Waits.BOTH))
    assert "without a sample" not in answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("gaps"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
