"""The trace that a new data folder begins with is there once, however many servers start at once."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio

from server.adapters.folder.data_folder import alone
from server.ports.identity import Caller
from server.turns.sample import add_sample_once

ANNA = Caller(user_id="anna", account_id="a")


class Library:
    """Of a trace library what is asked here; storing takes until everybody has come so far."""

    def __init__(self) -> None:
        self.stored: list[str] = []

    async def rows(self, _: Caller) -> list[Any]:
        await anyio.sleep(0)
        return [SimpleNamespace(sha256=sha256) for sha256 in self.stored]

    async def add(self, _: Caller, __: Path, *, name: str, sha256: str) -> None:
        await anyio.sleep(0)
        self.stored.append(sha256)


async def start(library: Library, folder: Path, times: int) -> None:
    sample = folder / "sample.json"
    sample.write_text("{}")
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for _ in range(times):
                tasks.start_soon(_one, library, sample, folder / "sample-loaded")


async def _one(library: Library, sample: Path, marker: Path) -> None:
    await add_sample_once(cast("Any", library), ANNA, sample, marker=marker, alone=alone)


async def test_servers_that_start_at_once_load_it_once(tmp_path: Path) -> None:
    library = Library()
    await start(library, tmp_path, 4)
    assert len(library.stored) == 1


async def test_a_sample_that_was_removed_stays_removed(tmp_path: Path) -> None:
    library = Library()
    await start(library, tmp_path, 1)
    library.stored.clear()
    await start(library, tmp_path, 2)
    assert library.stored == []
