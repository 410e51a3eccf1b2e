"""Our own programs are forked by a process that has imported their modules already (see tests/fork_server.py), wherever
a test, or what it tests, starts one. A test asks for `started_anew` where the start itself is looked at."""

import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fork_server import CLONE
from tests.plugins.database_folders import DatabaseFolders

ROOT = Path(__file__).parents[2]
ANSWERED_WITHIN_S = 60
SERVE = "from server.app import main; main()"

PROGRAMS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("-u", "-m", "anyio.to_process"): ("anyio.to_process", "server.adapters.workers.jobs"),
    ("-m", "server.adapters.workers.sql_sandbox"): ("server.adapters.workers.sql_sandbox",),
    ("-m", "server.adapters.workers.library_sandbox"): ("server.adapters.workers.library_sandbox",),
    ("-c", SERVE, "serve"): (
        "server.app",
        "server.composing.command_parts",
        "server.edges.cli.main",
        "server.composing.use_cases",
        "server.composing.agent",
        "server.composing.backing",
        "server.composing.outside",
        "server.composing.watched_places",
        "server.composing.fleet_libraries",
        "server.adapters.postgres.checkpoints",
        "server.adapters.prometheus",
        "server.edges.http.application",
        "server.edges.http.serving",
        "langgraph.graph",
        "langchain_core.runnables.base",
        "langchain_core.tracers",
        "anyio._backends._asyncio",
        "uvicorn.protocols.http.httptools_impl",
    ),
}
"""How they are started, and what has been imported before they are: nothing that they would not import themselves."""

OF_A_START = ("PYTHON", "OTEL_", "LANGCHAIN_", "LANGSMITH_", "LD_", "OMP_")
"""Variables that are read while a process starts, or imports."""
HARMLESS = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}


@dataclass(frozen=True, slots=True)
class Start:
    """What `subprocess` was asked for, as far as it can be forked."""

    program: tuple[str, ...]
    arguments: list[str]
    environment: dict[str, str]
    folder: str | None
    files: list[int]
    start_new_session: bool

    @property
    def request(self) -> bytes:
        unbuffered = "-u" in self.program or "PYTHONUNBUFFERED" in self.environment
        module = self.program[-1] if "-m" in self.program else None
        asked = {
            "module": module,
            "code": SERVE,
            "arguments": self.arguments,
            "env": self.environment,
            "cwd": self.folder,
            "unbuffered": unbuffered,
            "start_new_session": self.start_new_session,
        }
        return json.dumps(asked).encode()


class ForkServers:
    """One for each program, started with the first that is asked for."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], socket.socket]] = {}
        self._one_at_a_time = threading.Lock()
        self.are_passed_over = False
        self.forked = 0

    def fork(self, start: Start) -> int:
        """The process id; 0 where it has to be started in the common way."""
        with self._one_at_a_time:
            if start.program not in self._running:
                self._running[start.program] = _fork_server(PROGRAMS[start.program])
            asking = self._running[start.program][1]
            socket.send_fds(asking, [start.request], start.files)
            process = int(asking.recv(20) or 0)
            self.forked += process > 0
            return process

    def close(self) -> None:
        for server, asking in self._running.values():
            asking.close()
            server.wait(ANSWERED_WITHIN_S)
        self._running.clear()


def _fork_server(modules: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(ANSWERED_WITHIN_S)
    with its:
        command = [sys.executable, "-m", "tests.fork_server", str(its.fileno()), *modules]
        # One thread, which is all that a fork takes along: numpy's BLAS would start others.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
        server = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[its.fileno()])
    return server, ours


def _start(asked: dict[str, Any]) -> Start | None:
    """None for what is no program of ours, or is started in a way that makes a difference."""
    command = asked["args"]
    if not isinstance(command, list | tuple) or not command or command[0] != sys.executable or asked["shell"]:
        return None
    words = [os.fspath(word) for word in command[1:]]
    program = next((one for one in PROGRAMS if tuple(words[: len(one)]) == one), None)
    kept = ("preexec_fn", "executable", "pass_fds")
    numbers = ("gid", "uid", "umask", "process_group")
    if program is None or any(asked[name] for name in kept) or any(asked[name] not in (None, -1) for name in numbers):
        return None
    environment = {
        os.fsdecode(name): os.fsdecode(value)
        for name, value in (os.environ if asked["env"] is None else asked["env"]).items()
    }
    if any(name.startswith(OF_A_START) and name not in HARMLESS for name in environment):
        return None
    streams = (asked["p2cread"], asked["c2pwrite"], asked["errwrite"])
    files = [own if given == -1 else given for own, given in enumerate(streams)]
    folder = None if asked["cwd"] is None else os.fsdecode(asked["cwd"])
    # `serve` stays among the arguments: it is a word of the command line.
    arguments = words[len(program) - 1 :] if program[-1] == "serve" else words[len(program) :]
    return Start(program, arguments, environment, folder, files, bool(asked["start_new_session"]))


@pytest.fixture(scope="session", autouse=True)
def fork_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServers]:
    """Stands in for the part of `subprocess` that starts a process; all else of it is as ever."""
    servers, own = ForkServers(), tmp_path_factory.getbasetemp()
    databases = DatabaseFolders(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    start_anew: Any = subprocess.Popen._execute_child  # type: ignore[attr-defined]
    signature = inspect.signature(start_anew)

    def execute_child(process: Any, *args: Any, **options: Any) -> None:
        asked = signature.bind(process, *args, **options).arguments
        start = None if servers.are_passed_over else _start(asked)
        if start is not None and "serve" in start.program:
            databases.give_to_a_server(start.arguments, start.environment)
        if start is None or not (found := servers.fork(start)):
            start_anew(process, *args, **options)
            return
        process.pid = found
        process._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        process._close_pipe_fds(*(asked[end] for end in ends))

    if CLONE is None or not sys.platform.startswith("linux"):
        yield servers
        return
    subprocess.Popen._execute_child = execute_child  # type: ignore[attr-defined]
    try:
        yield servers
    finally:
        subprocess.Popen._execute_child = start_anew  # type: ignore[attr-defined]
        servers.close()


@pytest.fixture
def started_anew(fork_servers: ForkServers) -> Iterator[None]:
    """Processes of this test are started as they are outside of tests."""
    fork_servers.are_passed_over = True
    yield
    fork_servers.are_passed_over = False
