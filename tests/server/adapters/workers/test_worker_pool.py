"""Workers as processes: what becomes of a parsed trace that is deleted under them."""

from pathlib import Path

import pytest

from server.adapters.workers.worker_pool import LOST
from server.errors import WorkerFailed
from tests.process_workers import process_workers
from traces.errors import UnknownHandle
from traces.model import Trace


def functions(trace: Trace) -> int:
    return len(trace.frames)


async def test_a_question_to_a_lost_trace_fails_with_advice_and_it_is_read_anew(tmp_path: Path) -> None:
    source = tmp_path / "stacks.txt"
    source.write_text("main;work 3\nmain 1\n")
    workers = process_workers(tmp_path / "cache")
    opened = await workers.read(source, name="stacks.txt", key="1" * 64)
    assert await workers.ask(opened, functions) == 2
    opened.columns.write_bytes(b"no columns")
    with pytest.raises(WorkerFailed, match=LOST):
        await workers.ask(opened, functions)
    assert await workers.cached(opened.key) is None
    again = await workers.read(source, name="stacks.txt", key="1" * 64)
    assert await workers.ask(again, functions) == 2


def too_much(trace: Trace) -> int:
    raise MemoryError


def wrong(trace: Trace) -> int:
    raise UnknownHandle("f9 does not exist.")


async def test_a_question_that_needs_more_memory_than_a_worker_may_use_fails_with_that_reason(tmp_path: Path) -> None:
    source = tmp_path / "stacks.txt"
    source.write_text("main;work 3\n")
    workers = process_workers(tmp_path / "cache", worker_memory_bytes=3 << 30)
    opened = await workers.read(source, name="stacks.txt", key="1" * 64)
    with pytest.raises(WorkerFailed, match=r"A question about the trace needed more than the 3\.0 GB"):
        await workers.ask(opened, too_much)
    with pytest.raises(UnknownHandle, match="f9 does not exist"):
        await workers.ask(opened, wrong)
    assert await workers.ask(opened, functions) == 2, "the next one is answered"


async def test_what_is_read_already_is_not_read_again_and_what_is_forgotten_is(tmp_path: Path) -> None:
    source = tmp_path / "stacks.txt"
    source.write_text("main;work 3\n")
    workers = process_workers(tmp_path / "cache")
    assert await workers.cached("1" * 64) is None
    opened = await workers.read(source, name="stacks.txt", key="1" * 64)
    source.unlink()
    assert await workers.read(source, name="stacks.txt", key="1" * 64) == opened
    assert (workers.imports_running, workers.imports_waiting, workers.questions_waiting) == (0, 0, 0)
    assert await workers.importing(source) is None
    await workers.forget("1" * 64)
    assert await workers.cached("1" * 64) is None
