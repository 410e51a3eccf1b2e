"""`flamechat backup` and `flamechat restore`."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from server.edges.cli.command_values import BackupDone
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import EXISTING_FOLDER, FOLDER
from server.errors import ConfigError, ServerError


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add both commands to the application."""

    @app.command()
    @click.argument("folder", metavar="DIR", type=FOLDER, help="A folder that is new or empty.")
    @click.option("--data", type=FOLDER, help="The server's data folder.")
    def backup(folder: Path, *, data: Path | None) -> None:
        """Write everything people have here to a folder, of one moment, while servers run.

        Plans, users, traces, conversations and pictures; not the settings, and not who people of a Supabase project
        are, which its Auth knows. Whoever reads the folder reads everything.
        """
        done = _run(lambda: entry_points.back_up(data, folder))
        click.echo(f"{folder}: {done.rows:,} rows and {done.objects:,} files of {done.taken_at}{_lost(done)}")

    @app.command()
    @click.argument("folder", metavar="DIR", type=EXISTING_FOLDER, help="A folder that `flamechat backup` wrote.")
    @click.option("--data", type=FOLDER, help="A data folder that is new.")
    def restore(folder: Path, *, data: Path | None) -> None:
        """Fill a new data folder, or the empty database of the settings, from a backup.

        An older version's backup is brought up to date; one that was cut off or changed is refused before anything is
        written. A restore that was cut off is run again.
        """
        done = _run(lambda: entry_points.restore(data, folder))
        click.echo(f"restored: {done.rows:,} rows and {done.objects:,} files of {done.taken_at}{_lost(done)}")


def _run(task: Callable[[], Awaitable[BackupDone]]) -> BackupDone:
    import asyncio

    async def run() -> BackupDone:
        return await task()

    try:
        return asyncio.run(run())
    except ServerError as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)


def _lost(done: BackupDone) -> str:
    return f"; {done.lost:,} files that rows name were missing in the store" if done.lost else ""
