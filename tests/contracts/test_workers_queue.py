"""Imports queue, up to a bound: the next one is refused with the time to come again."""

from pathlib import Path

import anyio
import pytest

from server.adapters.workers.pool import ProcessWorkers
from server.errors import Busy
from server.ports.traces import OpenTrace


async def test_imports_wait_in_line_and_the_one_too_many_is_told_when_to_come_again(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"main;work 3\nmain 2\n")
    workers = ProcessWorkers(tmp_path / "cache", most_imports=5)
    opened: list[OpenTrace] = []
    refused: list[Busy] = []

    async def one(sha256: str) -> None:
        try:
            opened.append(await workers.read(upload, name="stacks.txt", sha256=sha256))
        except Busy as error:
            refused.append(error)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(one, f"{number:064}")
    assert len(opened) == 5
    assert [error.retry_after_s for error in refused] == [30]
    assert str(refused[0]).startswith("5 traces are waiting to be read already. Try stacks.txt again")
    await workers.read(upload, name="stacks.txt", sha256="f" * 64)


async def test_a_trace_that_is_there_already_needs_no_place_in_the_line(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"main;work 3\nmain 2\n")
    await ProcessWorkers(tmp_path / "cache").read(upload, name="stacks.txt", sha256="a" * 64)
    full = ProcessWorkers(tmp_path / "cache", most_imports=0)
    with pytest.raises(Busy):
        await full.read(upload, name="stacks.txt", sha256="b" * 64)
    assert await full.cached("a" * 64) is not None
