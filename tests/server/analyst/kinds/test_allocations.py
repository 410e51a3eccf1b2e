"""Answers about memory: allocations in a profile next to one of time."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import MS, finished, sampled
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.stacks import StackTable
from traces.values import Counts, Unit, ValueType, Waits


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


COUNTED = "**How long anything takes cannot be said: this trace counts samples, calls or instructions, not time.** "
MEASURED = "**How long anything takes cannot be said: this trace measures bytes of memory, not time or CPU.** "


@pytest.mark.parametrize(
    "prompt",
    [
        "how long did parse take?",
        "wie lange dauert parse?",
        "combien de temps prend parse ?",
        "¿cuánto tarda parse?",
        "parse要多久?",
    ],
)
@pytest.mark.parametrize(("unit", "begins"), [(Unit.BYTES, MEASURED), (Unit.COUNT, COUNTED)])
async def test_that_no_time_is_measured_comes_first(prompt: str, unit: Unit, begins: str) -> None:
    answer, _ = await asked(prompt, sampled([("main;parse", 3000.0), ("main;emit", 7000.0)], unit=unit))
    assert answer.text.startswith(begins), answer.text


@pytest.mark.parametrize("prompt", ["how much memory does parse use?", "wieviel Speicher braucht parse?"])
async def test_that_no_memory_is_measured_comes_first(prompt: str) -> None:
    answer, _ = await asked(prompt, sampled([("main;parse", 3000.0), ("main;emit", 7000.0)]))
    assert answer.text.startswith("**How many bytes that is cannot be said"), answer.text


@pytest.mark.parametrize("prompt", ["who allocates the most objects?", "qui alloue le plus d'objets ?"])
async def test_objects_that_are_counted_as_they_are_made_are_allocations(prompt: str) -> None:
    facts = sums(Counts.SAMPLES, Waits.NEITHER)
    answer, _ = await asked(
        prompt, sampled([("main;parse", 3000.0), ("main;emit", 7000.0)], unit=Unit.COUNT, facts=facts)
    )
    assert answer.text.startswith("**[`emit`](#f2) dominates**"), answer.text
    assert "objects that were made, not their bytes" in answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("allocations"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
