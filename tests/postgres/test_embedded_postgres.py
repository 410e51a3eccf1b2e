"""Our own server in a folder: who starts it, who may use it, who stops it, and what survives a kill."""

import asyncio
import fcntl
import json
import os
import pwd
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import waiting
from psycopg.abc import PQGenConn
from psycopg.waiting import Wait

from server.adapters.postgres import embedded
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.postmaster import Postmaster, read_postmaster, start_postmaster, stop_postmaster
from server.adapters.postgres.programs import Launcher
from server.errors import DatabaseUnavailable
from tests.plugins.postgres import HURRY

ROOT = Path(__file__).parents[2]
USER = """
import asyncio, sys
from pathlib import Path
from server.adapters.postgres.embedded import EmbeddedPostgres

async def use():
    async with EmbeddedPostgres(Path(sys.argv[1])) as db:
        print(db.owner_dsn, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(use())
"""
"""A process that uses the server of a folder until its standard input ends."""


@contextmanager
def a_process_that_uses(
    folder: Path, *, python: str = sys.executable, **options: Any
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and how it logs in once it can."""
    process = subprocess.Popen(
        [python, "-c", USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, **options
    )
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def answers(dsn: str) -> bool:
    try:
        with psycopg.connect(dsn, connect_timeout=60) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def a_python_for(user: dict[str, Any]) -> str | None:
    """An interpreter that this user can run our code with: ours, or the system's of the same version."""
    for python in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        try:
            tried = subprocess.run([python, "-c", "import server.adapters.postgres.embedded"], cwd=ROOT, **user)
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    return None


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder that any user may reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="flamechat-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.long
async def test_a_folder_with_spaces_accents_and_a_long_path_will_do(tmp_path: Path) -> None:
    folder = tmp_path / "Application Support" / "données de l'été" / ("long " * 20).strip()
    async with EmbeddedPostgres(folder, settings=HURRY) as db:
        with psycopg.connect(db.owner_dsn) as owner:
            assert owner.execute("show server_encoding").fetchone() == ("UTF8",)
            assert owner.execute("select 'é' < 'f', lower('É')").fetchone() == (False, "é")
            assert owner.execute("show listen_addresses").fetchone() == ("127.0.0.1",)
        assert answers(db.server_dsn)
    assert not answers(db.owner_dsn)


async def test_what_was_stored_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path) as db:
        with psycopg.connect(db.owner_dsn) as owner:
            owner.execute("create table kept as select 42 as answer")
    async with EmbeddedPostgres(tmp_path) as db:
        with psycopg.connect(db.owner_dsn) as owner:
            assert owner.execute("select answer from kept").fetchone() == (42,)


async def test_the_second_attaches_and_the_last_to_leave_stops_it(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY) as first:
        async with EmbeddedPostgres(tmp_path) as second:
            assert second.owner_dsn == first.owner_dsn
        assert answers(first.owner_dsn)
        with a_process_that_uses(tmp_path) as (_, dsn):
            assert dsn == first.owner_dsn
    assert not answers(first.owner_dsn)
    assert read_postmaster(tmp_path / "cluster") is None


@pytest.mark.long
async def test_many_that_start_at_once_share_one_server(tmp_path: Path) -> None:
    servers = [EmbeddedPostgres(tmp_path, settings=HURRY) for _ in range(4)]
    await asyncio.gather(*(server.__aenter__() for server in servers))
    assert len({server.owner_dsn for server in servers}) == 1
    await asyncio.gather(*(server.__aexit__() for server in servers))
    assert read_postmaster(tmp_path / "cluster") is None


@pytest.mark.long
async def test_it_outlives_the_process_that_started_it_while_others_use_it(tmp_path: Path) -> None:
    with a_process_that_uses(tmp_path) as (starter, dsn):
        async with EmbeddedPostgres(tmp_path) as db:
            starter.send_signal(signal.SIGKILL)
            starter.wait(timeout=60)
            assert answers(dsn)
        assert not answers(db.owner_dsn)


@pytest.mark.long
async def test_what_a_killed_process_left_running_is_adopted(tmp_path: Path) -> None:
    with a_process_that_uses(tmp_path) as (starter, dsn):
        left = read_postmaster(tmp_path / "cluster")
        starter.send_signal(signal.SIGKILL)
        starter.wait(timeout=60)
    assert answers(dsn)
    async with EmbeddedPostgres(tmp_path) as db:
        assert db.owner_dsn == dsn
        assert read_postmaster(tmp_path / "cluster") == left
    assert not answers(dsn)


