"""Collections of a profile of their own have a length, whatever the counted samples next to them lack."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
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


@pytest.mark.parametrize("prompt", ["how long were the GC pauses?", "how many gc pauses were there"])
async def test_a_length_that_is_known_is_no_length_that_cannot_be_said(prompt: str) -> None:
    answer, _ = await asked(prompt, counted_and_paused())
    assert answer.text.startswith("**10 pauses for collections took 2.00 ms together (2.0% of the recording)")
    assert "2.0% of the recording" in answer.text
    assert "2.00 ms" in answer.text
    assert "cannot be said" not in answer.text


async def test_a_question_for_yes_or_no_keeps_its_verdict() -> None:
    answer, _ = await asked("is it the garbage collection?", counted_and_paused())
    assert answer.text.startswith("**No: collections took ")


def full_and_young() -> Trace:
    """Two full collections of different causes, of 40 and 60 ms, and three young ones of 5 ms."""
    builder = TraceBuilder("small", "example")
    names = ["G1Full (Evacuation)", "G1Full (Humongous)", *["G1New (Evacuation)"] * 3]
    starts = np.arange(5, dtype=np.int64) * 100 * MS
    took = np.array([40, 60, 5, 5, 5], np.int64) * MS
    nested = nest_slices(starts, starts + took, np.array([frame(builder, one) for one in names], np.int32))
    builder.add_evented("Garbage collections", nested, axis_start=0, axis_end=500 * MS)
    return finished(builder)


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("how many full collections", "**2 full garbage collections took 100 ms together"),
        ("anything over 50 ms that is not a full gc?", "**0 of 3 other collections took longer than 50 ms.**"),
        ("how many full gcs took longer than 50 ms", "**1 of 2 full garbage collections took longer than 50 ms**"),
    ],
)
async def test_collections_of_a_kind_are_those_of_all_causes(prompt: str, begins: str) -> None:
    assert (await asked(prompt, full_and_young()))[0].text.startswith(begins)


async def test_a_track_of_collections_is_no_thread() -> None:
    answer, _ = await asked("which thread is the busiest?", full_and_young())
    assert answer.text.startswith("**Which thread that is, I cannot say")


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("collecting"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
