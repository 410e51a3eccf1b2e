"""What is waited for, by the words of a question and the names of functions."""

import re

import numpy as np
import pytest

from server.analyst.kinds.waiting import subject
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import MS, finished, sampled, timeline
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable
from traces.values import Counts, Facts, Unit, ValueType, Waits


@pytest.mark.parametrize(
    ("text", "words", "named", "not_named"),
    [
        ("Are we blocked on a lock?", "locks", "pthread_mutex_lock", "clock_gettime"),
        ("Is it the mutex?", "locks", "ReentrantLock", "block_copy"),
        ("Is it the database?", "the database", "psycopg.execute", "render"),
        ("which queries are slow", "the database", "Session.query", "render"),
        ("Is it the network?", "the network", "socket.recv", "render"),
        ("do we wait for an API", "the network", "getaddrinfo", "render"),
        ("Is it the disk?", "files and disk", "fsync", "spread"),
        ("Is it I/O?", "files and disk", "vfs_read", "thread_start"),
        ("what does it wait for", "waiting", "epoll_wait", "render"),
        ("anything else?", "waiting", "nanosleep", "render"),
    ],
)
def test_what_is_waited_for_is_known_by_its_words(text: str, words: str, named: str, not_named: str) -> None:
    found, pattern = subject(Question(intent=Intent.WAITING, text=text))
    assert found == words
    assert re.search(pattern, named, re.IGNORECASE)
    assert not re.search(pattern, not_named, re.IGNORECASE)


def locks_and_parking() -> Trace:
    """Work, 5 ms of waiting for locks and 9 ms of parking, each in a profile of its own."""
    builder, table = TraceBuilder("both", "example"), StackTable()
    for name, function, took in (("cpu", "work", 50), ("Waits for locks", "sell", 5), ("Parked threads", "park", 9)):
        facts = Facts() if name == "cpu" else Facts(counts=Counts.EVENTS, waits=Waits.WAITING)
        leaves = table.leaves([[builder.frame(function)]])
        kinds, weights = (ValueType("time", Unit.NANOSECONDS),), [np.array([took * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=name, facts=facts)
    return finished(builder)


def only_parking() -> Trace:
    """Work, and 9 ms of sleep in a profile of its own."""
    builder, table = TraceBuilder("both", "example"), StackTable()
    for name, function, took in (("cpu", "work", 50), ("Waits of main", "sleep", 9)):
        facts = Facts() if name == "cpu" else Facts(counts=Counts.EVENTS, waits=Waits.WAITING)
        leaves = table.leaves([[builder.frame(function)]])
        kinds, weights = (ValueType("time", Unit.NANOSECONDS),), [np.array([took * MS])]
        builder.add_sampled(name, table, leaves, weights, values=kinds, pid="1", tid=name, facts=facts)
    return finished(builder)


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("lock contention?", "**Yes, it waits: 5.00 ms of waiting was recorded, in [`Waits for locks`](#p1)"),
        ("is it waiting?", "**Yes, it waits: 9.00 ms of waiting was recorded, in [`Parked threads`](#p2)"),
        ("any deadlock?", "**A deadlock cannot be told from this trace**"),
    ],
)
async def test_waits_for_locks_are_not_taken_for_other_waiting(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, locks_and_parking())
    assert begins in answer.text.split("\n")[0], answer.text


async def test_threads_that_only_sleep_do_not_block_each_other() -> None:
    answer, _ = await asked("blockieren sich die threads gegenseitig?", only_parking())
    assert answer.text.startswith("**No: no lock contention was found, only other waiting.**"), answer.text


@pytest.mark.parametrize(
    ("part", "begins"),
    [
        (
            40,
            "**Yes: of what is named like the network the most is in [`socket.recv`](#f1), with 40.0% (40.0 ms)",
        ),
        (20, "**Partly: of what is named like the network the most is in [`socket.recv`]"),
        (2, "**No, hardly: of what is named like the network the most is in [`socket.recv`]"),
        (0, "**No: nothing in this trace is named like the network**"),
    ],
)
async def test_how_much_is_named_so_decides_the_answer(part: float, begins: str) -> None:
    name = "socket.recv" if part else "parse"
    answer, _ = await asked(
        "Are we waiting for the network?", sampled({f"main;{name}": part or 10, "main;work": 100 - part})
    )
    assert answer.text.startswith(begins)


@pytest.mark.parametrize(
    ("function", "begins"),
    [
        ("epoll_wait", "**No: it waits in [`epoll_wait`](#f1), 90.0% (90.0 ms).**"),
        ("work", "**Yes, by all that is recorded: [`CrRendererMain`](#p0) works for 100 ms.**"),
    ],
)
async def test_whether_it_computes_is_decided_by_where_the_time_is(function: str, begins: str) -> None:
    answer, _ = await asked("Is it CPU bound?", timeline([("main", 0, 100), (function, 0, 90)]))
    assert answer.text.startswith(begins)


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("waiting"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
