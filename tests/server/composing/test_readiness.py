"""What `/ready` answers with."""

import asyncio
from pathlib import Path

import pytest

from server.adapters.in_process.background_loops import FALLS_UNTIL_NOT_READY, BackgroundLoops
from server.composing.readiness import LEAST_FREE_BYTES, Readiness, free_bytes_of
from server.errors import DatabaseUnavailable


async def answers() -> None:
    return None


async def is_away() -> None:
    raise DatabaseUnavailable("The database cannot be reached.")


def readiness_of(folder: Path, *, free: int = LEAST_FREE_BYTES, loops: BackgroundLoops | None = None) -> Readiness:
    return Readiness(
        ask_database=answers,
        loops=loops or BackgroundLoops(),
        stopping=asyncio.Event(),
        folder=folder,
        free_bytes=lambda _: free,
    )


async def test_a_server_that_lacks_nothing_is_ready(tmp_path: Path) -> None:
    assert await readiness_of(tmp_path)() == ()


async def test_each_reason_is_named(tmp_path: Path) -> None:
    stopping = asyncio.Event()
    readiness = Readiness(ask_database=is_away, loops=BackgroundLoops(), stopping=stopping, folder=tmp_path / "gone")
    stopping.set()
    readiness.starting.add("sample")
    assert await readiness() == ("stopping", "sample", "data folder", "database")


async def test_a_full_disk_is_a_reason(tmp_path: Path) -> None:
    assert await readiness_of(tmp_path, free=LEAST_FREE_BYTES - 1)() == ("disk full",)
    assert free_bytes_of(tmp_path) > 0


async def test_a_loop_that_falls_again_and_again_is_a_reason(tmp_path: Path) -> None:
    fallen = asyncio.Event()
    left = FALLS_UNTIL_NOT_READY

    async def falls() -> None:
        nonlocal left
        left -= 1
        raise KeyError("x")

    async def at_once(_: float) -> None:
        if left == 0:
            fallen.set()
            await asyncio.Event().wait()

    loops = BackgroundLoops(sleep=at_once)
    task = loops.start("events_read", falls)
    await asyncio.wait_for(fallen.wait(), 10)
    assert await readiness_of(tmp_path, loops=loops)() == ("background loop events_read",)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
