"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

TraceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE", help="A trace file, compressed or not.", exists=True, dir_okay=False, readable=True
    ),
]
TraceOrStdin = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE",
        help="A trace file, compressed or not; - reads stdin.",
        exists=True,
        dir_okay=False,
        readable=True,
        allow_dash=True,
    ),
]
