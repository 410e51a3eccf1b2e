"""A temporary copy of the repository, in which one file at a time is changed and some tests are run.

Python's third-party packages are imported once, and each run of pytest is a fork: a mutant costs its tests, not
start-up.
"""

import contextlib
import importlib
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import pytest

from tests.conftest import SHARED

COPIED = ("traces", "rendering", "limits", "server", "tests", "evals", "supabase", "fuzz", "bench", "docs", "deploy")
LINKED = ("fixtures", "web")
IMPORTED_BEFORE = (
    "numpy",
    "pydantic",
    "fastapi",
    "httpx",
    "uvicorn",
    "websockets",
    "psycopg",
    "hypothesis",
    "click",
    "structlog",
    "langchain_core.messages",
    "langgraph.graph",
    "langchain_openai",
    "procrastinate",
    "PIL.Image",
)
"""None of them imports the product."""

PRELOADED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Pytest warns that it cannot rewrite what is imported already; the tests themselves are imported in the fork."""

TEST_S = 60
"""Bounds a test: a mutant that loops for ever is found by it."""


PROBE = """
import subprocess, sys
from pathlib import Path
import limits, rendering, server, traces

HERE = Path(__file__).parents[1]
ROOMS = (limits, rendering, server, traces)

def test_the_copy_is_imported():
    assert [Path(room.__file__).parents[1] for room in ROOMS] == [HERE] * 4
    asked = "import traces, server; print(traces.__file__, server.__file__)"
    places = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    assert [Path(place).parents[1] for place in places] == [HERE] * 2
"""


class Outcome(StrEnum):
    PASSED = "passed"  #: Every test that ran passed.
    FAILED = "failed"  #: A test failed, or the tests could not be collected.
    NOTHING = "nothing ran"  #: None of these files has a test that is neither long nor for a browser.
    LATE = "late"  #: The bound of the run was reached.


class CopiedTree:
    """`run` runs tests in the copy, `changed` changes a file of it for a while."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self._changes = int(time.time()) - 1_000_000
        self._runs = 0
        for name in COPIED:
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in LINKED:
            (folder / name).symlink_to(root / name)
        for path in (*root.glob("*.*"), root / "Makefile", root / "LICENSE"):
            if path.is_file():
                shutil.copy2(path, folder)
        for name in IMPORTED_BEFORE:
            importlib.import_module(name)

    def check(self) -> None:
        """Raises RuntimeError unless tests, and processes that they start, import the copy's modules."""
        probe = self.folder / "tests" / "test_probe.py"
        probe.write_text(PROBE)
        outcome, printed = self.run([probe.relative_to(self.folder)], within_s=TEST_S)
        probe.unlink()
        if outcome is not Outcome.PASSED:
            raise RuntimeError(f"not the copy is imported: {printed}")

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder), "FLAMECHAT_SHARED": str(SHARED)}

    @contextmanager
    def changed(self, path: Path, source: bytes) -> Iterator[None]:
        """The file has this text while the block lasts."""
        place = self.folder / path
        before = place.read_bytes()
        try:
            self._write(place, source)
            yield
        finally:
            self._write(place, before)

    def _write(self, place: Path, source: bytes) -> None:
        """Compiled modules are known by size and second: every change has a second of its own."""
        place.write_bytes(source)
        self._changes += 1
        os.utime(place, (self._changes, self._changes))

    def run(self, tests: Sequence[Path], *, within_s: float, first_failure: bool = True) -> tuple[Outcome, str]:
        """Run these files' tests, and give the outcome and what pytest printed."""
        self._runs += 1
        output = self.folder / "output.txt"
        pid = os.fork()
        if pid == 0:
            self._in_the_fork(tests, output, first_failure=first_failure)
        code = _ended_within(pid, within_s)
        shutil.rmtree(self._scratch, ignore_errors=True)
        printed = output.read_text(errors="replace") if output.exists() else ""
        match code:
            case None:
                return Outcome.LATE, printed
            case pytest.ExitCode.OK:
                return Outcome.PASSED, printed
            case pytest.ExitCode.NO_TESTS_COLLECTED:
                return Outcome.NOTHING, printed
            case _:
                return Outcome.FAILED, printed

    @property
    def _scratch(self) -> Path:
        return self.folder / f"scratch-{self._runs}"

    def _in_the_fork(self, tests: Sequence[Path], output: Path, *, first_failure: bool) -> None:
        """Never returns."""
        code = 99
        try:
            os.setsid()
            with output.open("wb") as out:
                for stream in (1, 2):
                    os.dup2(out.fileno(), stream)
            os.chdir(self.folder)
            os.environ.update(self._environment())
            sys.path[:] = [str(self.folder), *(one for one in sys.path if Path(one or ".").resolve() != Path.cwd())]
            for name in [name for name in sys.modules if name.split(".")[0] in {*COPIED, "conftest"}]:
                del sys.modules[name]
            options = ["-q", "-p", "no:xdist", "-p", "no:randomly", "-m", "not long and not browser", *PRELOADED]
            options += [
                "--tb=line",
                f"--timeout={TEST_S}",
                f"--basetemp={self._scratch}",
                "--rootdir",
                str(self.folder),
            ]
            code = int(pytest.main([*options, *(["-x"] if first_failure else []), *map(str, tests)]))
        except BaseException:  # noqa: BLE001 - a fork that failed in any way must not go on as its parent
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            os._exit(code)


def _ended_within(pid: int, within_s: float) -> int | None:
    """The exit code, or None where the process, and what it started, had to be killed."""
    handle = os.pidfd_open(pid)
    try:
        if select.select([handle], [], [], within_s)[0]:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.killpg(pid, signal.SIGINT)  # pytest ends its fixtures: a database is stopped
        if not select.select([handle], [], [], 30)[0]:
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return None
    finally:
        os.close(handle)
