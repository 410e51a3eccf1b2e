"""A pgbouncer in front of the tests' PostgreSQL, as Supabase's pooler stands before a project's: each transaction may
go by another connection, and nothing that was set outside one is kept."""

import os
import random
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Literal
from urllib.parse import urlsplit

import pytest

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
REQUIRED = os.environ.get("REQUIRE_PGBOUNCER") == "1"
START_S = 60.0

PoolMode = Literal["transaction", "session"]
Pooled = Callable[[str, PoolMode], str]
"""From a connection string to one through the pooler."""


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[Pooled]:
    if PGBOUNCER is None:
        missing = "no pgbouncer on this machine (Debian has it): nothing stands for Supabase's pooler"
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    with ExitStack() as stack:
        yield lambda dsn, mode: stack.enter_context(_pgbouncer(tmp_path, dsn, mode))


@contextmanager
def _pgbouncer(folder: Path, dsn: str, mode: PoolMode) -> Iterator[str]:
    """Run one for that database until the block ends. Two server connections, so that clients do share them."""
    to = urlsplit(dsn)
    assert to.username is not None
    assert to.password is not None
    port = _a_port()
    config = folder / f"pgbouncer-{port}.ini"
    config.write_text(
        f"[databases]\npooled = host={to.hostname} port={to.port} dbname={to.path[1:]} user={to.username} "
        f"password={to.password} pool_mode={mode} pool_size={2 if mode == 'transaction' else 50}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\nunix_socket_dir =\n"
        "max_client_conn = 200\nserver_reset_query =\nignore_startup_parameters = extra_float_digits\n"
    )
    as_somebody = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [str(PGBOUNCER), *as_somebody, str(config)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: list[str] = []
    listening = threading.Event()
    reader = threading.Thread(target=_read, args=(process.stdout, lines, listening), daemon=True)
    reader.start()
    try:
        assert listening.wait(START_S), "pgbouncer does not answer"
        assert process.poll() is None, f"pgbouncer ended: {''.join(lines)}"
        yield f"postgresql://somebody:nothing@127.0.0.1:{port}/pooled"
    finally:
        process.kill()
        process.wait()
        reader.join(START_S)
        process.stdout.close()


def _read(output: IO[str], lines: list[str], listening: threading.Event) -> None:
    """Take what it logs until it ends; it listens once it logs that it is up."""
    for line in output:
        lines.append(line)
        if "process up" in line:
            listening.set()
    listening.set()


def _a_port() -> int:
    """One that is free, below those that systems hand out: no connection of another test takes it meanwhile."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as asking, suppress(OSError):
            asking.bind(("127.0.0.1", port))
            return port
