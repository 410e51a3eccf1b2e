"""The commands that use the application's entry points, with their options: analyze, query, schema, mcp, serve."""

from pathlib import Path
from typing import Annotated

import typer

from server.edges.cli.entry_points import AnalyzeOptions, CliEntryPoints, ServeOptions
from server.edges.cli.shared_options import TraceArgument, TraceOrStdin


def add_commands(app: typer.Typer, entry_points: CliEntryPoints) -> None:
    """Add the commands to the application."""

    @app.command()
    def analyze(
        trace: TraceArgument,
        question: Annotated[str, typer.Argument(help="What you want to know.")] = "Why is this slow?",
        *,
        out: Annotated[Path | None, typer.Option(file_okay=False, help="Save the pictures in this folder.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")] = False,
        debug_messages: Annotated[
            Path | None,
            typer.Option(file_okay=False, help="Write the exact messages of each model call to this folder."),
        ] = None,
        model: Annotated[str | None, typer.Option(help="Model name; built-in is the one that needs no key.")] = None,
    ) -> None:
        """Ask about a trace: the answer on stdout, what is done on stderr.

        Without OPENAI_API_KEY or FLAMECHAT_MODEL_BASE_URL the built-in analyst answers. Exit code 1: the trace or the
        model failed.
        """
        from server.edges.cli.analyze import analyze as run

        options = AnalyzeOptions(model=model, debug_messages_dir=debug_messages)
        run(entry_points, trace, question, out=out, as_json=as_json, options=options)

    @app.command()
    def query(
        trace: TraceOrStdin,
        sql: Annotated[str, typer.Argument(help="One SELECT over the trace's tables (see schema).")],
        *,
        as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    ) -> None:
        """Ask a trace with SQL: read-only, in a process of its own, at most 1,000 rows."""
        from server.edges.cli.query import query as run

        run(entry_points, trace, sql, as_json=as_json)

    @app.command()
    def mcp(
        traces: Annotated[
            list[Path] | None,
            typer.Argument(metavar="[TRACE]...", help="Trace files; without any the program may open some by path."),
        ] = None,
        *,
        sources: Annotated[
            Path | None,
            typer.Option(exists=True, file_okay=False, envvar="FLAMECHAT_SOURCE_DIR", help="Folder for read_source."),
        ] = None,
    ) -> None:
        """Serve the agent's tools to another program over stdin and stdout (Model Context Protocol)."""
        from server.edges.cli.mcp import mcp as run

        run(entry_points, traces or (), sources)

    @app.command()
    def schema(
        trace: TraceOrStdin, table: Annotated[str | None, typer.Argument(help="One table in full.")] = None
    ) -> None:
        """Print the tables that `query` reads, with their columns and an example."""
        from server.edges.cli.query import schema as run

        run(trace, table)

    @app.command()
    def serve(
        host: Annotated[str | None, typer.Option(help="Address to listen on (default 127.0.0.1).")] = None,
        port: Annotated[
            int | None, typer.Option(min=0, max=65535, help="Port (default 8484); 0 picks a free one.")
        ] = None,
        data: Annotated[
            Path | None, typer.Option(file_okay=False, help="Where the database and uploads are kept.")
        ] = None,
        open_: Annotated[bool | None, typer.Option("--open/--no-open", help="Open the page in a browser.")] = None,
    ) -> None:
        """Start Flamechat on this machine and print its address."""
        raise typer.Exit(entry_points.serve(ServeOptions(host=host, port=port, data=data, open=open_)))
