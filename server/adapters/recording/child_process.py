"""The child that is recorded: signals reach it, and its exit code is returned as a shell has it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from server.recording.recorder import ADDED_TO

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})

STOP_AFTER_S = 1.0
"""From the signal that ends a program to the stop file: a program that handles the signal is on its way by then."""

PATIENCE_S = 10.0
"""For a program that was asked to end after `--seconds`, before it is asked again, more firmly."""

WRITING_S = 120.0
"""For a recorder that is attached, to write its file after the program has ended."""

LOOK_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How the child ended: `exit_code` is 128 and the signal's number for one that a signal ended."""

    exit_code: int
    seconds: float
    was_stopped: bool


def run_child(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    attach: Sequence[str] = (),
    stop_file: str | None = None,
    seconds: float | None = None,
    program_below: int = 0,
) -> Ended:
    """Run the command with our own stdin, stdout and stderr until it ends, or `seconds` have passed: then it is
    interrupted. Signals go to the process that stands `program_below` processes below the child. What is attached to
    it writes into `recorder.log` of the folder. Raises OSError.
    """
    waiting: list[int] = []
    began = time.monotonic()
    with handling_signals(waiting.append):
        child = subprocess.Popen(argv, env=_environment(environment))
        recorder = _attached(attach, child.pid, folder) if attach else None
        stopping = _Stopping(child, program_below, None if stop_file is None else folder / stop_file, began, seconds)
        while _running(child):
            while waiting:
                stopping.forward(waiting.pop(0))
            stopping.look(time.monotonic())
        ended = time.monotonic()
        if recorder is not None:
            _wait(recorder)
    code = child.returncode
    return Ended(
        exit_code=code if code >= 0 else 128 - code, seconds=ended - began, was_stopped=stopping.asked_at is not None
    )


def _running(child: "subprocess.Popen[bytes]") -> bool:
    try:
        child.wait(LOOK_S)
    except subprocess.TimeoutExpired:
        return True
    return False


@contextmanager
def handling_signals(arrived: Callable[[int], None]) -> Iterator[None]:
    """Signals are noted and end nothing; the child starts with those that were ignored before still ignored."""
    before = {number: signal.getsignal(number) for number in FORWARDED}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, lambda given, _: arrived(given))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


class _Stopping:
    """Hands signals on, and ends the child when its time is over: first by an interrupt, then more firmly."""

    def __init__(
        self,
        child: "subprocess.Popen[bytes]",
        program_below: int,
        stop_file: Path | None,
        began: float,
        seconds: float | None,
    ) -> None:
        self._child = child
        self._program_below = program_below
        self._stop_file = stop_file
        self._steps: list[tuple[float, int]] = []
        if seconds is not None:
            at = began + seconds
            self._steps = [
                (at, signal.SIGINT),
                (at + PATIENCE_S, signal.SIGTERM),
                (at + 2 * PATIENCE_S, signal.SIGKILL),
            ]
        self.asked_at: float | None = None

    def forward(self, number: int) -> None:
        """Send the child what was sent to us. A terminal's Ctrl-C has reached it already, as all of the group."""
        if number in ENDING and self.asked_at is None:
            self.asked_at = time.monotonic()
        if not (number in (signal.SIGINT, signal.SIGQUIT) and _at_terminal()):
            self._send(number)

    def look(self, now: float) -> None:
        """Do what is due."""
        if self._steps and now >= self._steps[0][0]:
            self._send(self._steps.pop(0)[1])
            self.asked_at = self.asked_at or now
        if self._stop_file is not None and self.asked_at is not None and now > self.asked_at + STOP_AFTER_S:
            self._stop_file.touch(mode=0o600)
            self._stop_file = None

    def _send(self, number: int) -> None:
        """To the program: a recorder above it would make another signal of this one, or ends when the program does."""
        program = _below(self._child.pid, self._program_below)
        if program == self._child.pid:
            self._child.send_signal(number)
        else:
            with suppress(ProcessLookupError):
                os.kill(program, number)


def _below(pid: int, levels: int) -> int:
    """The process so many levels below, as far as there are any: the first child of each."""
    for _ in range(levels):
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        except OSError:  # not Linux, or it has ended
            return pid
        if not children:
            return pid
        pid = int(children[0])
    return pid


def _environment(added: Mapping[str, str]) -> dict[str, str]:
    """Ours with what is added; what a variable had before stands where it is asked for."""
    ours = dict(os.environ)
    return ours | {name: value.replace(ADDED_TO, ours.get(name, "")).strip() for name, value in added.items()}


def _at_terminal() -> bool:
    """Whether a terminal sends its keys' signals to our group, and so to the child."""
    for stream in (sys.stdin, sys.stderr, sys.stdout):
        try:
            return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):
            continue
    return False


def _attached(argv: Sequence[str], pid: int, folder: Path) -> "subprocess.Popen[bytes]":
    """In a session of its own: a terminal's Ctrl-C does not end it before the child."""
    with (folder / "recorder.log").open("ab") as log:
        return subprocess.Popen(
            [word.replace("{pid}", str(pid)) for word in argv],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def run_attached(argv: Sequence[str], pid: int, *, folder: Path, seconds: float | None) -> Ended:
    """Run a recorder of the process until it ends, which it does by itself after `seconds`, or a signal comes, or it is
    overdue: then it is interrupted, and writes. Raises OSError.
    """
    waiting: list[int] = []
    began = time.monotonic()
    with handling_signals(waiting.append):
        recorder = _attached(argv, pid, folder)
        while (
            _running(recorder) and not waiting and (seconds is None or time.monotonic() < began + seconds + WRITING_S)
        ):
            pass
        was_stopped = recorder.poll() is None
        if was_stopped:
            recorder.send_signal(signal.SIGINT)
        _wait(recorder)
    return Ended(exit_code=0, seconds=time.monotonic() - began, was_stopped=was_stopped)


def _wait(recorder: "subprocess.Popen[bytes]") -> None:
    try:
        recorder.wait(WRITING_S)
    except subprocess.TimeoutExpired:
        recorder.kill()
        recorder.wait()
