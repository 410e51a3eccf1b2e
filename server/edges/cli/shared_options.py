"""Arguments and options that several commands share."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

STDIN = Path("-")


def readable_or_stdin(given: str) -> Path:
    """The path of a file that can be read, or `-` for stdin. Raises BadParameter."""
    path = Path(given)
    if path != STDIN and not (path.is_file() and os.access(path, os.R_OK)):
        raise click.BadParameter(f"{given} is no file that can be read.")
    return path


ANY_PATH = click.Path(path_type=Path)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
POSITIVE = click.IntRange(min=1)

trace_argument = click.argument("trace", metavar="TRACE", type=EXISTING_FILE, help="A trace file, compressed or not.")
trace_or_stdin = click.argument(
    "trace", metavar="TRACE", type=readable_or_stdin, help="A trace file, compressed or not; - reads stdin."
)

Command = TypeVar("Command", bound=Callable[..., Any])


def token_option(command: Command) -> Command:
    """The option of what a server is shown."""
    return click.option(
        "--token",
        envvar="FLAMECHAT_ACCESS_TOKEN",
        show_envvar=True,
        help="Access token or key, where the server asks for one; a variable keeps it out of the list of processes.",
    )(command)
