"""`flamechat memory ...`: what an account remembers, on the data folder of this machine, whether its server runs or
not, or on the database of the settings.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.errors import ConfigError, ServerError
from server.ports.identity import LOCAL_USER_ID
from server.quoting import plain

if TYPE_CHECKING:  # the other commands of the group's module do not load the database's parts
    from server.ports.core_memory import Memory
    from server.ports.identity import Caller
    from server.turns.account_memory import AccountMemory

FACT_CHARACTERS = 1_000
"""Of a line in the terminal: more than a fact has."""

MOST_EXPORTED = 100_000

Done = TypeVar("Done")

data_option = click.option("--data", type=FOLDER, help="The server's data folder.")
user_option = click.option("--user", default=LOCAL_USER_ID, help="The user's id; default: the user of this machine.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the group to the application."""

    @app.group(no_args_is_help=True)
    def memory() -> None:
        """What Flamechat remembers of you: facts that stand in every prompt."""

    @memory.command()
    @user_option
    @data_option
    @json_option
    def show(*, user: str, data: Path | None, as_json: bool) -> None:
        """The facts, a line each."""

        found = _run(entry_points, data, user, lambda memory, caller: memory.read(caller))
        if as_json:
            click.echo(json.dumps({"facts": list(found.facts), "version": found.version}, ensure_ascii=False))
        else:
            _print(found, "nothing is remembered yet")

    @memory.command()
    @click.argument("fact", help="One line, in your own words.")
    @user_option
    @data_option
    def add(fact: str, *, user: str, data: Path | None) -> None:
        """Remember one more fact."""

        done = _run(entry_points, data, user, lambda memory, caller: _added(memory, caller, fact))
        _print(done, "nothing is remembered: that was no fact")

    @memory.command()
    @click.argument("fact", help="The line, or a part of it that no other line has.")
    @user_option
    @data_option
    def forget(fact: str, *, user: str, data: Path | None) -> None:
        """Strike one fact. Exit code 1 when no line, or more than one, has these words."""

        done = _run(entry_points, data, user, lambda memory, caller: _forgotten(memory, caller, fact))
        _print(done, "nothing is remembered any more")

    _add_searching(memory, entry_points)


def _add_searching(memory: click.Group, entry_points: CliEntryPoints) -> None:
    """What is about all that is remembered."""

    @memory.command()
    @click.argument("query", default="", help="What it is about; without: the newest.")
    @click.option("--limit", type=click.IntRange(1, 100), default=10, help="At most so many.")
    @user_option
    @data_option
    @json_option
    def search(query: str, *, limit: int, user: str, data: Path | None, as_json: bool) -> None:
        """Findings, answers and facts that are near to a question."""

        rows = _run(entry_points, data, user, lambda memory, caller: _searched(memory, caller, query, limit))
        if as_json:
            click.echo(json.dumps({"memories": rows}, ensure_ascii=False))
            return
        for row in rows:
            whence = f", {plain(str(row['trace']), 60)}" if row["trace"] else ""
            click.echo(f"{row['kind']}, {row['created']}{whence}: {plain(str(row['text']), FACT_CHARACTERS)}")
        if not rows:
            click.echo("nothing that is remembered is near to that", err=True)

    @memory.command()
    @user_option
    @data_option
    def sync(*, user: str, data: Path | None) -> None:
        """Take in what traces and conversations hold that is not remembered yet. May be stopped and run again."""

        made = _run(entry_points, data, user, lambda memory, caller: memory.take_in_all())
        click.echo(f"{made} new memories")

    @memory.command()
    @user_option
    @data_option
    def export(*, user: str, data: Path | None) -> None:
        """Print all of it as JSON: the facts, and every change with its time and who made it."""

        click.echo(json.dumps(_run(entry_points, data, user, _exported), indent=2, ensure_ascii=False))


async def _added(memory: "AccountMemory", caller: "Caller", fact: str) -> "Memory":
    before = await memory.read(caller)
    return await memory.write(caller, "\n".join([*before.facts, fact]), version=before.version)


async def _forgotten(memory: "AccountMemory", caller: "Caller", fact: str) -> "Memory":
    """The memory without the fact. Raises ServerError when none, or more than one, is meant."""
    before = await memory.read(caller)
    meant = [line for line in before.facts if line == fact] or [
        line for line in before.facts if fact.casefold() in line.casefold()
    ]
    if len(meant) != 1:
        listed = "".join(f"\n  {plain(line, FACT_CHARACTERS)}" for line in meant)
        raise ServerError(f"{len(meant)} facts have these words.{listed}")
    kept = [line for line in before.facts if line != meant[0]]
    return await memory.write(caller, "\n".join(kept), version=before.version)


async def _searched(
    memory: "AccountMemory", caller: "Caller", query: str, limit: int
) -> list[dict[str, str | float | None]]:
    """The nearest memories as JSON values."""
    from server.ports.memories import Sought

    if memory.search is None:
        raise ServerError("Only facts are remembered here.")
    found = await memory.search.search(caller, Sought(query=query), limit=limit)
    return [
        {
            "memory_id": one.memory.memory_id,
            "kind": one.memory.kind.value,
            "text": one.memory.text,
            "created": f"{one.memory.created_at:%Y-%m-%d}",
            "trace": one.memory.trace,
            "near": round(one.near, 3),
        }
        for one in found
    ]


async def _exported(memory: "AccountMemory", caller: "Caller") -> dict[str, object]:
    """Facts and changes as JSON values."""
    found = await memory.read(caller)
    changes = [
        {
            "version": one.version,
            "before": one.before,
            "after": one.after,
            "decision": one.decision,
            "by_user": one.by_user,
            "decided_at": one.decided_at.isoformat(),
            "proposed_in_turn": one.proposed_in_turn,
        }
        for one in await memory.changes(caller)
    ]
    memories = [] if memory.search is None else await memory.search.listed(caller, limit=MOST_EXPORTED)
    kept = [
        {
            "memory_id": one.memory_id,
            "kind": one.kind.value,
            "text": one.text,
            "source": one.source,
            "created_at": one.created_at.isoformat(),
            "mine": one.is_own,
            "trace": one.trace,
        }
        for one in memories
    ]
    return {"core": {"facts": list(found.facts), "version": found.version}, "changes": changes, "memories": kept}


def _print(memory: "Memory", empty: str) -> None:
    for fact in memory.facts:
        click.echo(plain(fact, FACT_CHARACTERS))
    if not memory.facts:
        click.echo(empty, err=True)


def _run(
    entry_points: CliEntryPoints,
    data: Path | None,
    user: str,
    task: "Callable[[AccountMemory, Caller], Awaitable[Done]]",
) -> Done:
    """What the task gives; ends the command with one line when it cannot be done."""
    import asyncio

    async def run() -> Done:
        async with entry_points.memory(data, user) as (memory, caller):
            return await task(memory, caller)

    try:
        return asyncio.run(run())
    except ServerError as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)
