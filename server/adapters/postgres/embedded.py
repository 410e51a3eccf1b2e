"""Our own PostgreSQL on this machine, in a folder. The first process that wants it starts it, others attach, the last
to leave stops it; whatever a killed process left running is adopted by the next.

In the folder: `cluster/` (PostgreSQL's), `passwords.json` (0600), `port`, `postgres.log`, and two files to lock.
Everybody who uses the server holds `users.lock` shared, so that the kernel counts them, killed ones included; whoever
joins, leaves or starts the server again holds `change.lock` alone.
"""

import asyncio
import contextlib
import fcntl
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import IO, Self

import psycopg
from psycopg import sql

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.postgres.postmaster import (
    OWNER,
    POLL_SECONDS,
    Postmaster,
    make_cluster,
    read_postmaster,
    start_postmaster,
    stop_postmaster,
)
from server.adapters.postgres.programs import Launcher, find_programs
from server.errors import DatabaseUnavailable

SERVER_ROLE = "flamechat_server"
START_SECONDS = 60.0
"""Bounds a start: long enough for the recovery of a busy database after a crash."""

DYING_SECONDS = 2.0
"""How long a killed process may still be seen: a busy machine takes its time to bury it."""

LOOK_SECONDS = 0.5
"""How often `kept_running` looks whether the server still lives: a file and an entry of /proc."""

logger = logging.getLogger(__name__)


