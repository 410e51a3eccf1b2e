"""Imports queue, up to a bound: the next one is refused with the time to come again."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from server.adapters.workers.shared_progress import attached_progress, shared_progress
from server.errors import Busy
from server.ports.traces import OpenTrace
from tests.process_workers import process_workers


async def test_imports_wait_in_line_and_one_too_many_gets_a_retry_after(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"main;work 3\nmain 2\n")
    workers = process_workers(tmp_path / "cache", most_imports=5)
    opened: list[OpenTrace] = []
    refused: list[Busy] = []

    async def one(sha256: str) -> None:
        try:
            opened.append(await workers.read(upload, name="stacks.txt", key=sha256))
        except Busy as error:
            refused.append(error)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(one, f"{number:064}")
    assert len(opened) == 5
    assert [error.retry_after_s for error in refused] == [30]
    assert str(refused[0]).startswith("5 traces are waiting to be read already. Try stacks.txt again")
    await workers.read(upload, name="stacks.txt", key="f" * 64)


async def test_a_trace_that_is_there_already_needs_no_place_in_the_line(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"main;work 3\nmain 2\n")
    await process_workers(tmp_path / "cache").read(upload, name="stacks.txt", key="a" * 64)
    full = process_workers(tmp_path / "cache", most_imports=0)
    with pytest.raises(Busy):
        await full.read(upload, name="stacks.txt", key="b" * 64)
    assert await full.cached("a" * 64) is not None


async def test_those_who_wait_know_their_place_and_nobody_else_has_one(tmp_path: Path) -> None:
    uploads = [tmp_path / f"upload {number}" for number in range(4)]
    for upload in uploads:
        upload.write_bytes(b"main;work 3\nmain 2\n")
    workers = process_workers(tmp_path / "cache")
    seen: list[list[int | None]] = []

    async def one(number: int) -> None:
        await workers.read(uploads[number], name="stacks.txt", key=f"{number:064}")
        progress = [await workers.importing(upload) for upload in uploads]
        seen.append([one.place for one in progress if one is not None and one.place is not None])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(one, number)
    assert sorted(seen, key=len, reverse=True) == seen
    assert all(places == list(range(1, len(places) + 1)) for places in seen)
    assert [await workers.importing(upload) for upload in uploads] == [None] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has memory that a worker can find")
@pytest.mark.long
async def test_how_much_an_importer_has_read_only_grows(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"".join(b"main;f%d;g%d 3\n" % (number % 999, number) for number in range(400_000)))
    workers = process_workers(tmp_path / "cache")
    seen: list[int] = []
    ended = anyio.Event()

    async def look() -> None:
        while not ended.is_set():
            how_far = await workers.importing(upload)
            if how_far is not None and how_far.place is None:
                assert how_far.bytes_read is not None
                seen.append(how_far.bytes_read)
            with anyio.move_on_after(0.002):
                await ended.wait()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look)
            await workers.read(upload, name="stacks.txt", key="c" * 64)
            ended.set()
    assert seen == sorted(seen)
    assert seen[0] == 0, "the worker had not begun"
    assert 0 < seen[-1] <= upload.stat().st_size
    assert await workers.importing(upload) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has memory that a worker can find")
def test_a_worker_counts_where_the_server_looks_and_what_is_let_go_leaves_nothing(tmp_path: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with shared_progress() as shared:
        assert shared.place is not None
        assert shared.progress is not None
        count = "import sys; from server.adapters.workers.shared_progress import Place, attached_progress\n"
        count += f"p = attached_progress({shared.place}); p.begin(80); p.advance(20); p.advance(10)"
        subprocess.run([sys.executable, "-c", count], check=True, timeout=60)
        assert shared.progress.bytes_read(8) == 2
        place = shared.place
    assert len(set(Path("/proc/self/fd").iterdir())) == len(before)
    with pytest.raises(OSError, match="No such file"):
        attached_progress(place)
    assert attached_progress(None).bytes_read(8) == 0
