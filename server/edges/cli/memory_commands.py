"""`flamechat memory ...`: what an account remembers, on the data folder of this machine, whether its server runs or
not, on the database of the settings, or as a server has it that is named.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
    from server.edges.cli.memory_on_server import ServerMemory
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
    from server.edges.cli.server_requests import optional_server_options as server_options

    @app.group(no_args_is_help=True)
    def memory() -> None:
        """What Flamechat remembers of you: facts that stand in every prompt."""

    @memory.command()
    @user_option
    @data_option
    @server_options
    @json_option
    def show(*, user: str, data: Path | None, server: str | None, token: str | None, as_json: bool) -> None:
        """The facts, a line each."""

        if server is None:
            found = _run(entry_points, data, user, lambda memory, caller: memory.read(caller))
            facts, version = list(found.facts), found.version
        else:
            answer = _on_server(server, token).read()
            facts, version = lines_of(answer), answer["version"]
        if as_json:
            click.echo(json.dumps({"facts": facts, "version": version}, ensure_ascii=False))
        else:
            _print(facts, "nothing is remembered yet")

    @memory.command()
    @click.argument("fact", help="One line, in your own words.")
    @user_option
    @data_option
    @server_options
    def add(fact: str, *, user: str, data: Path | None, server: str | None, token: str | None) -> None:
        """Remember one more fact."""

        if server is None:
            done = list(_run(entry_points, data, user, lambda memory, caller: _added(memory, caller, fact)).facts)
        else:
            done = lines_of(_on_server(server, token).add(fact))
        _print(done, "nothing is remembered: that was no fact")

    @memory.command()
    @click.argument("fact", help="The line, or a part of it that no other line has.")
    @user_option
    @data_option
    @server_options
    def forget(fact: str, *, user: str, data: Path | None, server: str | None, token: str | None) -> None:
        """Strike one fact. Exit code 1 when no line, or more than one, has these words."""

        if server is None:
            done = list(_run(entry_points, data, user, lambda memory, caller: _forgotten(memory, caller, fact)).facts)
        else:
            done = lines_of(_on_server(server, token).forget(fact))
        _print(done, "nothing is remembered any more")

    _add_searching(memory, entry_points)


def _add_searching(memory: click.Group, entry_points: CliEntryPoints) -> None:
    """What is about all that is remembered."""
    from server.edges.cli.server_requests import optional_server_options as server_options

    @memory.command()
    @click.argument("query", default="", help="What it is about; without: the newest.")
    @click.option("--limit", type=click.IntRange(1, 100), default=10, help="At most so many.")
    @user_option
    @data_option
    @server_options
    @json_option
    def search(
        query: str, *, limit: int, user: str, data: Path | None, server: str | None, token: str | None, as_json: bool
    ) -> None:
        """Findings, answers and facts that are near to a question."""

        rows = (
            _run(entry_points, data, user, lambda memory, caller: _searched(memory, caller, query, limit))
            if server is None
            else _on_server(server, token).search(query, limit)
        )
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
        """Take in what traces and conversations hold that is not remembered yet. May be stopped and run again; a server
        does it by itself."""

        made = _run(entry_points, data, user, lambda memory, caller: memory.take_in_all())
        click.echo(f"{made} new memories")

    @memory.command()
    @user_option
    @data_option
    @server_options
    def export(*, user: str, data: Path | None, server: str | None, token: str | None) -> None:
        """Print all of it as JSON: the facts, and every change with its time and who made it."""

        found = _run(entry_points, data, user, _exported) if server is None else _on_server(server, token).export()
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))


def _on_server(server: str, token: str | None) -> "ServerMemory":
    from server.edges.cli.memory_on_server import ServerMemory

    return ServerMemory(server, token)


async def _added(memory: "AccountMemory", caller: "Caller", fact: str) -> "Memory":
    before = await memory.read(caller)
    return await memory.write(caller, "\n".join([*before.facts, fact]), version=before.version)


async def _forgotten(memory: "AccountMemory", caller: "Caller", fact: str) -> "Memory":
    """The memory without the fact. Raises ServerError when none, or more than one, is meant."""
    before = await memory.read(caller)
    return await memory.write(caller, "\n".join(facts_without(before.facts, fact)), version=before.version)


def facts_without(facts: Sequence[str], fact: str) -> list[str]:
    """All but the one that is meant, by its line or a part of it. Raises ServerError when none or several are."""
    meant = [line for line in facts if line == fact] or [line for line in facts if fact.casefold() in line.casefold()]
    if len(meant) != 1:
        listed = "".join(f"\n  {plain(line, FACT_CHARACTERS)}" for line in meant)
        raise ServerError(f"{len(meant)} facts have these words.{listed}")
    return [line for line in facts if line != meant[0]]


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
    onboarding = await memory.onboarding.look(caller, ())
    core = {"facts": list(found.facts), "version": found.version}
    return {"core": core, "changes": changes, "initial_text": onboarding.initial_text, "memories": kept}


def lines_of(memory: Mapping[str, object]) -> list[str]:
    """The facts of what a server answered."""
    return [line for line in str(memory["text"]).split("\n") if line]


def _print(facts: Sequence[str], empty: str) -> None:
    for fact in facts:
        click.echo(plain(fact, FACT_CHARACTERS))
    if not facts:
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
