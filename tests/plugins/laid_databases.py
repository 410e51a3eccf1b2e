"""The database of a new data folder, made and migrated once in a run and copied from there: to make it takes each
server under test 2 s of processor time. How one is made is what tests/postgres/test_embedded_postgres.py is about.
"""

import asyncio
import fcntl
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate
from tests.plugins.postgres import HURRY

OF_ONE_START = ("postgres.log", "port", "users.lock", "change.lock")

_shared: list[Path] = []
"""Where the one that is copied lies, which the workers of a run have in common; none where no tests run."""


@pytest.fixture(scope="session", autouse=True)
def place_of_databases(tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.getbasetemp()
    _shared[:] = [(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "laid"]


def lay_database(folder: Path) -> None:
    """Lay a migrated database into a folder that is not there yet, as `EmbeddedPostgres` takes it; a server that is
    started by no test makes its own."""
    if not _shared or folder.exists():
        return
    made = _made_once(_shared[0])
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    # With owners, as PostgreSQL does not run as root.
    subprocess.run(["cp", "-a", str(made), str(unfinished)], check=True, capture_output=True)
    unfinished.rename(folder)


def _made_once(shared: Path) -> Path:
    made = shared / "postgres"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            # In a thread: a loop may be running in this one.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, _make(shared / "unfinished")).result()
            (shared / "unfinished").rename(made)
    return made


async def _make(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    async with EmbeddedPostgres(folder, settings=HURRY) as postgres:
        await migrate(postgres.owner_dsn, bootstrap=True)
        await set_up_library_tables(postgres.owner_dsn)
    for name in OF_ONE_START:
        (folder / name).unlink(missing_ok=True)
