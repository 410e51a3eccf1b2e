"""`flamechat convert TRACE --to FORMAT -o FILE`: the trace as another tool's file."""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal

import click

from server.edges.cli.printing import asking
from server.edges.cli.reading import fail, progress, read_or_fail

FormatName = Literal["speedscope", "chrome", "collapsed", "pprof"]


def convert(source: Path, target: FormatName, profile: str, output: Path) -> None:
    """Write the file, compressed when its name ends in .gz; what the format cannot hold is said on stderr."""
    from server.agent.tools.contract.resolving import chosen_profile
    from traces.export.targets import export
    from traces.handles import ALL

    trace = read_or_fail(source)
    if profile.isdigit():
        profile = f"p{profile}"
    with asking():
        document = export(trace, target, ALL if profile == ALL else chosen_profile(trace, profile).index)
    for note in document.notes:
        click.echo(f"note: {note}", err=True)
    try:
        with progress(f"Writing {output}"):
            if str(output) == "-":
                _write(document.chunks, sys.stdout.buffer)
                return
            with output.open("wb") as file:
                if output.suffix == ".gz" and target != "pprof":  # pprof files are compressed in themselves
                    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as compressed:
                        _write(document.chunks, compressed)
                else:
                    _write(document.chunks, file)
    except OSError as error:
        fail(f"{output}: {error.strerror or error}")
    click.echo(f"{output}: {target}, {output.stat().st_size:,} bytes", err=True)


def _write(chunks: Iterator[bytes], file: BinaryIO | gzip.GzipFile) -> None:
    for chunk in chunks:
        file.write(chunk)
