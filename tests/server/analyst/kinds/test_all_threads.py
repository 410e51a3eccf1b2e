"""What is asked of a function holds for all threads that call it, and of a device for all of its streams."""

import numpy as np
import pytest

from server.analyst.question import Intent, alone
from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import MS, finished, timeline, values
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.stacks import StackTable
from traces.values import Counts, Facts, Unit, ValueType, Waits

TWO_THREADS = ([("work", 0, 100), ("write", 10, 20), ("write", 30, 45)], [("work", 0, 90), ("write", 10, 70)])


async def test_calls_are_counted_in_all_threads() -> None:
    answer, _ = await asked("how often is `write` called?", timeline(*TWO_THREADS, names=("a", "b")))
    assert answer.text.startswith("**[`write`](#f1) was called 3 times**"), answer.text


async def test_the_slowest_call_may_lie_in_any_thread_which_is_named() -> None:
    answer, _ = await asked("worst call of `write`?", timeline(*TWO_THREADS, names=("a", "b")))
    assert "**The slowest call of [`write`](#s4) took 60.0 ms**, from 10.0 ms on in [`b`](#p1)." in answer.text
    assert "Of its 3 calls the middle one took 15.0 ms" in answer.text
    assert "No: " not in answer.text


async def test_the_second_long_task_is_not_the_first() -> None:
    trace = timeline([("boot", 0, 500), ("layout", 0, 400), ("click", 600, 800), ("idle", 900, 901)])
    answer, _ = await asked("and the second long task?", trace)
    assert answer.text.startswith("**The second longest task took 200 ms**: [`click`]"), answer.text


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("what's the biggest kernel", Intent.GROUP),
        ("longest single wait?", Intent.WAITING),
        ("who waits longest?", Intent.PROFILES),
        ("threads hang, why?", Intent.WAITING),
        ("wo verliere ich am meisten Zeit beim Warten?", Intent.WAITING),
        ("same between 4 and 5", Intent.WINDOW),
        ("which line in `parse`", Intent.FUNCTION),
        ("how many kernel launches?", Intent.HOW_OFTEN),
        ("forward or backward, which is longer", Intent.GROUP),
    ],
)
def test_forms_of_questions_that_words_would_mislead(prompt: str, intent: Intent) -> None:
    assert alone(prompt, {}, None).intent is intent


async def test_a_function_of_c_is_no_slip_of_memory() -> None:
    answer, _ = await asked("so is memcpy the issue?", timeline([("main", 0, 50), ("memcpy", 0, 40)]))
    assert answer.text.startswith("**Yes: Copying.** 80.0% (40.0 ms)"), answer.text


async def test_contentions_are_counted_with_what_a_function_calls() -> None:
    columns = (("contentions", Unit.COUNT), ("delay", Unit.NANOSECONDS))
    trace = values({"main;update;unlock": (990, 7e9), "main;other;unlock": (10, 1e9)}, columns)
    answer, _ = await asked("how many times is `update` called", trace)
    assert "**990 contentions lie in [`update`](#f1) and what it calls**" in answer.text, answer.text


async def test_the_longest_wait_is_that_of_one_event() -> None:
    builder = TraceBuilder("both", "example")
    for name, stacks in (("cpu", ["run", "run"]), ("Waits for locks", ["append", "append"])):
        table = StackTable()
        leaves = table.leaves([[builder.frame(stack)] for stack in stacks])
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        facts = Facts() if name == "cpu" else sums(Counts.EVENTS, Waits.WAITING)
        weights = [np.array([30 * MS, 70 * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=name, facts=facts)
    answer, _ = await asked("longest single wait?", finished(builder))
    assert answer.text.startswith("**The longest single wait took 70.0 ms**, in [`append`]"), answer.text
