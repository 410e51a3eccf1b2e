"""The commands that use the application's entry points, with their options: analyze, mcp, serve."""

from pathlib import Path
from typing import Any

import click

from server.edges.cli.command_values import AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import ANY_PATH, EXISTING_FOLDER, FOLDER, trace_argument


def add_commands(app: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the commands to the application."""

    @app.command()
    @trace_argument
    @click.argument("question", default="Why is this slow?", help="What you want to know; default: Why is this slow?")
    @click.option("--out", type=FOLDER, help="Save the pictures in this folder.")
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
    @click.option("--debug-messages", type=FOLDER, help="Write the exact messages of each model call to this folder.")
    @click.option("--model", help="Model name; built-in is the one that needs no key.")
    def analyze(
        trace: Path, question: str, *, out: Path | None, as_json: bool, debug_messages: Path | None, model: str | None
    ) -> None:
        """Ask about a trace: the answer on stdout, what is done on stderr.

        Without OPENAI_API_KEY or FLAMECHAT_MODEL_BASE_URL the built-in analyst answers. Exit code 1: the trace or the
        model failed.
        """
        from server.edges.cli.analyze import analyze as run

        options = AnalyzeOptions(model=model, debug_messages_dir=debug_messages)
        run(entry_points, trace, question, out=out, as_json=as_json, options=options)

    @app.command()
    @click.argument(
        "traces",
        metavar="[TRACE]...",
        nargs=-1,
        type=ANY_PATH,
        help="Trace files; without any the program may open some by path.",
    )
    @click.option(
        "--sources",
        type=EXISTING_FOLDER,
        envvar="FLAMECHAT_SOURCE_DIR",
        show_envvar=True,
        help="Folder for read_source.",
    )
    @click.option(
        "--allow-record",
        is_flag=True,
        help="Let the program run commands of this machine, as you, and record them.",
    )
    def mcp(traces: tuple[Path, ...], *, sources: Path | None, allow_record: bool) -> None:
        """Serve the agent's tools to another program over stdin and stdout (Model Context Protocol)."""
        from server.edges.cli.mcp import mcp as run

        run(entry_points, traces, sources, records=allow_record)

    @app.command()
    @click.option("--host", help="Address to listen on (default 127.0.0.1).")
    @click.option("--port", type=click.IntRange(0, 65535), help="Port (default 8484); 0 picks a free one.")
    @click.option("--data", type=FOLDER, help="Where the database and uploads are kept.")
    @click.option("--open/--no-open", default=None, help="Open the page in a browser.")
    @click.option(
        "--role",
        type=click.Choice(["all", "web", "worker"]),
        help="What this process does: take requests (web), run turns (worker), or both (all, the default).",
    )
    def serve(*, role: str | None, **options: Any) -> None:
        """Start Flamechat on this machine and print its address."""
        raise click.exceptions.Exit(entry_points.serve(ServeOptions(role=role, **options)))