async def test_a_killed_server_is_started_again_with_all_that_was_committed(tmp_path: Path) -> None:
    with a_process_that_uses(tmp_path) as (starter, dsn):
        with psycopg.connect(dsn) as owner:
            owner.execute("create table kept as select generate_series(1, 1000)")
        postmaster = read_postmaster(tmp_path / "cluster")
        assert postmaster is not None
        os.kill(postmaster.pid, signal.SIGKILL)
        starter.send_signal(signal.SIGKILL)
        starter.wait(timeout=60)
    assert (tmp_path / "cluster" / "postmaster.pid").exists()
    async with EmbeddedPostgres(tmp_path) as db:
        with psycopg.connect(db.owner_dsn) as owner:
            assert owner.execute("select count(*) from kept").fetchone() == (1000,)


def noted(connecting: PQGenConn[Any], waits: threading.Event) -> PQGenConn[Any]:
    """The same connection; `waits` is set once its request is sent and only the server's answer is missing."""
    wish = next(connecting)
    while True:
        if wish[1] == Wait.R:
            waits.set()
        ready = yield wish
        try:
            wish = connecting.send(ready)
        except StopIteration as ended:
            return ended.value


@pytest.mark.long
async def test_a_server_that_dies_while_one_logs_in_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_process_that_uses(tmp_path) as (starter, _):
        starter.send_signal(signal.SIGKILL)
        starter.wait(timeout=60)
    dying = read_postmaster(tmp_path / "cluster")
    assert dying is not None
    os.kill(dying.pid, signal.SIGSTOP)  # looks ready, and takes connections that it does not answer
    waits, wait_conn = threading.Event(), waiting.wait_conn
    monkeypatch.setattr(waiting, "wait_conn", lambda gen, **how: wait_conn(noted(gen, waits), **how))
    async with asyncio.timeout(120):
        db = EmbeddedPostgres(tmp_path)
        joining = asyncio.create_task(db.__aenter__())
        assert await asyncio.to_thread(waits.wait, 60)
        os.kill(dying.pid, signal.SIGKILL)
        await joining
        try:
            assert answers(db.owner_dsn)
        finally:
            await db.__aexit__()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.long
async def test_a_server_that_goes_while_it_is_used_comes_back_where_it_was(
    tmp_path: Path, how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready: queue.Queue[Postmaster] = queue.Queue()

    def started(*args: Any, **options: Any) -> Postmaster:
        ready.put(postmaster := start_postmaster(*args, **options))
        return postmaster

    monkeypatch.setattr(embedded, "start_postmaster", started)
    async with EmbeddedPostgres(tmp_path, settings=HURRY) as db, db.kept_running():
        gone = ready.get_nowait()
        os.kill(gone.pid, how)
        back = await asyncio.to_thread(ready.get, timeout=120)
        assert back.pid != gone.pid
        assert back.port == gone.port
        assert answers(db.owner_dsn)


@pytest.mark.long
async def test_who_comes_while_it_is_gone_starts_it_where_the_others_look_for_it(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY) as waiting:
        gone = read_postmaster(tmp_path / "cluster")
        assert gone is not None
        stop_postmaster(tmp_path / "cluster")
        async with EmbeddedPostgres(tmp_path, settings=HURRY) as joining:
            assert joining.owner_dsn == waiting.owner_dsn
            assert answers(waiting.owner_dsn)


@pytest.mark.long
async def test_a_stale_pid_that_now_belongs_to_another_program_is_no_server(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY):
        alive = (tmp_path / "cluster" / "postmaster.pid").read_text().split("\n")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as another:
        alive[0] = str(another.pid)
        (tmp_path / "cluster" / "postmaster.pid").write_text("\n".join(alive))
        assert read_postmaster(tmp_path / "cluster") is None
        async with EmbeddedPostgres(tmp_path, settings=HURRY) as db:
            assert answers(db.owner_dsn)
        another.communicate(b"\n")


@pytest.mark.long
async def test_the_keyboards_interrupt_does_not_reach_it(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY):
        postmaster = read_postmaster(tmp_path / "cluster")
        assert postmaster is not None
        assert os.getsid(postmaster.pid) == postmaster.pid != os.getsid(0)


@pytest.mark.long
async def test_a_start_that_is_cancelled_leaves_nothing_running(tmp_path: Path) -> None:
    starting = asyncio.ensure_future(EmbeddedPostgres(tmp_path, settings=HURRY).__aenter__())
    while not (tmp_path / "change.lock").exists():
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert read_postmaster(tmp_path / "cluster") is None


async def test_only_who_can_read_the_passwords_can_log_in(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path / "data", settings=HURRY) as db:
        assert (tmp_path / "data" / "passwords.json").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "data").stat().st_mode & 0o077 == 0
        secret = json.loads((tmp_path / "data" / "passwords.json").read_text())["postgres"]
        assert not answers(db.owner_dsn.replace(secret, "guess"))
        assert not answers(db.owner_dsn.replace(f":{secret}", ""))
        assert answers(db.owner_dsn)
        postmaster = read_postmaster(tmp_path / "data" / "cluster")
        assert postmaster is not None
        assert secret not in Path(f"/proc/{postmaster.pid}/cmdline").read_text()
    assert secret not in (tmp_path / "data" / "postgres.log").read_text()


