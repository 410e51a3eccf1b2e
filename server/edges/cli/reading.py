"""Reading a trace for a command: its bytes, a progress bar on a terminal, and the way a command says that it failed."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from server.edges.cli.entry_points import parsed
from server.edges.cli.progress_bar import ProgressBar
from server.errors import ConfigError
from server.quoting import visible
from traces.errors import TraceError

if TYPE_CHECKING:
    from traces.model import Trace
    from traces.progress import Progress

FAILED = 1
MISUSED = 2
UNDECIDABLE = 3
"""Exit codes: the trace or the model failed; the command was called wrongly; these recordings cannot decide it."""

READ_FILE: "ContextVar[Callable[[Path, Progress], Trace]]" = ContextVar("read_file", default=parsed)
"""How this command's files are opened: set for it by the application."""

FOLLOWED_EVERY_S = 0.1
"""Seconds between two looks at how much was read."""


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with one line on stderr."""
    click.echo(f"flamechat: {visible(message)}", err=True)
    raise click.exceptions.Exit(code)


def remark(message: str) -> None:
    """One line on stderr, with which the command goes on."""
    click.echo(f"flamechat: {visible(message)}", err=True)


ShowRead = Callable[[int, int], None]
"""Shows how many bytes of a file were read, and its size."""


@contextmanager
def progress(doing: str) -> Iterator[ShowRead]:
    """A bar with the time gone, on stderr, when that is a terminal: of the bytes read that are shown; until then, and
    for what comes after the last byte, a moving one, as nobody knows how much is left.
    """
    if not sys.stderr.isatty():
        yield lambda _, __: None
        return
    bar = ProgressBar(doing)
    try:
        with following(bar.draw):
            yield lambda done, size: bar.show(*how_far(done, size))
    finally:
        bar.erase()


@contextmanager
def following(look: Callable[[], None]) -> Iterator[None]:
    """Look every FOLLOWED_EVERY_S, in a thread of its own."""
    over = threading.Event()

    def follow() -> None:
        while not over.wait(FOLLOWED_EVERY_S):
            look()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def how_far(done: int, size: int) -> tuple[float | None, str]:
    """What the bar shows of a file that is being read: the part, None when the rest is not known, and the bytes."""
    from traces.analysis.units import format_value
    from traces.values import Unit

    if done == 0:
        return None, ""
    if done >= size:
        return None, f"{format_value(size, Unit.BYTES)} read"
    return done / size, f"{format_value(done, Unit.BYTES)} of {format_value(size, Unit.BYTES)}"


def mapped(source: Path) -> bytes | mmap:
    """The file's content, read when it is touched. Raises OSError."""
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return mmap(file.fileno(), 0, access=ACCESS_READ) if size else file.read()


def need_file(source: Path) -> None:
    """End the command as wrongly called when there is no such file."""
    if str(source) != "-" and not source.is_file():
        fail(f"{source}: " + ("is a folder, not a trace" if source.is_dir() else "no such file"), MISUSED)


def read_or_fail(source: Path) -> "Trace":
    """The trace of a file, or of stdin for `-`. Ends the command, naming the file, when it cannot be read."""
    from traces.progress import Progress
    from traces.reader import read_trace

    need_file(source)
    name = "stdin" if str(source) == "-" else source.name
    try:
        with progress(f"Reading {name}") as show:
            reading = Progress()
            if str(source) == "-":
                data = sys.stdin.buffer.read()
                with following(lambda: show(reading.bytes_read(len(data)), len(data))):
                    return read_trace(data, name=name, progress=reading)
            size = source.stat().st_size
            with following(lambda: show(reading.bytes_read(size), size)):
                return READ_FILE.get()(source, reading)
    except TraceError as error:
        fail(named(name, str(error)))
    except ConfigError as error:
        fail(str(error), MISUSED)
    except OSError as error:
        fail(f"{source}: {error.strerror or error}")


def named(name: str, text: str) -> str:
    """The text with the file's name in front, unless it says it already."""
    return text if name in text else f"{name}: {text}"
