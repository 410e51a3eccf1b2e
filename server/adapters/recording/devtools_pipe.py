"""A browser of our own, spoken to over two pipes (`--remote-debugging-pipe`): no port is opened that another program of
the machine could use. Messages are JSON, each ended by a zero byte; https://chromedevtools.github.io/devtools-protocol/.
"""

import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
ANSWER_S = 60.0
"""For the browser to start, and for each command: far more than it takes on a busy machine."""
ENDING_S = 10.0
READ_BYTES = 1 << 16
FREE_DESCRIPTOR = 10
"""The browser reads from descriptor 3 and writes to 4: ours lie above."""


class BrowserFailed(Exception):
    """The browser ended, was silent for too long, or refused a command."""


class DevTools:
    """Commands and events of one browser, in order. All raise BrowserFailed."""

    def __init__(self, to_browser: int, from_browser: int, is_stopped: Callable[[], bool]) -> None:
        self._to, self._from = to_browser, from_browser
        self._is_stopped = is_stopped
        self._number = 0
        self._read = bytearray()
        self._events: deque[dict[str, Any]] = deque()

    def command(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """What the command results in; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        rest = memoryview(json.dumps(message).encode() + b"\0")
        try:
            while rest:
                rest = rest[os.write(self._to, rest) :]
        except OSError as error:
            raise BrowserFailed("the browser has ended") from error
        until = time.monotonic() + ANSWER_S
        while True:
            answer = self._next(until)
            if answer is None:
                raise BrowserFailed(f"the browser did not answer {method}")
            if answer.get("id") != self._number:
                self._events.append(answer)
                continue
            if "error" in answer:
                raise BrowserFailed(f"{method}: {answer['error'].get('message')}")
            return dict(answer["result"])

    def event(self, method: str, until: float, *, may_stop: bool = True) -> dict[str, Any] | None:
        """The next event of that name, None where none comes until then, or the person stops."""
        while True:
            while self._events:
                one = self._events.popleft()
                if one.get("method") == method:
                    return dict(one.get("params", {}))
            if may_stop and self._is_stopped():
                return None
            answer = self._next(min(until, time.monotonic() + 0.1))
            if answer is not None:
                self._events.append(answer)
            elif time.monotonic() >= until:
                return None

    def _next(self, until: float) -> dict[str, Any] | None:
        while (end := self._read.find(b"\0")) < 0:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                return None
            data = os.read(self._from, READ_BYTES)
            if not data:
                raise BrowserFailed("the browser has ended")
            self._read += data
        message = bytes(self._read[:end])
        del self._read[: end + 1]
        return dict(json.loads(message))


def browser_path() -> str | None:
    """The browser that is on this machine, None without one."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@contextmanager
def browser(path: str, profile: Path, is_stopped: Callable[[], bool]) -> Iterator[DevTools]:
    """A browser without a window, with a profile of its own, ended afterwards. Raises OSError."""
    words = [
        path,
        "--headless",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-extensions",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        "about:blank",
    ]
    with _pipe() as (browser_reads, we_write), _pipe() as (we_read, browser_writes):
        pid = os.posix_spawn(
            path,
            words,
            dict(os.environ),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, browser_reads.descriptor, 3),
                (os.POSIX_SPAWN_DUP2, browser_writes.descriptor, 4),
            ],
            setpgroup=0,
        )
        browser_reads.close()
        browser_writes.close()
        tools = DevTools(we_write.descriptor, we_read.descriptor, is_stopped)
        try:
            yield tools
        finally:
            with suppress(BrowserFailed):
                tools.command("Browser.close")
            _end(pid)


class _End:
    """One end of a pipe, above the descriptors that the browser uses."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FREE_DESCRIPTOR)
        self._is_open = True
        os.close(descriptor)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            os.close(self.descriptor)


@contextmanager
def _pipe() -> Iterator[tuple[_End, _End]]:
    read, write = os.pipe()
    ends = _End(read), _End(write)
    try:
        yield ends
    finally:
        for end in ends:
            end.close()


def _end(pid: int) -> None:
    """Wait for the browser; what is left of its group after that is killed."""
    until = time.monotonic() + ENDING_S
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
