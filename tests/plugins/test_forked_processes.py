"""Forked programs are processes like others: children of the test, with environment, streams, folder and end of their
own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio.to_process
import pytest

from server.adapters.workers.sql_process import OF_A_TRACE
from tests.fork_server import CLONE
from tests.plugins.forked_processes import HARMLESS, OF_A_START, ForkServers

pytestmark = pytest.mark.skipif(CLONE is None or sys.platform != "linux", reason="processes are forked on Linux alone")

WORKER = [sys.executable, "-u", "-m", "anyio.to_process"]


@pytest.fixture(autouse=True)
def without_variables_of_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(OF_A_START) and name not in HARMLESS:
            monkeypatch.delenv(name)


def process_seen_from_inside() -> tuple[int, dict[str, str], str, list[str]]:
    return os.getppid(), dict(os.environ), str(Path.cwd()), [one.name for one in Path("/proc/self/fd").iterdir()]


def end_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def test_a_worker_is_forked_and_is_a_child_with_this_environment_and_folder(fork_servers: ForkServers) -> None:
    before = fork_servers.forked
    parent, environment, folder, files = await anyio.to_process.run_sync(process_seen_from_inside)
    assert fork_servers.forked == before + 1
    assert (parent, folder) == (os.getpid(), str(Path.cwd()))
    assert environment == dict(os.environ)
    assert len(files) <= 8, "it has no file of the process that forked it"
    with pytest.raises(anyio.BrokenWorkerProcess):
        await anyio.to_process.run_sync(end_itself)


def test_its_streams_folder_and_end_are_those_that_were_asked_for(fork_servers: ForkServers, tmp_path: Path) -> None:
    before = fork_servers.forked
    with subprocess.Popen(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}, cwd="/") as one:
        assert one.stdout is not None
        assert one.stdout.readline() == b"READY\n"
        assert Path(f"/proc/{one.pid}/cwd").resolve() == Path("/")
        one.terminate()
        assert one.wait(60) == -signal.SIGTERM
    done = subprocess.run([sys.executable, "-m", OF_A_TRACE], input=b"no JSON", capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"JSONDecodeError" in done.stderr
    assert fork_servers.forked == before + 2


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        ([sys.executable, "-c", "print(1)"], {}),
        ([sys.executable, "-m", "json.tool", "--help"], {}),
        (WORKER, {"OTEL_SDK_DISABLED": "true"}),
        (WORKER, {"PYTHONHASHSEED": "1"}),
    ],
)
def test_what_is_no_program_of_ours_or_has_variables_of_a_start_is_started_anew(
    fork_servers: ForkServers, command: list[str], environment: dict[str, str]
) -> None:
    before = fork_servers.forked
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert fork_servers.forked == before


@pytest.mark.usefixtures("started_anew")
def test_a_test_may_start_them_anew(fork_servers: ForkServers) -> None:
    before = fork_servers.forked
    done = subprocess.run(WORKER, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (done.stdout, fork_servers.forked) == (b"READY\n", before)
