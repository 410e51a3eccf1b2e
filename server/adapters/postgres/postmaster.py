"""One PostgreSQL server process: make its files, start it, recognise it, stop it. Blocking; `embedded` decides when."""

import contextlib
import logging
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from server.adapters.postgres.programs import Launcher
from server.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

OWNER = "postgres"
INITDB_SECONDS = 180
POLL_SECONDS = 0.01
STOP_SECONDS = ((signal.SIGINT, 4.0), (signal.SIGQUIT, 2.0), (signal.SIGKILL, 2.0))
"""PostgreSQL's fast shutdown, its immediate one, and the end; after the last two the next start recovers."""

LOG_KEPT_BYTES = 1 << 20
PASSING = ("could not bind", "pre-existing shared memory block", "lock file", "Address already in use")
"""Reasons that go away: another program took the port in between, or processes of a killed server are still leaving."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket's path may have 107 bytes, a data folder's more
    "max_connections": "200",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Statements and rows hold people's prompts: errors are logged without either.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A living server of a cluster. `status` is `starting`, `ready` or `stopping`; ready, its port is known."""

    pid: int
    port: int
    status: str


def read_postmaster(cluster: Path) -> Postmaster | None:
    """The server that runs on this cluster, or None.

    From `postmaster.pid`, whose lines are pid, folder, start time, port, socket folder, address, shared memory, status
    (PostgreSQL's miscadmin.h). A file that a killed server left behind is no server.
    """
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        pid = abs(int(lines[0]))
    except (FileNotFoundError, ValueError, IndexError):
        return None
    if not _serves(pid, cluster):
        return None
    if len(lines) < 8:
        return Postmaster(pid, 0, "starting")
    return Postmaster(pid, int(lines[3]), lines[7].strip())


def _serves(pid: int, cluster: Path) -> bool:
    """Whether the process lives and works in the cluster's folder, as PostgreSQL's do; pids come again."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    if not Path("/proc/self/stat").exists():
        listed = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return str(cluster) in listed.stdout
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        if state in "ZX":
            return False
        return Path(f"/proc/{pid}/cwd").samefile(cluster)
    except (FileNotFoundError, ProcessLookupError):
        return False
    except PermissionError:
        return True


def make_cluster(programs: Path, cluster: Path, password: str, launcher: Launcher) -> None:
    """Run initdb, completely or not at all: the folder gets its name when it is finished. Raises
    DatabaseUnavailable."""
    unfinished = cluster.with_name(cluster.name + ".unfinished")
    password_file = cluster.with_name("initial-password")
    shutil.rmtree(unfinished, ignore_errors=True)
    password_file.unlink(missing_ok=True)
    try:
        unfinished.mkdir(mode=0o700)
        password_file.touch(mode=0o600)
        password_file.write_text(password, encoding="utf-8")
        if launcher.uid is not None:
            unfinished.parent.chmod(0o711)
        launcher.give(unfinished)
        launcher.give(password_file)
        command = [str(programs / "initdb"), "-D", str(unfinished), "-U", OWNER, "--locale=C.UTF-8", "-E", "UTF8"]
        ran = subprocess.run(
            [*launcher.prefix, *command, "--auth=scram-sha-256", f"--pwfile={password_file}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=INITDB_SECONDS,
            check=False,
            **launcher.process_options,
        )
        if ran.returncode != 0:
            advice = launcher.advice(cluster, programs)
            raise DatabaseUnavailable(
                f"PostgreSQL could not make its files in {cluster}: {_reason(ran.stdout)}.{advice}"
            )
        unfinished.rename(cluster)
    except subprocess.TimeoutExpired:
        raise DatabaseUnavailable(
            f"PostgreSQL did not finish making its files in {cluster} within {INITDB_SECONDS} s."
        ) from None
    except OSError as error:
        raise DatabaseUnavailable(
            f"PostgreSQL could not make its files in {cluster}: {error.strerror}.{launcher.advice(cluster, programs)}"
        ) from error
    finally:
        password_file.unlink(missing_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)


def start_postmaster(
    programs: Path,
    cluster: Path,
    log: Path,
    launcher: Launcher,
    settings: Mapping[str, str],
    deadline: float,
    *,
    port: int | None = None,
) -> Postmaster:
    """Start a server on this port (None: a free one) of the loopback address, in a session of its own, so that neither
    Ctrl-C nor the end of this process reaches it. Returns when it answers; crash recovery may take a while. `deadline`
    is monotonic.

    Raises DatabaseUnavailable with the reason that PostgreSQL gave.
    """
    if log.exists() and log.stat().st_size > LOG_KEPT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    pid_file = cluster / "postmaster.pid"
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
        pid = int(pid_file.read_text(encoding="utf-8").split("\n")[0])
        if _lives(pid) and not _serves(pid, cluster):
            pid_file.unlink()  # the pid now belongs to another program, at which PostgreSQL would stop
    while True:
        flags = [flag for name, value in {**SETTINGS, **settings}.items() for flag in ("-c", f"{name}={value}")]
        place = ["-D", str(cluster), "-p", str(port or _free_port())]
        command = [*launcher.prefix, str(programs / "postgres"), *place, *flags]
        with log.open("ab") as output:
            log_start = output.seek(0, os.SEEK_END)
            try:
                process = subprocess.Popen(
                    command, stdout=output, stderr=output, start_new_session=True, **launcher.process_options
                )
            except OSError as error:
                raise DatabaseUnavailable(
                    f"PostgreSQL could not start: {error.strerror}.{launcher.advice(cluster, programs)}"
                ) from error
        # Whoever stops the server may be another process: this one must not keep its child as a zombie.
        threading.Thread(target=process.wait, name="postgres-reaper", daemon=True).start()
        while process.returncode is None:
            found = read_postmaster(cluster)
            if found is not None and found.pid == process.pid and found.status == "ready":
                logger.info("PostgreSQL started: pid %d, port %d", found.pid, found.port)
                return found
            if time.monotonic() > deadline:
                process.send_signal(signal.SIGQUIT)
                raise DatabaseUnavailable(f"PostgreSQL did not become ready in time; its log is {log}.")
            time.sleep(POLL_SECONDS)
        with log.open("rb") as written:
            written.seek(log_start)
            said = written.read().decode("utf-8", "replace")
        if time.monotonic() > deadline or not any(reason in said for reason in PASSING):
            advice = launcher.advice(cluster, programs)
            raise DatabaseUnavailable(f"PostgreSQL could not start: {_reason(said)}. Its log is {log}.{advice}")
        time.sleep(0.1)


def stop_postmaster(cluster: Path) -> None:
    """Stop the server of this cluster, if there is one. Open connections are closed, finished transactions are kept."""
    for signal_number, seconds in STOP_SECONDS:
        found = read_postmaster(cluster)
        if found is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signal_number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if read_postmaster(cluster) is None:
                return
            time.sleep(POLL_SECONDS)
        logger.warning("PostgreSQL (pid %d) did not stop within %s s of %s", found.pid, seconds, signal_number.name)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _reason(said: str) -> str:
    """What PostgreSQL's programs said went wrong: the last complaint, or else the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    complaints = [line for line in lines if any(word in line for word in ("FATAL:", "PANIC:", "error:", "ERROR:"))]
    return (complaints or lines or ["it said nothing"])[-1].rstrip(".")