class EmbeddedPostgres:
    """`async with EmbeddedPostgres(data_dir=folder) as db:`, then `db.owner_dsn` (for migrations) and `db.server_dsn`.

    Entering raises DatabaseUnavailable with the reason and the folder. Leaving stops the server unless others use it.
    """

    def __init__(self, data_dir: Path, *, settings: Mapping[str, str] | None = None) -> None:
        self._folder = data_dir.absolute()
        self._cluster = self._folder / "cluster"
        self._settings = dict(settings or {})
        self._users: IO[str] | None = None
        self._passwords: dict[str, str] = {}
        self._port = 0

    @property
    def owner_dsn(self) -> str:
        """Logs in as the owner of everything: for the migration runner only."""
        return self.dsn(OWNER)

    @property
    def server_dsn(self) -> str:
        """Logs in as `flamechat_server`, which may only become `service_role`."""
        return self.dsn(SERVER_ROLE)

    def dsn(self, role: str, database: str = "postgres") -> str:
        """Both sides prove the password (SCRAM): another program on a port we once had learns nothing."""
        secret = self._passwords[role]
        return f"postgresql://{role}:{secret}@127.0.0.1:{self._port}/{database}?require_auth=scram-sha-256"

    async def __aenter__(self) -> Self:
        joining = asyncio.ensure_future(asyncio.to_thread(self._join))
        try:
            await asyncio.shield(joining)
        except asyncio.CancelledError:
            with contextlib.suppress(DatabaseUnavailable):
                await joining
                await asyncio.to_thread(self._leave)
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.shield(asyncio.to_thread(self._leave))

    @contextlib.asynccontextmanager
    async def kept_running(self, loops: BackgroundLoops | None = None) -> AsyncIterator[None]:
        """While the context is open, a server that has gone (killed, stopped by hand) is started again at its port, by
        whichever of its users sees it first."""
        loops = loops or BackgroundLoops()
        keeping = loops.start("embedded_database", self._keep_on)
        try:
            yield
        finally:
            await loops.stop(keeping)

    async def _keep_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await asyncio.to_thread(self._start_again_if_gone)
            except DatabaseUnavailable as error:
                logger.warning("PostgreSQL has gone and cannot be started again: %s", error)

    def _start_again_if_gone(self) -> None:
        if read_postmaster(self._cluster) is not None:
            return
        deadline = time.monotonic() + START_SECONDS
        with self._change(deadline):
            if self._users is not None:
                self._running(deadline, port=self._port)

    def _join(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            users = (self._folder / "users.lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise DatabaseUnavailable(f"The data folder {self._folder} cannot be used: {error.strerror}.") from error
        try:
            with self._change(deadline):
                port = None if self._count_in(users) else self._port_of_the_others()
                self._passwords = self._read_passwords()
                self._greet_one_that_stays(deadline, port)
                (self._folder / "port").write_text(f"{self._port}\n", encoding="ascii")
        except BaseException:
            users.close()
            raise
        self._users = users

    def _leave(self) -> None:
        users, self._users = self._users, None
        if users is None:
            return
        with users:
            try:
                with self._change(time.monotonic() + START_SECONDS):
                    if _lock(users, fcntl.LOCK_EX):
                        stop_postmaster(self._cluster)
            finally:
                fcntl.flock(users, fcntl.LOCK_UN)  # forked children may still hold the file open

    @contextlib.contextmanager
    def _change(self, deadline: float) -> Iterator[None]:
        """Only one process at a time joins or leaves. Raises DatabaseUnavailable at the deadline."""
        with (self._folder / "change.lock").open("a", encoding="utf-8") as change:
            while not _lock(change, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(
                        f"Another Flamechat has been starting or stopping the database in {self._folder} for too long."
                    )
                time.sleep(POLL_SECONDS)
            yield

    def _count_in(self, users: IO[str]) -> bool:
        """Be counted among the users; True for the only one. Raises DatabaseUnavailable when there are others whose
        processes this one cannot see (another container on the same folder): a second server would destroy the data."""
        view = _view_of_processes()
        is_alone = _lock(users, fcntl.LOCK_EX)
        if is_alone:
            users.truncate(0)
            users.write(view)
            users.flush()
        else:
            users.seek(0)
            if users.read() != view:
                raise DatabaseUnavailable(
                    f"The data folder {self._folder} is in use by a Flamechat of another container. Stop that first."
                )
        fcntl.flock(users, fcntl.LOCK_SH)
        return is_alone

    def _port_of_the_others(self) -> int | None:
        """Where those who use the server go on looking for it, should it just have gone."""
        try:
            return int((self._folder / "port").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def _read_passwords(self) -> dict[str, str]:
        path = self._folder / "passwords.json"
        try:
            if not self._cluster.exists():
                path.unlink(missing_ok=True)
                path.touch(mode=0o600)
                path.write_text(
                    json.dumps({role: secrets.token_urlsafe(32) for role in (OWNER, SERVER_ROLE)}), encoding="utf-8"
                )
            passwords = json.loads(path.read_text(encoding="utf-8"))
            return {role: str(passwords[role]) for role in (OWNER, SERVER_ROLE)}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DatabaseUnavailable(f"The passwords of the database cannot be read from {path}.") from error

    def _running(self, deadline: float, *, port: int | None = None) -> Postmaster:
        """A server that answers: the one that runs, once it is up, or a new one, at this port if there is one."""
        while (found := read_postmaster(self._cluster)) is not None:
            if found.status == "ready":
                return found
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(f"The database in {self._folder} has been {found.status} for too long.")
            time.sleep(POLL_SECONDS)
        programs = find_programs()
        launcher = Launcher.for_cluster(self._cluster)
        if not self._cluster.exists():
            make_cluster(programs, self._cluster, self._passwords[OWNER], launcher)
        log = self._folder / "postgres.log"
        return start_postmaster(programs, self._cluster, log, launcher, self._settings, deadline, port=port)

    def _greet_one_that_stays(self, deadline: float, port: int | None) -> None:
        """Log in to the server that runs, or to the next one where that was just dying: a killed process looks alive
        for a moment."""
        while True:
            found = self._running(deadline, port=port)
            self._port = found.port
            try:
                return self._greet()
            except DatabaseUnavailable:
                if not self._goes_away(found):
                    raise

    def _goes_away(self, found: Postmaster) -> bool:
        until = time.monotonic() + DYING_SECONDS
        while (now := read_postmaster(self._cluster)) is not None and now.pid == found.pid:
            if time.monotonic() > until:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _greet(self) -> None:
        """Log in as the owner, which proves that the server is ours, and see that the server's role can."""
        try:
            with psycopg.connect(self.owner_dsn, autocommit=True, connect_timeout=10) as connection:
                found = connection.execute("select from pg_roles where rolname = %s", [SERVER_ROLE]).fetchone()
                if found is None:
                    create = sql.SQL("create role {} login noinherit password {}")
                    password = sql.Literal(self._passwords[SERVER_ROLE])
                    connection.execute(create.format(sql.Identifier(SERVER_ROLE), password))
        except psycopg.Error as error:
            raise DatabaseUnavailable(f"The database in {self._folder} runs but refuses us: {error}") from error


def _lock(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _view_of_processes() -> str:
    """Names the set of processes we can see; two that differ cannot find each other's servers."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return "this machine"
