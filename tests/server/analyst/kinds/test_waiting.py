"""What is waited for, by the words of a question and the names of functions."""

import re

import pytest

from server.analyst.kinds.waiting import subject
from server.analyst.question import Intent, Question
from tests.server.analyst.test_analyst_chat import asked
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled, timeline


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
