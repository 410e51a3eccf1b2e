"""`flamechat batch`: what the recordings of a folder or bucket measured, as tables for other engines."""

from dataclasses import asdict

import click

from server.edges.cli.command_values import BatchOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, fail, remark
from server.errors import ServerError
from server.ports.fleet import BatchDone


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the command to the application."""

    @app.command()
    @click.argument("source", metavar="FOLDER|ADDRESS")
    @click.option("--out", "tables", metavar="FOLDER|ADDRESS", required=True, help="Where the tables are written.")
    @click.option("--program", metavar="NAME", help="What all of it recorded; default: the first folder of each file.")
    @click.option(
        "--engine",
        type=click.Choice(("local", "ray")),
        default="local",
        help="Worker processes here, or the Ray cluster that FLAMECHAT_RAY_ADDRESS names.",
    )
    @click.option(
        "--workers", type=click.IntRange(1, 64), help="Files read at once; default: the cores, of a cluster all of its."
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def batch(
        source: str, *, tables: str, program: str | None, engine: str, workers: int | None, as_json: bool
    ) -> None:
        """Read every recording of a folder, or of a bucket (s3://bucket/prefix), once.

        Writes Parquet tables of functions, findings and measures, by program and day, and a list of all files with
        what was refused and why. A second run reads what is new. The source is never changed.
        """
        import asyncio
        import json

        options = BatchOptions(source=source, tables=tables, program=program, engine=engine, workers=workers)
        try:
            done = asyncio.run(entry_points.batch(options, lambda so_far: remark(f"{_line(so_far)} so far")))
        except ServerError as error:
            fail(f"{error} What was read is kept; the same command goes on.", FAILED)
        click.echo(json.dumps(asdict(done)) if as_json else _line(done))


def _line(done: BatchDone) -> str:
    parts = [f"{done.read:,} read"]
    for count, what in ((done.same, "of the same bytes"), (done.refused, "refused"), (done.known, "known")):
        if count:
            parts.append(f"{count:,} {what}")
    return ", ".join(parts)
