"""`flamechat upload`: recordings to a server, with labels that say what run they are of."""

from pathlib import Path

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import EXISTING_FILE


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the command to the application."""
    from server.edges.cli.server_requests import server_options

    @app.command()
    @click.argument("files", metavar="FILE...", nargs=-1, required=True, type=EXISTING_FILE, help="Trace files.")
    @click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="Such as branch=main; repeat it.")
    @server_options
    @click.option("--json", "as_json", is_flag=True, help="Print a JSON document a file, one a line.")
    def upload(
        files: tuple[Path, ...], *, labels: tuple[str, ...], server: str, token: str | None, as_json: bool
    ) -> None:
        """Send recordings to a server and print the address of each.

        Labels say what run they are of: program, branch, commit, release, scenario and others. `flamechat ask` and the
        page find and compare runs by them.
        """
        from server.edges.cli.sending import upload as run

        run(files, labels, server, token, as_json=as_json)
