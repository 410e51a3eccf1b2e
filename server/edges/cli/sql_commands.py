"""`flamechat query` and `flamechat schema`: SQL over a trace's tables, or over a server's recordings."""

from pathlib import Path

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import readable_or_stdin, trace_or_stdin


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the commands to the application."""
    from server.edges.cli.server_requests import server_options

    @app.command()
    @click.argument("trace", metavar="TRACE", type=readable_or_stdin, required=False, help="A trace file, or -.")
    @click.argument("sql", required=False, help="One SELECT over the trace's tables (see schema).")
    @click.option("--library", metavar="SQL", help="One SELECT over a server's recordings (lib.traces, lib.functions).")
    @server_options
    @click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
    def query(
        trace: Path | None, sql: str | None, *, library: str | None, server: str, token: str | None, as_json: bool
    ) -> None:
        """Ask a trace, or a server's recordings, with SQL: read-only, in a process of its own, at most 1,000 rows."""
        if library is not None and trace is None:
            from server.edges.cli.asking import ask as ask_server

            question = {"form": "sql", "sql": library}
            return ask_server({"question": question}, server, token, as_json=as_json, chart=None)
        if library is not None or trace is None or sql is None:
            raise click.UsageError("Name a trace and a SELECT, or --library with a SELECT over a server's recordings.")
        from server.edges.cli.query import query as run

        return run(entry_points, trace, sql, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @click.argument("table", required=False, help="One table in full.")
    def schema(trace: Path, table: str | None) -> None:
        """Print the tables that `query` reads, with their columns and an example."""
        from server.edges.cli.query import schema as run

        run(trace, table)
