"""Imports queue, up to a bound: the next one is refused with the time to come again."""

import mmap
import queue
import sys
from pathlib import Path

import anyio
import pytest

from server.adapters.workers import jobs
from server.adapters.workers.jobs import Bounds
from server.adapters.workers.worker_pool import ProcessWorkers
from server.errors import Busy
from server.ports.traces import OpenTrace


async def test_imports_wait_in_line_and_one_too_many_gets_a_retry_after(tmp_path: Path) -> None:
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


async def test_those_who_wait_know_their_place_and_nobody_else_has_one(tmp_path: Path) -> None:
    uploads = [tmp_path / f"upload {number}" for number in range(4)]
    for upload in uploads:
        upload.write_bytes(b"main;work 3\nmain 2\n")
    workers = ProcessWorkers(tmp_path / "cache")
    seen: list[list[int | None]] = []

    async def one(number: int) -> None:
        await workers.read(uploads[number], name="stacks.txt", sha256=f"{number:064}")
        progress = [await workers.importing(upload) for upload in uploads]
        seen.append([one.place for one in progress if one is not None and one.place is not None])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(one, number)
    assert sorted(seen, key=len, reverse=True) == seen
    assert all(places == list(range(1, len(places) + 1)) for places in seen)
    assert [await workers.importing(upload) for upload in uploads] == [None] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows which pages a process has touched")
async def test_the_importer_reports_how_much_it_has_read(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"".join(b"main;f%d;g%d 3\n" % (number % 999, number) for number in range(400_000)))
    workers = ProcessWorkers(tmp_path / "cache")
    progress: list[int] = []
    ended = anyio.Event()

    async def look() -> None:
        while not ended.is_set():
            how_far = await workers.importing(upload)
            if how_far is not None and how_far.bytes_read is not None:
                progress.append(how_far.bytes_read)
            with anyio.move_on_after(0.02):
                await ended.wait()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look)
            await workers.read(upload, name="stacks.txt", sha256="c" * 64)
            ended.set()
    assert progress == sorted(progress)
    assert all(count <= upload.stat().st_size for count in progress), "none where it was quick"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows which pages a process has touched")
def test_while_an_import_lasts_its_progress_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upload, progress = tmp_path / "upload", tmp_path / "progress"
    upload.write_bytes(bytes(4 << 20))

    counts: queue.Queue[int | None] = queue.Queue()
    write_progress = jobs._write_progress

    def noted(where: Path, count: int | None) -> None:
        write_progress(where, count)
        counts.put(count)

    def read_in_parts(source: Path, name: str, columns: Path) -> None:
        """Reads half of the file, then the other, and waits each time until that was written."""
        with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for part in (2 << 20, 4 << 20):
                for page in range(0, part, mmap.PAGESIZE):
                    data[page]
                while (counts.get(timeout=60) or 0) < part:
                    pass

    monkeypatch.setattr(jobs, "_write_progress", noted)
    monkeypatch.setattr(jobs, "_write_columns", read_in_parts)
    monkeypatch.setattr(jobs, "_bound", lambda _: None)  # it is this process that would be bound
    jobs.import_trace(upload, "stacks.txt", tmp_path / "engine" / "columns", Bounds(1 << 30, 60), 1 << 30, progress)
    assert progress.read_text() == str(4 << 20)
