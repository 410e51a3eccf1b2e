"""Recordings of what no command of ours started: a page in a browser, a process that runs already."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from server.adapters.recording.devtools_pipe import browser_path
from server.recording.recorders.native_programs import PERF_PROBE
from tests.server.edges.cli.recorded_programs import PAGE, PYTHON, RECORD_S, C, hottest, kept_files, needs, record

pytestmark = pytest.mark.long


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """The address of the slow page."""
    if browser_path() is None:
        pytest.skip("no Chromium, Chrome or Edge is on this machine")
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text(PAGE)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/index.html?token=hunter2"
        server.shutdown()
        thread.join(RECORD_S)


@pytest.mark.browser
def test_a_page(tmp_path: Path, page: str) -> None:
    ended = record(tmp_path, "--no-answer", "--url", page)
    assert ended.returncode == 0, ended.stderr
    assert "plantedHot" in hottest(tmp_path)
    assert not any("browser-" in str(file) for file in kept_files(tmp_path))
    about = next(file for file in kept_files(tmp_path) if file.name == "recording.json")
    assert "hunter2" not in about.read_text()


@pytest.mark.browser
def test_a_page_that_cannot_be_opened_ends_with_one_line(tmp_path: Path, page: str) -> None:
    ended = record(tmp_path, "--no-answer", "--url", "http://127.0.0.1:9/")
    assert ended.returncode == 1
    assert "the page cannot be opened: net::ERR_" in ended.stderr


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended afterwards."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for one in started:
        one.kill()
        one.communicate(timeout=RECORD_S)


def start(*argv: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    return process


def test_a_running_python_process_goes_on_after_its_recording(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    needs("py-spy")
    (tmp_path / "slow.py").write_text(PYTHON)
    running.append(start(sys.executable, str(tmp_path / "slow.py"), "600"))
    ended = record(tmp_path, "--no-answer", "--seconds", "1", "--pid", str(running[0].pid))
    assert ended.returncode == 0, ended.stderr
    assert "planted_hot" in hottest(tmp_path)
    assert running[0].poll() is None


def test_a_running_native_process_goes_on_after_its_recording(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    if subprocess.run([needs("perf"), *PERF_PROBE[1:]], capture_output=True).returncode:
        pytest.skip("this machine's kernel lets perf measure nothing")
    (tmp_path / "slow.c").write_text(C)
    compiled = tmp_path / "slow"
    subprocess.run([needs("gcc"), "-O1", "-o", str(compiled), str(tmp_path / "slow.c")], check=True, timeout=RECORD_S)
    running.append(start(str(compiled), "600"))
    ended = record(tmp_path, "--no-answer", "--seconds", "1", "--pid", str(running[0].pid))
    assert ended.returncode == 0, ended.stderr
    assert "planted_hot" in hottest(tmp_path)
    assert running[0].poll() is None
