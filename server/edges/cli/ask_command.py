"""`flamechat ask`: questions over the many recordings of a server."""

from pathlib import Path

import click

from server.edges.cli.entry_points import CliEntryPoints


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the command to the application."""
    from server.edges.cli.server_requests import server_options

    @app.command()
    @click.argument("question", help="In words, or a question as --json shows it.")
    @click.option("--program", help="Whose recordings are meant, where there are several programs.")
    @click.option("--trace", metavar="ID", help="The recording that is meant where the question names no others.")
    @server_options
    @click.option("--json", "as_json", is_flag=True, help="Print the answer with the question that was run as JSON.")
    @click.option("--chart", type=click.Path(path_type=Path), help="Draw the answer's chart into this file, as PNG.")
    def ask(
        question: str,
        *,
        program: str | None,
        trace: str | None,
        server: str,
        token: str | None,
        as_json: bool,
        chart: Path | None,
    ) -> None:
        """Ask a server about many recordings: "since when is matchTrades slow", "read by release", "main against x".

        It knows: since when, over the last 20 runs, by release; does a finding come back, how often; one branch or
        release against another; how many calls of f reach g, then h; SQL over lib.functions and its kin. Exit
        code 1: the server refuses, and says what is missing.
        """
        from server.edges.cli.asking import ask as run

        asked = {"text": question, "program": program, "traceId": trace}
        run(asked, server, token, as_json=as_json, chart=chart)
