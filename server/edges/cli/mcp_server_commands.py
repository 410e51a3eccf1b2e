"""`flamechat mcp-servers`: the other servers whose tools answers may use: what they have, and which are allowed."""

import json
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import click

from server.edges.cli.command_values import ForeignServers, ListedForeignTool
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.errors import ConfigError
from server.quoting import plain

WORDS = 300
Answer = TypeVar("Answer")


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the group to the application."""

    @app.group("mcp-servers")
    def mcp_servers() -> None:
        """Other MCP servers' tools, of the file that FLAMECHAT_MCP_SERVERS names: list, allow, try."""

    @mcp_servers.command("list")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON, with each tool's schema.")
    def list_tools(*, as_json: bool) -> None:
        """Ask each server what it has: what is offered, and why the rest is not."""
        _print(_run(_servers(entry_points).listed()), as_json=as_json)

    @mcp_servers.command()
    @click.argument("server")
    @click.argument("tools", nargs=-1)
    def allow(*, server: str, tools: tuple[str, ...]) -> None:
        """Allow a server's tools as they are now: those named, or all that the file names. One that changes is off."""
        _print(_run(_servers(entry_points).allow(server, tools)), as_json=False)

    @mcp_servers.command("try")
    @click.argument("server")
    @click.argument("tool")
    @click.argument("arguments", default="{}")
    def try_tool(*, server: str, tool: str, arguments: str) -> None:
        """Call a tool with ARGUMENTS, a JSON object, and print what a model would read."""
        try:
            given = json.loads(arguments)
        except ValueError as error:
            fail(f"ARGUMENTS is no JSON: {error}", MISUSED)
        if not isinstance(given, dict):
            fail("ARGUMENTS is a JSON object", MISUSED)
        click.echo(_run(_servers(entry_points).call(server, tool, given)))


def _servers(entry_points: CliEntryPoints) -> ForeignServers:
    try:
        return entry_points.foreign_servers()
    except ConfigError as error:
        fail(str(error), MISUSED)


def _run(asked: Coroutine[Any, Any, Answer]) -> Answer:
    import asyncio

    from server.ports.mcp_tools import ForeignCallFailed

    try:
        return asyncio.run(asked)
    except ConfigError as error:
        fail(str(error), MISUSED)
    except ForeignCallFailed as error:
        fail(error.text, FAILED)


def _print(tools: Sequence[ListedForeignTool], *, as_json: bool) -> None:
    if as_json:
        known = ("server", "tool", "name", "access", "state", "description", "schema", "fingerprint")
        click.echo(json.dumps([{key: getattr(one, key) for key in known} for one in tools], indent=2))
        return
    width = max((len(plain(one.tool)) for one in tools), default=0)
    server = ""
    for one in tools:
        if one.server != server:
            server = one.server
            click.echo(server)
        click.echo(f"  {plain(one.tool):<{width}}  {one.access or '-':<4}  {plain(one.state)}")
        if one.description:
            click.echo(f"  {'':<{width}}        {plain(one.description, WORDS)}")
        for name in one.schema.get("properties", {}) if isinstance(one.schema.get("properties"), dict) else ():
            click.echo(f"  {'':<{width}}          {plain(str(name))}")
    if not tools:
        click.echo("The file names no tools.")
