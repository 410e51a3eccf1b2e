"""`flamechat login`, `logout` and `whoami`: a person's session with a server, for the commands that name it."""

import click

from server.edges.cli.entry_points import CliEntryPoints

server_argument = click.argument("server", metavar="SERVER", help="Its address, such as https://flames.example.com.")
signed_in_argument = click.argument(
    "server", metavar="[SERVER]", required=False, help="Which, where there are several."
)


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the commands to the application."""

    @app.command()
    @server_argument
    @click.option("--email", help="The address that you sign in with; asked for where it is not given.")
    @click.option("--password", "by_password", is_flag=True, help="By password, which is asked for, not by a code.")
    def login(server: str, *, email: str | None, by_password: bool) -> None:
        """Sign in to a server by a one-time code that comes by mail, or by password.

        Commands with --server use the session for that server, where no token is named, and renew it. It is kept in
        the system's keyring; where there is none, in a file that only you can read.
        """
        from server.edges.cli.signing_in import sign_in as run

        run(server, email, by_password=by_password)

    @app.command()
    @signed_in_argument
    def logout(server: str | None) -> None:
        """End the session with a server, and forget it."""
        from server.edges.cli.signing_in import sign_out as run

        run(server)

    @app.command()
    @signed_in_argument
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def whoami(server: str | None, *, as_json: bool) -> None:
        """Where you are signed in, as whom, and what each server says of it now.

        Exit code 1: nowhere, or a server does not know the session any more.
        """
        from server.edges.cli.signing_in import show as run

        run(server, as_json=as_json)