@pytest.mark.long
async def test_the_log_holds_no_statement_and_no_row(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY) as db:
        with psycopg.connect(db.owner_dsn, autocommit=True) as owner:
            owner.execute("create table said (prompt text primary key)")
            for _ in range(2):
                with suppress(psycopg.errors.UniqueViolation):
                    owner.execute("insert into said values (%s)", ["my secret question"])
            with pytest.raises(psycopg.Error):
                owner.execute("select 'my secret question' from nowhere")
    log = (tmp_path / "postgres.log").read_text()
    assert "duplicate key" in log
    assert "secret question" not in log


async def test_an_unusable_folder_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatabaseUnavailable, match=r"data folder .*/file cannot be used: "):
        async with EmbeddedPostgres(tmp_path / "file"):
            pass


@pytest.mark.long
async def test_a_cluster_that_will_not_start_is_refused_with_postgresqls_own_reason(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY):
        pass
    (tmp_path / "cluster" / "PG_VERSION").write_text("9.6\n")
    with pytest.raises(DatabaseUnavailable, match=r"database files are incompatible with server.* log is"):
        async with EmbeddedPostgres(tmp_path):
            pass
    assert read_postmaster(tmp_path / "cluster") is None


@pytest.mark.long
async def test_lost_passwords_are_said_to_be_lost(tmp_path: Path) -> None:
    async with EmbeddedPostgres(tmp_path, settings=HURRY):
        pass
    (tmp_path / "passwords.json").unlink()
    with pytest.raises(DatabaseUnavailable, match=r"passwords .* cannot be read from .*passwords.json"):
        async with EmbeddedPostgres(tmp_path):
            pass


async def test_a_folder_in_use_by_processes_one_cannot_see_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "users.lock").open("w") as users:
        users.write("pid:[of another container]")
        users.flush()
        fcntl.flock(users, fcntl.LOCK_SH)
        with pytest.raises(DatabaseUnavailable, match="another container"):
            async with EmbeddedPostgres(tmp_path):
                pass
    assert not (tmp_path / "cluster").exists()


@pytest.mark.long
async def test_a_half_made_cluster_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "cluster.unfinished" / "base").mkdir(parents=True)
    async with EmbeddedPostgres(tmp_path, settings=HURRY) as db:
        assert answers(db.owner_dsn)
    assert not (tmp_path / "cluster.unfinished").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.long
async def test_an_ordinary_user_needs_no_privileges(short_folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(short_folder, nobody.pw_uid, nobody.pw_gid)
    data = short_folder / "data"
    packages = Path(psycopg.__file__).parents[1]
    environment = {"PATH": os.defpath, "PYTHONPATH": f"{ROOT}:{packages}", "PYTHONDONTWRITEBYTECODE": "1"}
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "env": environment}
    python = a_python_for(user)
    if python is None:
        pytest.skip("no Python here that another user can run")
    with a_process_that_uses(data, python=python, **user) as (process, dsn):
        assert answers(dsn)
        assert (data / "cluster").stat().st_uid == nobody.pw_uid
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=60)
    assert not answers(dsn)
    async with EmbeddedPostgres(data) as as_root:
        assert answers(as_root.owner_dsn), "root runs it as the owner of its files"
    assert (data / "cluster" / "base").stat().st_uid == nobody.pw_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may not run PostgreSQL")
@pytest.mark.long
async def test_root_runs_it_as_nobody_where_namespaces_are_forbidden(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    if Launcher.for_cluster(short_folder / "none").prefix:
        pytest.fail("a namespace was used")
    for _ in range(2):
        async with EmbeddedPostgres(short_folder / "data", settings=HURRY) as db:
            assert answers(db.owner_dsn)
    assert (short_folder / "data" / "cluster").stat().st_uid == pwd.getpwnam("nobody").pw_uid
    assert (short_folder / "data" / "passwords.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may not run PostgreSQL")
async def test_root_gets_advice_when_nobody_cannot_reach_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    tmp_path.chmod(0o700)
    with pytest.raises(DatabaseUnavailable, match=r"cannot enter /.*: start Flamechat as an ordinary user"):
        async with EmbeddedPostgres(tmp_path / "data"):
            pass
