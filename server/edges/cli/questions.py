"""The commands that ask one question of a trace, with their options; each prints a table, or JSON with `--json`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.scope import Scope, scoped
from server.edges.cli.shared_options import TraceOrStdin

LimitOption = Annotated[int, typer.Option("--limit", min=1, help="Rows at most.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON: values in nanoseconds, bytes or counts.")]
SortOption = Annotated[Literal["self", "total"], typer.Option("--sort", help="By which value.")]


def add_commands(app: typer.Typer, _: CliEntryPoints) -> None:
    """Add the commands to the application."""

    @app.command()
    @scoped()
    def summary(trace: TraceOrStdin, *, scope: Scope, as_json: JsonOption = False) -> None:
        """Say what a trace is, which functions are heaviest and what stands out."""
        from server.edges.cli.summary import summary as run

        run(trace, scope, as_json=as_json)

    @app.command()
    @scoped()
    def functions(
        trace: TraceOrStdin,
        *,
        sort: SortOption = "self",
        limit: Annotated[int | None, typer.Option(min=1, help="Rows; default: 30, as JSON all.")] = None,
        pattern: Annotated[str | None, typer.Option("--filter", help="Only names or files that have this.")] = None,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Rank functions by self or total, with counts and what single calls took."""
        from server.edges.cli.functions import functions as run

        run(trace, scope, sort_by=sort, limit=limit, pattern=pattern, as_json=as_json)

    @app.command()
    @scoped()
    def find(
        trace: TraceOrStdin,
        pattern: Annotated[str, typer.Argument(help="Part of a name or file.")],
        *,
        regex: Annotated[bool, typer.Option("--regex", help="The pattern is a regular expression.")] = False,
        limit: LimitOption = 20,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Find functions by name or file."""
        from server.edges.cli.functions import find as run

        run(trace, pattern, scope, regex=regex, limit=limit, as_json=as_json)

    @app.command()
    @scoped()
    def tree(
        trace: TraceOrStdin,
        *,
        root: Annotated[str | None, typer.Option(help="Start at this function or node (n12).")] = None,
        max_nodes: Annotated[int, typer.Option(min=1, help="Nodes at most.")] = 60,
        inverted: Annotated[bool, typer.Option("--inverted", help="Bottom up: functions first, then callers.")] = False,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Print the heaviest part of the call tree: total and self share, handle, function."""
        from server.edges.cli.call_trees import tree as run

        run(trace, scope, root=root, max_nodes=max_nodes, inverted=inverted, as_json=as_json)

    @app.command()
    @scoped()
    def callers(
        trace: TraceOrStdin,
        frame: Annotated[str, typer.Argument(help="Function: handle (f12) or exact name.")],
        *,
        limit: LimitOption = 15,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Say who calls a function and what it calls."""
        from server.edges.cli.call_trees import callers as run

        run(trace, frame, scope, limit=limit, as_json=as_json)

    @app.command()
    @scoped()
    def windows(
        trace: TraceOrStdin,
        *,
        length_ms: Annotated[float | None, typer.Option(help="Window length; default: a twentieth of all.")] = None,
        frame: Annotated[str | None, typer.Option(help="When was this function hottest.")] = None,
        limit: LimitOption = 5,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Find the windows in which most happened, or most of one function."""
        from server.edges.cli.time_questions import windows as run

        run(trace, scope, length_ms=length_ms, frame=frame, limit=limit, as_json=as_json)

    @app.command()
    @scoped("value")
    def spans(
        trace: TraceOrStdin,
        *,
        pattern: Annotated[str | None, typer.Option("--filter", help="Only names or files that have this.")] = None,
        outermost: Annotated[bool, typer.Option("--outermost", help="Only calls that nothing shown called.")] = False,
        limit: LimitOption = 15,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """List the longest single calls."""
        from server.edges.cli.time_questions import spans as run

        run(trace, scope, pattern=pattern, outermost=outermost, limit=limit, as_json=as_json)

    _add_comparisons(app)


def _add_comparisons(app: typer.Typer) -> None:
    @app.command()
    def insights(
        trace: TraceOrStdin,
        name: Annotated[str | None, typer.Argument(help="One finding, with what to try.")] = None,
        *,
        before: Annotated[Path | None, typer.Option(help="An earlier trace: what got slower.")] = None,
        everything: Annotated[bool, typer.Option("--all", help="Also what is not there, or cannot be told.")] = False,
        as_json: JsonOption = False,
    ) -> None:
        """Say what stands out, worst first, by rule."""
        from server.edges.cli.insights import insights as run

        run(trace, name=name, before=before, everything=everything, as_json=as_json)

    @app.command()
    @scoped()
    def compare(
        before: Annotated[Path | None, typer.Argument(help="The first trace.")] = None,
        after: Annotated[Path | None, typer.Argument(help="The second trace.")] = None,
        *,
        more_before: Annotated[
            list[Path] | None, typer.Option("--before", help="A run before; repeat it for each. With --after.")
        ] = None,
        more_after: Annotated[list[Path] | None, typer.Option("--after", help="A run after; repeat it.")] = None,
        sort: SortOption = "self",
        absolute: Annotated[bool, typer.Option("--absolute", help="Compare values as they are, not shares.")] = False,
        limit: LimitOption = 30,
        scope: Scope,
        as_json: JsonOption = False,
    ) -> None:
        """Say which functions changed most from one trace to another, or from several runs to several (with a
        test: --before a --before b ... --after c --after d ...)."""
        from server.edges.cli.compare import compare_given as run

        runs = (before, *(more_before or ())), (after, *(more_after or ()))
        run(*runs, scope, sort_by=sort, absolute=absolute, limit=limit, as_json=as_json)

    @app.command()
    def convert(
        trace: TraceOrStdin,
        *,
        to: Annotated[Literal["speedscope", "chrome", "collapsed", "pprof"], typer.Option(help="The file's format.")],
        output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; - is stdout.")],
        profile: Annotated[str, typer.Option(help="Handle, number or name; all keeps or adds up all.")] = "all",
    ) -> None:
        """Write the trace as another tool's file."""
        from server.edges.cli.convert import convert as run

        run(trace, to, profile, output)
