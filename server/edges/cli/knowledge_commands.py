"""`flamechat knowledge ...`: documents that answers cite, on the data folder of this machine or the database of the
settings.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.errors import ConfigError, ServerError
from server.ports.identity import LOCAL_USER_ID
from server.quoting import plain

if TYPE_CHECKING:  # the database's parts are loaded when a command runs
    from server.ports.identity import Caller
    from server.ports.knowledge import Document
    from server.turns.team_knowledge import TeamKnowledge

Done = TypeVar("Done")

data_option = click.option("--data", type=FOLDER, help="The server's data folder.")
user_option = click.option("--user", default=LOCAL_USER_ID, help="The user's id; default: the user of this machine.")


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the group to the application."""

    @app.group(no_args_is_help=True)
    def knowledge() -> None:
        """Documents that answers cite: your team's runbooks, next to Flamechat's own pages."""

    @knowledge.command("list")
    @user_option
    @data_option
    def list_documents(*, user: str, data: Path | None) -> None:
        """The account's documents, and Flamechat's own."""

        for one in _run(entry_points, data, user, lambda kept, caller: kept.documents(caller)):
            whose = "Flamechat's own" if one.is_ours else one.document_id
            click.echo(f"{plain(one.name, 120)}  {one.size_bytes:,} B  {one.created_at:%Y-%m-%d}  {whose}")

    @knowledge.command()
    @click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @user_option
    @data_option
    def add(files: tuple[Path, ...], *, user: str, data: Path | None) -> None:
        """Take in Markdown or text files, each in place of the document of its name."""

        for made in _run(entry_points, data, user, lambda kept, caller: _added(kept, caller, files)):
            click.echo(f"{plain(made.name, 120)} {made.document_id}")

    @knowledge.command()
    @click.argument("name", help="Its name, or its id.")
    @user_option
    @data_option
    def remove(name: str, *, user: str, data: Path | None) -> None:
        """Remove one of the account's documents."""

        gone = _run(entry_points, data, user, lambda kept, caller: _removed(kept, caller, name))
        click.echo(f"removed {plain(gone.name, 120)}")


async def _added(kept: "TeamKnowledge", caller: "Caller", files: Sequence[Path]) -> "list[Document]":
    made = []
    for file in files:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise ServerError(f"{file} cannot be read: {error.strerror}") from error
        made.append(await kept.add(caller, file.name, content))
    return made


async def _removed(kept: "TeamKnowledge", caller: "Caller", name: str) -> "Document":
    for one in await kept.documents(caller):
        if not one.is_ours and name in (one.name, one.document_id):
            return await kept.remove(caller, one.document_id)
    raise ServerError(f"The account has no document {plain(name, 120)}.")


def _run(
    entry_points: CliEntryPoints,
    data: Path | None,
    user: str,
    task: "Callable[[TeamKnowledge, Caller], Awaitable[Done]]",
) -> Done:
    """What the task gives; ends the command with one line when it cannot be done."""
    import asyncio

    async def run() -> Done:
        async with entry_points.knowledge(data, user) as (kept, caller):
            return await task(kept, caller)

    try:
        return asyncio.run(run())
    except ServerError as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)
