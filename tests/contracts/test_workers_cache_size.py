"""The cache of columns keeps within its size, and within what this engine opens."""

import os
import time
from pathlib import Path

import anyio

from server.adapters.workers.cache_eviction import evict
from server.adapters.workers.worker_pool import ProcessWorkers
from server.ports.traces import OpenTrace
from tests.process_workers import process_workers
from traces.cache import ENGINE_VERSION
from traces.model import Trace


def frame_count(trace: Trace) -> int:
    return len(trace.frames)


def columns(cache: Path, name: str, *, size: int, used: int, engine: str = ENGINE_VERSION) -> Path:
    file = cache / engine / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(bytes(size))
    os.utime(file, (used, used))
    return file


async def read(workers: ProcessWorkers, folder: Path, key: str) -> OpenTrace:
    upload = folder / "upload"
    upload.write_bytes(b"main;work 3\nmain 2\n# " + key.encode())
    with anyio.fail_after(60):
        return await workers.read(upload, name="stacks.txt", key=key)


def test_what_was_used_longest_ago_goes_first_and_only_as_much_as_needed(tmp_path: Path) -> None:
    oldest, older, newer = (columns(tmp_path, f"{n}.columns", size=100, used=1000 + n) for n in range(3))
    evict(tmp_path, keep=newer, most_bytes=200, unfinished_s=60)
    assert (oldest.exists(), older.exists(), newer.exists()) == (False, True, True)
    evict(tmp_path, keep=newer, most_bytes=200, unfinished_s=60)
    assert older.exists()


def test_the_columns_just_made_stay_however_large(tmp_path: Path) -> None:
    made = columns(tmp_path, "a.columns", size=500, used=1)
    other = columns(tmp_path, "b.columns", size=5, used=2)
    evict(tmp_path, keep=made, most_bytes=100, unfinished_s=60)
    assert (made.exists(), other.exists()) == (True, False)


def test_columns_of_another_engine_go_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    made = columns(tmp_path, "a.columns", size=5, used=1)
    columns(tmp_path, "a.columns", size=5, used=1, engine="1")
    columns(tmp_path, "a.columns", size=5, used=1, engine="0")
    notes = columns(tmp_path, "notes.txt", size=5, used=1, engine="0")
    evict(tmp_path, keep=made, most_bytes=100, unfinished_s=60)
    assert sorted(tmp_path.rglob("*.*")) == [notes, made]
    assert not (tmp_path / "1").exists()


def test_columns_that_another_version_uses_stay_within_the_size_of_all(tmp_path: Path) -> None:
    now = int(time.time())
    made = columns(tmp_path, "a.columns", size=50, used=now - 100)
    older = columns(tmp_path, "a.columns", size=50, used=now - 50, engine="1")
    evict(tmp_path, keep=made, most_bytes=100, unfinished_s=60)
    assert (made.exists(), older.exists()) == (True, True)
    evict(tmp_path, keep=made, most_bytes=99, unfinished_s=60)
    assert (made.exists(), older.exists()) == (True, False)
    older = columns(tmp_path, "a.columns", size=50, used=now - 50, engine="1")
    evict(tmp_path, keep=None, most_bytes=0, unfinished_s=60)
    assert not older.exists()


def test_what_a_killed_importer_left_goes_and_what_one_is_writing_stays(tmp_path: Path) -> None:
    made = columns(tmp_path, "a.columns", size=5, used=1)
    left = columns(tmp_path, "b.columns.77.new", size=5, used=1)
    written = columns(tmp_path, "c.columns.78.new", size=5, used=1)
    written.touch()
    evict(tmp_path, keep=made, most_bytes=100, unfinished_s=60)
    assert (left.exists(), written.exists()) == (False, True)


async def test_a_trace_that_is_asked_about_outlives_one_that_is_not(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = await read(process_workers(cache), tmp_path, "a" * 64)
    second = await read(process_workers(cache), tmp_path, "b" * 64)
    for age, opened in enumerate((second, first)):  # the first was used longest ago
        os.utime(opened.columns, ns=(10**9 * (100 - age), opened.columns.stat().st_mtime_ns))
    for_two = process_workers(cache, cache_bytes=2 * first.columns.stat().st_size)
    assert await for_two.ask(first, frame_count) == 2
    await read(for_two, tmp_path, "c" * 64)
    assert await for_two.cached(second.key) is None
    assert await for_two.ask(first, frame_count) == 2


async def test_a_trace_that_made_room_is_read_again(tmp_path: Path) -> None:
    workers = process_workers(tmp_path / "cache", cache_bytes=0)
    first = await read(workers, tmp_path, "a" * 64)
    await read(workers, tmp_path, "b" * 64)
    assert await workers.cached(first.key) is None
    assert await workers.ask(await read(workers, tmp_path, "a" * 64), frame_count) == 2
