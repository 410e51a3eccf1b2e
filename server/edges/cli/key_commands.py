"""`flamechat keys ...`: keys for programs of a server, made, listed and revoked by a person."""

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import POSITIVE
from server.ports.identity import Scope


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the group to the application."""
    from server.edges.cli.server_requests import server_options

    json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

    @app.group(no_args_is_help=True)
    def keys() -> None:
        """Keys for programs: what a CI job sends a server in place of a person's token."""

    @keys.command()
    @click.argument("name", metavar="NAME", help="By which you know it again.")
    @click.option(
        "--scope",
        "scopes",
        type=click.Choice([scope.value for scope in Scope]),
        multiple=True,
        required=True,
        help="What the key is for; repeat it.",
    )
    @click.option("--days", type=POSITIVE, help="How long it works; default: for good.")
    @server_options
    @json_option
    def create(
        name: str, *, scopes: tuple[str, ...], days: int | None, server: str, token: str | None, as_json: bool
    ) -> None:
        """Make a key and print it: this once, since the server keeps only its hash.

        It acts for your account within what you may do there, and counts on your plan.
        """
        from server.edges.cli.keeping_keys import create as run

        run(name, scopes, days, server, token, as_json=as_json)

    @keys.command("list")
    @server_options
    @json_option
    def list_(*, server: str, token: str | None, as_json: bool) -> None:
        """The keys of your account, the newest first, with when each was used last."""
        from server.edges.cli.keeping_keys import list_all as run

        run(server, token, as_json=as_json)

    @keys.command()
    @click.argument("key", metavar="KEY", help="Its id or prefix, as the list shows them.")
    @server_options
    def revoke(key: str, *, server: str, token: str | None) -> None:
        """Take a key back: it opens nothing from now on."""
        from server.edges.cli.keeping_keys import revoke as run

        run(key, server, token)
