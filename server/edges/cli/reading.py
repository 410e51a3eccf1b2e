"""Reading a trace for a command: its bytes, a progress bar on a terminal, and the way a command says that it failed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from traces.errors import TraceError
from traces.model import Trace

FAILED = 1
MISUSED = 2
"""Exit codes: the trace or the model failed; the command was called wrongly."""


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with one line on stderr."""
    typer.echo(f"flamechat: {message}", err=True)
    raise typer.Exit(code)


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """A moving bar with the time gone, on stderr, when that is a terminal. How much is left is not known, so it is not
    shown.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        bar.add_task(doing, total=None)
        yield


def need_file(source: Path) -> None:
    """End the command as wrongly called when there is no such file."""
    if str(source) != "-" and not source.is_file():
        fail(f"{source}: " + ("is a folder, not a trace" if source.is_dir() else "no such file"), MISUSED)


def read_or_fail(source: Path) -> Trace:
    """The trace of a file, or of stdin for `-`. Ends the command, naming the file, when it cannot be read."""
    from traces.door import read_trace

    need_file(source)
    name = "stdin" if str(source) == "-" else source.name
    try:
        with progress(f"Reading {name}"):
            data = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
            return read_trace(data, name=name)
    except TraceError as error:
        fail(named(name, str(error)))
    except OSError as error:
        fail(f"{source}: {error.strerror or error}")


def named(name: str, text: str) -> str:
    """The text with the file's name in front, unless it says it already."""
    return text if name in text else f"{name}: {text}"
