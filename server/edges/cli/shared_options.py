"""Arguments that several commands share."""

import os
from pathlib import Path
from typing import Annotated

import typer

STDIN = Path("-")


def readable_or_stdin(given: str) -> Path:
    """The path of a file that can be read, or `-` for stdin. Raises BadParameter."""
    path = Path(given)
    if path != STDIN and not (path.is_file() and os.access(path, os.R_OK)):
        raise typer.BadParameter(f"{given} is no file that can be read.")
    return path


TraceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE", help="A trace file, compressed or not.", exists=True, dir_okay=False, readable=True
    ),
]
TraceOrStdin = Annotated[
    Path,
    typer.Argument(metavar="TRACE", help="A trace file, compressed or not; - reads stdin.", parser=readable_or_stdin),
]
