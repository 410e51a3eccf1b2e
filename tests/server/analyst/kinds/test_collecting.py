"""Collections of a profile of their own have a length, whatever the counted samples next to them lack."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import MS, finished, frame
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit, ValueType


def counted_and_paused() -> Trace:
    """Samples that are counted, and ten pauses of 0.2 ms in 100 ms."""
    builder = TraceBuilder("small", "example")
    table = StackTable()
    leaves = table.leaves([[frame(builder, "main"), frame(builder, name)] for name in ("work", "other")])
    values = (ValueType("samples", Unit.COUNT),)
    builder.add_sampled("app", table, leaves, [np.array([90.0, 10.0])], values=values, pid="1", tid="1")
    starts = np.arange(10, dtype=np.int64) * 10 * MS
    pause = np.full(10, frame(builder, "G1 pause"), np.int32)
    nested = nest_slices(starts, starts + MS // 5, pause)
    builder.add_evented("Pauses for collections", nested, pid="1", tid="gc", axis_start=0, axis_end=100 * MS)
    return finished(builder)


@pytest.mark.parametrize("prompt", ["how long were the GC pauses?", "how much time does gc take"])
async def test_a_length_that_is_known_is_no_length_that_cannot_be_said(prompt: str) -> None:
    answer, _ = await asked(prompt, counted_and_paused())
    assert answer.text.startswith("**10 pauses took ")
    assert "2.0% of the recording" in answer.text
    assert "2.00 ms" in answer.text
    assert "cannot be said" not in answer.text


async def test_a_question_for_yes_or_no_keeps_its_verdict() -> None:
    answer, _ = await asked("is it the garbage collection?", counted_and_paused())
    assert answer.text.startswith("**No: collections took ")
