"""`flamechat users ...`: who there is, what one of them has left, and its end."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from limits.errors import LimitsError
from limits.usage import Usage
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.errors import ConfigError, ServerError
from server.quoting import plain

NAME_CHARACTERS = 60
Done = TypeVar("Done")

user_argument = click.argument("user", metavar="USER", help="The user's id, as `flamechat users list` prints it.")
data_option = click.option("--data", type=FOLDER, help="The server's data folder.")


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the group to the application."""

    @app.group(no_args_is_help=True)
    def users() -> None:
        """Who there is, everything one of them has left, and its removal."""

    @users.command("list")
    @data_option
    def list_(*, data: Path | None) -> None:
        """All users, oldest first: id, plan, traces, name."""

        async def usages() -> list[Usage]:
            async with entry_points.administration(data) as administration:
                return await administration.usages()

        for usage in _run(usages):
            name = plain(usage.display_name or "", NAME_CHARACTERS)
            click.echo(f"{usage.user_id}  {usage.subscribed_plan:12}  {usage.traces:>6} traces  {name}".rstrip())

    @users.command()
    @user_argument
    @click.argument("folder", metavar="DIR", type=FOLDER, help="A folder that is new or empty.")
    @data_option
    def export(user: str, folder: Path, *, data: Path | None) -> None:
        """Write everything a person has left to a folder: JSON of each kind of row, uploads and pictures."""
        done = _run(lambda: entry_points.export_person(data, user, folder))
        lost = f"; {done.lost:,} files that rows name were missing in the store" if done.lost else ""
        click.echo(f"{folder}: {done.rows:,} rows and {done.objects:,} files{lost}")

    @users.command()
    @user_argument
    @click.option("--yes", is_flag=True, help="Do not ask.")
    @click.option("--reason", help="Why, for the audit, which does not name the user.")
    @data_option
    def delete(user: str, *, yes: bool, reason: str | None, data: Path | None) -> None:
        """Remove a person with everything they have left; it cannot be undone.

        Not reached from here: backups, logs, other machines' caches, a folder of debug messages, Langfuse. In accounts
        of others, what the person asked and was answered goes, and what others made stays.
        """
        if not yes:
            click.confirm(f"Remove user {plain(user, NAME_CHARACTERS)} with everything they have left?", abort=True)
        done = _run(lambda: entry_points.delete_person(data, user, reason))
        stays = "; the user of this machine stays, with an empty account" if done.stays else ""
        click.echo(f"removed: {done.rows:,} rows and {done.objects:,} files{stays}")


def _run(task: Callable[[], Awaitable[Done]]) -> Done:
    """What the task gives; ends the command with one line when it cannot be done."""
    import asyncio

    async def run() -> Done:
        return await task()

    try:
        return asyncio.run(run())
    except (LimitsError, ServerError) as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)
