"""`flamechat gates ...`: gates that a server keeps, made, listed and removed by a person, and what they found."""

import click

from server.edges.cli.entry_points import CliEntryPoints


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the group to the application."""
    from server.edges.cli.server_requests import server_options

    json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    gate_argument = click.argument("gate", metavar="GATE", help="Its name or id, as the list shows them.")

    @app.group(no_args_is_help=True)
    def gates() -> None:
        """Gates that a server keeps: rules that judge each upload with some labels."""

    @gates.command()
    @click.argument("name", metavar="NAME", help="By which you know it again.")
    @click.option("--rule", "rules", metavar="RULE", multiple=True, required=True, help="As of `flamechat gate`.")
    @click.option("--baseline", metavar="LABELS", required=True, help="The runs before, such as branch:main.")
    @click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="Of the uploads that are judged.")
    @click.option("--last", type=click.IntRange(1, 100), default=10, help="How many runs before, the newest.")
    @click.option("--single-run", metavar="25%", help="With too few runs for a test, break on growth above this.")
    @click.option("--webhook", metavar="URL", help="Where each result is reported; its secret is printed this once.")
    @server_options
    @json_option
    def create(
        name: str,
        *,
        rules: tuple[str, ...],
        baseline: str,
        labels: tuple[str, ...],
        last: int,
        single_run: str | None,
        webhook: str | None,
        server: str,
        token: str | None,
        as_json: bool,
    ) -> None:
        """Keep a gate: from now on each upload that it means is judged, soon after it."""
        from server.edges.cli.keeping_gates import create as run

        wish = {"name": name, "rules": rules, "lastRuns": last, "singleRun": single_run, "webhookUrl": webhook}
        run(wish, baseline, labels, server, token, as_json=as_json)

    @gates.command("list")
    @server_options
    @json_option
    def list_(*, server: str, token: str | None, as_json: bool) -> None:
        """The gates of your account, by name."""
        from server.edges.cli.keeping_gates import list_all as run

        run(server, token, as_json=as_json)

    @gates.command()
    @click.argument("gate", metavar="[GATE]", required=False, help="Its name or id; without it, of all.")
    @click.option("--last", type=click.IntRange(1, 500), default=20, help="How many, the newest.")
    @server_options
    @json_option
    def results(gate: str | None, *, last: int, server: str, token: str | None, as_json: bool) -> None:
        """What came of uploads, the newest first: id, when, outcome, gate, and the address of the run."""
        from server.edges.cli.keeping_gates import list_results as run

        run(gate, last, server, token, as_json=as_json)

    @gates.command()
    @gate_argument
    @server_options
    def remove(gate: str, *, server: str, token: str | None) -> None:
        """Remove a gate, with what it found."""
        from server.edges.cli.keeping_gates import remove as run

        run(gate, server, token)
