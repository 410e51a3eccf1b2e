"""`flamechat serve` as people run it: a process of its own, with its own PostgreSQL."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from click.testing import CliRunner

from server.app import _serve_entry
from server.composing.command_parts import build_entry_points
from server.edges.cli.main import build_cli
from tests.plugins.laid_databases import lay_database

SAMPLES = [file.name for file in (Path(__file__).parents[2] / "fixtures" / "sample").iterdir()]
COMMAND = [sys.executable, "-c", "from server.app import main; main()", "serve"]


def settings(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONDONTWRITEBYTECODE": "1"} | more


@contextmanager
def serving(data: Path, *options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server and its address; killed at the end if the test has not stopped it."""
    if "FLAMECHAT_DATABASE_URL" not in environment:
        lay_database(data / "postgres")
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", "--data", str(data), *options],
        env=settings(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("Flamechat is at "):
            raise AssertionError(process.communicate(timeout=60))
        yield process, line.removeprefix("Flamechat is at ").strip()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def started_by(process: subprocess.Popen[str], data: Path) -> list[psutil.Process]:
    """Everything that would be left behind: the server's children, and whoever works on its data folder."""
    found = {child.pid: child for child in psutil.Process(process.pid).children(recursive=True)}
    for other in psutil.process_iter(["cmdline"]):
        if any(str(data) in part for part in other.info["cmdline"] or []) and other.pid != process.pid:
            found[other.pid] = other
    return list(found.values())


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_and_leaves_nothing_running(tmp_path: Path, how: signal.Signals) -> None:
    """In a home of spaces and more than letters, and over IPv6 alone, where it is there."""
    home = tmp_path / "home of Zoë 🔥"
    data, place = home / "my data", ["--host", "::1"] if how == signal.SIGINT and socket.has_ipv6 else []
    with serving(data, *place, HOME=str(home)) as (process, address):
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            gives_up = time.monotonic() + 60
            while client.get("/ready").status_code != 200:  # the sample of a first start is still being loaded
                assert time.monotonic() < gives_up
            stored = client.post("/api/v1/traces?name=a.txt", content=b"main;read 9\nmain;write 1\n")
            assert stored.status_code == 201, stored.text
        left = started_by(process, data)
        assert any("postgres" in child.name() for child in left)
        process.send_signal(how)
        assert process.wait(timeout=60) == 0
        _, alive = psutil.wait_procs(left, timeout=60)
        assert alive == []
    assert not list(data.glob("scratch-*"))
    with serving(data) as (_, again), httpx.Client(base_url=again, trust_env=False, timeout=60) as client:
        names: list[str] = []
        gives_up = time.monotonic() + 60
        while len(names) < 2 and time.monotonic() < gives_up:
            names = [trace["name"] for trace in client.get("/api/v1/traces").json()["traces"]]
        assert "a.txt" in names
        assert sorted(names) == sorted(["a.txt", *SAMPLES])


def refused(*options: str, **environment: str) -> str:
    """The one line of a server that does not start."""
    done = subprocess.run(
        [*COMMAND, *options], env=settings(**environment), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_taken_port_is_reported_in_one_line_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in refused("--port", port, "--data", str(tmp_path / "data"))
    assert not (tmp_path / "data").exists()


Refused = Callable[..., str]


@pytest.fixture
def refused_here(monkeypatch: pytest.MonkeyPatch) -> Refused:
    """As `refused`, by the command in the test's own process: to start another takes 1 to 2 s of a processor."""

    def refuse(*options: str, **environment: str) -> str:
        with monkeypatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("FLAMECHAT_")]:
                patch.delenv(name)
            for name, value in environment.items():
                patch.setenv(name, value)
            done = CliRunner().invoke(build_cli(build_entry_points(_serve_entry)), ["serve", *options])
        assert done.exit_code == 2, done.output
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        return done.stderr

    return refuse


def test_a_folder_that_cannot_be_written_is_reported_in_one_line(tmp_path: Path, refused_here: Refused) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "--data" in refused_here("--port", "0", "--data", str(tmp_path / "file" / "data"))


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no place here that nobody may write to")
def test_a_read_only_folder_is_reported_in_one_line(refused_here: Refused) -> None:
    said = refused_here("--port", "0", "--data", "/sys/flamechat")
    assert "cannot write to the data folder /sys/flamechat" in said


def test_unknown_and_wrong_settings_are_reported_in_one_line(tmp_path: Path, refused_here: Refused) -> None:
    data = str(tmp_path / "data")
    assert "FLAMECHAT_PROT" in refused_here(FLAMECHAT_PROT="1", FLAMECHAT_DATA=data)
    assert "FLAMECHAT_PORT" in refused_here(FLAMECHAT_PORT="eight", FLAMECHAT_DATA=data)
    assert "FLAMECHAT_ACCESS_TOKEN" in refused_here("--host", "0.0.0.0", "--port", "0", "--data", data)
    assert not (tmp_path / "data").exists()


@pytest.mark.long
def test_a_server_with_a_token_lets_in_only_its_bearers(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "data", FLAMECHAT_ACCESS_TOKEN="sesame") as (_, address),
        httpx.Client(base_url=address, trust_env=False, timeout=60) as client,
    ):
        assert client.get("/api/v1/traces").status_code == 401
        assert client.get("/api/v1/traces", headers={"Authorization": "Bearer sesame"}).status_code == 200
