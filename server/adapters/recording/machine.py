"""Which programs this machine has, and the command as its system would run it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from server.errors import CannotRecord
from server.recording.choosing import ABSENT, MISUSED
from server.recording.command import Command, interpreter_of, shim_manager, unwrapped
from server.recording.recorder import Recorder

PROBE_S = 20.0
"""For a program that prints its version: far more than it takes on a busy machine."""

HEAD_BYTES = 4096
"""More than a system reads of a `#!` line, and more than a version manager writes into a shim."""

NOT_FOUND = 127
NOT_EXECUTABLE = 126
"""Exit codes of shells."""


def resolved(argv: Sequence[str]) -> Command:
    """The command with the file that is run, and a script's interpreter in front. Raises CannotRecord."""
    path = shutil.which(argv[0])
    if path is None:
        if os.path.exists(argv[0]):  # noqa: PTH110  a word of the command line
            raise CannotRecord(f"{argv[0]} cannot be run: it is no program", exit_code=NOT_EXECUTABLE)
        raise CannotRecord(f"{argv[0]}: no such command", exit_code=NOT_FOUND)
    called = (os.path.abspath(path), *argv[1:])  # noqa: PTH100  links stay: a virtual environment's Python is one
    head = _head(called[0])
    manager = shim_manager(head)
    behind = _behind_shim(manager, called[0]) if manager is not None else None
    if behind is not None:
        called = (behind, *argv[1:])
        head = _head(behind)
    interpreter = interpreter_of(head)
    if not interpreter:
        return Command(argv=called)
    runs = shutil.which(interpreter[0])
    if runs is None:
        raise CannotRecord(f"{argv[0]} needs {interpreter[0]}: no such command", exit_code=NOT_FOUND)
    return Command(argv=unwrapped(called, (runs, *interpreter[1:])))


def _behind_shim(manager: str, shim: str) -> str | None:
    """The program that a version manager runs for a shim in this folder; None where the manager does not say."""
    try:
        ended = subprocess.run(
            [manager, "which", Path(shim).name], check=False, capture_output=True, text=True, timeout=PROBE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    path = ended.stdout.strip()
    return path if ended.returncode == 0 and os.access(path, os.X_OK) and path != shim else None


def command_of(pid: int) -> Command:
    """The command of a running process of the caller's own. Raises CannotRecord."""
    place = Path(f"/proc/{pid}")
    try:
        if place.stat().st_uid != os.geteuid():
            raise CannotRecord(f"process {pid} is another user's: only your own are recorded", exit_code=MISUSED)
        words = place.joinpath("cmdline").read_bytes().split(b"\0")[:-1]
        path = os.readlink(place / "exe")  # noqa: PTH115  a removed file's name, too
    except FileNotFoundError:
        raise CannotRecord(f"there is no process {pid}, or no /proc to find it in", exit_code=MISUSED) from None
    except OSError as error:
        raise CannotRecord(f"process {pid} cannot be looked at: {error.strerror}", exit_code=MISUSED) from error
    return Command(argv=(path, *(word.decode("utf-8", "replace") for word in words[1:])))


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a word of the command line
            return file.read(HEAD_BYTES)
    except OSError:  # a program that may be run and not be read
        return b""


def problem_of(recorder: Recorder, command: Command | None = None) -> str | None:
    """What a recorder lacks here, or for the command; None when it can be used."""
    if recorder.systems and sys.platform not in recorder.systems and os.geteuid() != 0:
        return f"needs root on {sys.platform}"
    if not recorder.probe:
        return None
    program, *words = recorder.probe
    if recorder.probed_in_program and command is not None:
        program = command.argv[0]
    if shutil.which(program) is None:
        return ABSENT
    try:
        ended = subprocess.run(
            [program, *words], check=False, capture_output=True, timeout=PROBE_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    if ended.returncode == 0:
        return None
    lines = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip().splitlines()
    if recorder.probed_in_program:
        return ABSENT
    return f"does not run: {lines[0]}" if lines else f"does not run: exit code {ended.returncode}"
