"""`flamechat teams ...`: the caller's accounts on a server, who is in them, and who is invited."""

import click

from server.edges.cli.entry_points import CliEntryPoints

ROLES = ("viewer", "member", "owner")

account_argument = click.argument("account", metavar="ACCOUNT", help="Its id, as `flamechat teams list` prints it.")


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the group to the application."""
    from server.edges.cli import managing_teams as run
    from server.edges.cli.server_requests import server_options

    @app.group(no_args_is_help=True)
    def teams() -> None:
        """Accounts of several people on a server: yours, who is in them, and who is invited."""

    @teams.command("list")
    @click.argument("account", metavar="[ACCOUNT]", required=False, help="Whose members to list.")
    @server_options
    def list_(*, account: str | None, server: str, token: str | None) -> None:
        """Your accounts: id, your role, name; of one account its members, and for its owners its invitations."""
        if account is None:
            run.list_accounts(server, token)
        else:
            run.list_members(account, server, token)

    @teams.command()
    @click.argument("name", metavar="NAME", help="What it is called.")
    @server_options
    def create(name: str, *, server: str, token: str | None) -> None:
        """Make an account of which you are the owner, and print its id."""
        run.create(name, server, token)

    @teams.command()
    @account_argument
    @click.argument("email", metavar="EMAIL", help="The address that they sign in with.")
    @click.option("--role", type=click.Choice(ROLES), default="member", help="What they may do.")
    @server_options
    def invite(account: str, email: str, *, role: str, server: str, token: str | None) -> None:
        """Invite somebody, and print the link to give to them: it is shown this once, and good once and for 7 days."""
        run.invite(account, email, role, server, token)

    @teams.command()
    @account_argument
    @click.argument("who", metavar="[WHO]", required=False, help="A member or an invitation; else the account goes.")
    @click.option("--with-traces", is_flag=True, help="The account, also while it holds traces; they go too.")
    @click.option("--yes", is_flag=True, help="Do not ask.")
    @server_options
    def remove(account: str, who: str | None, *, with_traces: bool, yes: bool, server: str, token: str | None) -> None:
        """Take a member out or an invitation back; without one, remove the account with all that is in it."""
        if who is not None and with_traces:
            run.refuse_both()
        elif who is not None:
            run.remove_from(account, who, server, token)
        else:
            question = "Remove the account with its conversations and memory? It cannot be undone."
            _ = yes or click.confirm(question, abort=True)
            run.remove(account, server, token, with_traces=with_traces)
