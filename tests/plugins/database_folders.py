"""The database of a new data folder, made and migrated once in a run and copied from there: to make it takes each
server 2 s of processor time. A server that is started anew (see forked_processes.py) makes its own."""

import asyncio
import fcntl
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate
from tests.plugins.postgres import HURRY

OF_ONE_START = ("postgres.log", "port", "users.lock", "change.lock")


class DatabaseFolders:
    """Copies of one that lies in the folder `shared`, which the workers of a run have in common."""

    def __init__(self, shared: Path) -> None:
        self._made = shared / "made-database" / "postgres"

    def give_to_a_server(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        """Lay a database into the data folder that `serve` is asked to use, if it would make one there."""
        if "FLAMECHAT_DATABASE_URL" in environment or "--data" not in arguments:
            return
        folder = Path(arguments[arguments.index("--data") + 1]) / "postgres"
        if not folder.is_absolute() or folder.exists() or not folder.parent.parent.is_dir():
            return
        self._make_once()
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        unfinished = folder.with_name("postgres.unfinished")
        # With owners, as PostgreSQL does not run as root.
        subprocess.run(["cp", "-a", str(self._made), str(unfinished)], check=True, capture_output=True)
        unfinished.rename(folder)

    def _make_once(self) -> None:
        self._made.parent.mkdir(exist_ok=True)
        with (self._made.parent / "lock").open("a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._made.exists():
                # In a thread: a loop may be running in this one.
                with ThreadPoolExecutor(1) as thread:
                    thread.submit(asyncio.run, _make(self._made.parent / "unfinished")).result()
                (self._made.parent / "unfinished").rename(self._made)


async def _make(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    async with EmbeddedPostgres(folder, settings=HURRY) as postgres:
        await migrate(postgres.owner_dsn, bootstrap=True)
        await set_up_library_tables(postgres.owner_dsn)
    for name in OF_ONE_START:
        (folder / name).unlink(missing_ok=True)
