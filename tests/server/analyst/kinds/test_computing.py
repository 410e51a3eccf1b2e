"""Whether it computes or waits, whether it is the interpreter's lock, and whether a thread that waits is a fault."""

import numpy as np
import pytest

from tests.server.analyst.test_analyst_chat import asked, talk
from tests.traces.insights.recorded import MS, finished, sampled, timeline, values
from traces.builder import TraceBuilder
from traces.formats.format import sums
from traces.stacks import StackTable
from traces.values import Counts, Facts, Unit, ValueType, Waits


@pytest.mark.parametrize(
    "prompt", ["cpu or is it waiting?", "cpu bound or waiting for something?", "cpu oder wartet es"]
)
async def test_which_of_two_it_is_is_no_yes(prompt: str) -> None:
    waiting, _ = await asked(prompt, timeline([("main", 0, 100), ("epoll_wait", 0, 90)]))
    assert waiting.text.startswith("**It waits in [`epoll_wait`](#f1), 90.0% (90.0 ms).**"), waiting.text
    working, _ = await asked(prompt, timeline([("main", 0, 100), ("work", 0, 90)]))
    assert working.text.startswith("**It computes on the CPU, by all that is recorded"), working.text


async def test_the_lock_of_an_interpreter_is_of_python_and_ruby_alone() -> None:
    answer, _ = await asked("gil problem?", sampled({"main;work": 90.0, "main;other": 10.0}))
    assert answer.text.startswith("**No: a global interpreter lock is of Python and Ruby"), answer.text


async def test_a_thread_that_waits_for_others_is_no_fault() -> None:
    trace = timeline([("main", 0, 100), ("_wait_for_tstate_lock", 0, 90)])
    answer, _ = await asked("main sits in `_wait_for_tstate_lock` for 90%. bug?", trace)
    begins = "**No: in [`_wait_for_tstate_lock`](#f1) a thread only waits for other threads to end (join)**"
    assert answer.text.startswith(begins), answer.text


async def test_waits_add_up_to_more_than_the_run() -> None:
    columns = (("delay", Unit.NANOSECONDS), ("contentions", Unit.COUNT))
    trace = values({"main;update;unlock": (7e9, 990), "main;count;unlock": (1e9, 10)}, columns)
    *_, summed, one = await talk(
        trace, "which lock is it", "the run took 4 s, how can it wait 8", "and the one in count?"
    )
    assert summed.startswith("**Waits add up: the 8.00 s are a sum over all that wait at the same time"), summed
    assert one.startswith("**12.5% (1.00 s) of the waiting is in [`count`]"), one
    assert "in 10 waits, 100 ms each" in one


async def test_more_of_what_is_no_thread_is_not_taken_for_a_function() -> None:
    answer, _ = await asked("would more kettles help", sampled({"main;kettles": 90.0, "main;other": 10.0}))
    assert answer.text.startswith("**A recording cannot show what that would change**"), answer.text


@pytest.mark.parametrize("prompt", ["which lock is the worst", "who held it"])
async def test_a_lock_that_is_asked_for_is_no_function(prompt: str) -> None:
    columns = (("delay", Unit.NANOSECONDS), ("contentions", Unit.COUNT))
    trace = values({"main;update;unlock": (7e9, 990), "main;count;unlock": (1e9, 10)}, columns)
    *_, answer = await talk(trace, "what is waited for?", prompt)
    assert "of the waiting that was recorded is in [`unlock`]" in answer, answer
    assert "no function that matches" not in answer


async def test_whether_something_waits_is_affirmed_however_little_it_is() -> None:
    first, second = [("wait_for_ladder", 0, 2), ("climb", 2, 90)], [("wait_for_ladder", 0, 4), ("climb", 4, 90)]
    names = ("engine-1 (tid 1)", "engine-2 (tid 2)")
    (answer,) = await talk(timeline(first, second, names=names), "do the engines wait for the ladder?")
    assert answer.startswith("**Yes: they wait in [`wait_for_ladder`]"), answer
    assert "for 6.00 ms" in answer


async def test_the_disk_is_not_affirmed_by_another_wait() -> None:
    builder = TraceBuilder("both", "example")
    for name, stacks in (("cpu", ["run", "run"]), ("Waits of main", ["(sleep)", "(sleep)"])):
        table = StackTable()
        leaves = table.leaves([[builder.frame(stack)] for stack in stacks])
        facts = Facts() if name == "cpu" else sums(Counts.EVENTS, Waits.WAITING)
        kinds = (ValueType("time", Unit.NANOSECONDS),)
        weights = [np.array([30 * MS, 70 * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=name, facts=facts)
    *_, answer = await talk(finished(builder), "what does it wait for?", "is it the disk?")
    assert answer.startswith("**No: nothing that leads is named like files and disk"), answer


async def test_what_is_named_like_waiting_is_found_by_these_names_alone() -> None:
    answer, _ = await asked("do we wait for typing?", sampled({"main;isTypedArray": 90.0, "main;other": 10.0}))
    assert "named like waiting the most is in" not in answer.text, answer.text
