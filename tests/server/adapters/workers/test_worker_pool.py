"""Workers as processes: what becomes of a parsed trace that is deleted under them."""

from pathlib import Path

import pytest

from server.adapters.workers.worker_pool import LOST
from server.errors import WorkerFailed
from tests.process_workers import process_workers
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
