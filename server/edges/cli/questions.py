"""The commands that ask one question of a trace, with their options; each prints a table, or JSON with `--json`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.scope import Scope, scoped
from server.edges.cli.shared_options import ANY_PATH, POSITIVE, trace_or_stdin
from server.edges.cli.transform_options import transforming

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

filter_option = click.option("--filter", "pattern", help="Only names or files that have this.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: values in nanoseconds, bytes or counts."
)
sort_option = click.option("--sort", type=click.Choice(("self", "total")), default="self", help="By which value.")


def limit_option(rows: int) -> Callable[[Decorated], Decorated]:
    """The option `--limit` with its default."""
    return click.option("--limit", type=POSITIVE, default=rows, help="Rows at most.")


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the commands to the application."""

    @app.command()
    @trace_or_stdin
    @scoped()
    @json_option
    def summary(trace: Path, *, scope: Scope, as_json: bool) -> None:
        """Say what a trace is, which functions are heaviest and what stands out."""
        from server.edges.cli.summary import summary as run

        run(trace, scope, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @sort_option
    @click.option("--limit", type=POSITIVE, help="Rows; default: 30, as JSON all.")
    @filter_option
    @transforming()
    @scoped("hide")
    @json_option
    def functions(
        trace: Path,
        *,
        sort: Literal["self", "total"],
        limit: int | None,
        pattern: str | None,
        scope: Scope,
        as_json: bool,
    ) -> None:
        """Rank functions by self or total, with counts and what single calls took."""
        from server.edges.cli.functions import functions as run

        run(trace, scope, sort_by=sort, limit=limit, pattern=pattern, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @click.argument("pattern", help="Part of a name or file.")
    @click.option("--regex", is_flag=True, help="The pattern is a regular expression.")
    @limit_option(20)
    @transforming()
    @scoped("hide")
    @json_option
    def find(trace: Path, pattern: str, *, regex: bool, limit: int, scope: Scope, as_json: bool) -> None:
        """Find functions by name or file."""
        from server.edges.cli.functions import find as run

        run(trace, pattern, scope, regex=regex, limit=limit, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @click.option("--root", help="Start at this function or node (n12).")
    @click.option("--max-nodes", type=POSITIVE, default=60, help="Nodes at most.")
    @click.option("--inverted", is_flag=True, help="Bottom up: functions first, then callers.")
    @transforming(inverts=True)
    @scoped("hide")
    @json_option
    def tree(trace: Path, *, root: str | None, max_nodes: int, inverted: bool, scope: Scope, as_json: bool) -> None:
        """Print the heaviest part of the call tree: total and self share, handle, function."""
        from server.edges.cli.call_trees import tree as run

        run(trace, scope, root=root, max_nodes=max_nodes, inverted=inverted, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @click.argument("frame", help="Function: handle (f12) or exact name.")
    @limit_option(15)
    @transforming()
    @scoped("hide")
    @json_option
    def callers(trace: Path, frame: str, *, limit: int, scope: Scope, as_json: bool) -> None:
        """Say who calls a function and what it calls."""
        from server.edges.cli.call_trees import callers as run

        run(trace, frame, scope, limit=limit, as_json=as_json)

    _add_questions_of_time(app)
    _add_comparisons(app)


def _add_questions_of_time(app: click.Group) -> None:
    @app.command()
    @trace_or_stdin
    @click.option("--length-ms", type=float, help="Window length; default: a twentieth of all.")
    @click.option("--frame", help="When was this function hottest.")
    @limit_option(5)
    @scoped()
    @json_option
    def windows(
        trace: Path, *, length_ms: float | None, frame: str | None, limit: int, scope: Scope, as_json: bool
    ) -> None:
        """Find the windows in which most happened, or most of one function."""
        from server.edges.cli.time_questions import windows as run

        run(trace, scope, length_ms=length_ms, frame=frame, limit=limit, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @filter_option
    @click.option("--outermost", is_flag=True, help="Only calls that nothing shown called.")
    @limit_option(15)
    @scoped("value")
    @json_option
    def spans(trace: Path, *, pattern: str | None, outermost: bool, limit: int, scope: Scope, as_json: bool) -> None:
        """List the longest single calls."""
        from server.edges.cli.time_questions import spans as run

        run(trace, scope, pattern=pattern, outermost=outermost, limit=limit, as_json=as_json)


def _add_comparisons(app: click.Group) -> None:
    @app.command()
    @trace_or_stdin
    @click.argument("name", required=False, help="One finding, with what to try.")
    @click.option("--before", type=ANY_PATH, help="An earlier trace: what got slower.")
    @click.option("--all", "everything", is_flag=True, help="Also what is not there, or cannot be told.")
    @json_option
    def insights(trace: Path, name: str | None, *, before: Path | None, everything: bool, as_json: bool) -> None:
        """Say what stands out, worst first, by rule."""
        from server.edges.cli.insights import insights as run

        run(trace, name=name, before=before, everything=everything, as_json=as_json)

    @app.command()
    @click.argument("before", type=ANY_PATH, required=False, help="The first trace.")
    @click.argument("after", type=ANY_PATH, required=False, help="The second trace.")
    @click.option(
        "--before", "more_before", type=ANY_PATH, multiple=True, help="A run before; repeat it for each. With --after."
    )
    @click.option("--after", "more_after", type=ANY_PATH, multiple=True, help="A run after; repeat it.")
    @sort_option
    @click.option("--absolute", is_flag=True, help="Compare values as they are, not shares.")
    @limit_option(30)
    @scoped()
    @json_option
    def compare(
        before: Path | None,
        after: Path | None,
        *,
        more_before: tuple[Path, ...],
        more_after: tuple[Path, ...],
        sort: Literal["self", "total"],
        absolute: bool,
        limit: int,
        scope: Scope,
        as_json: bool,
    ) -> None:
        """Say which functions changed most from one trace to another, or from several runs to several (with a
        test: --before a --before b ... --after c --after d ...)."""
        from server.edges.cli.compare import compare_given as run

        runs = (before, *more_before), (after, *more_after)
        run(*runs, scope, sort_by=sort, absolute=absolute, limit=limit, as_json=as_json)

    @app.command()
    @trace_or_stdin
    @click.option(
        "--to",
        required=True,
        type=click.Choice(("speedscope", "chrome", "collapsed", "pprof")),
        help="The file's format.",
    )
    @click.option("--output", "-o", required=True, type=ANY_PATH, help="The file to write; - is stdout.")
    @click.option("--profile", default="all", help="Handle, number or name; all keeps or adds up all.")
    def convert(
        trace: Path, *, to: Literal["speedscope", "chrome", "collapsed", "pprof"], output: Path, profile: str
    ) -> None:
        """Write the trace as another tool's file."""
        from server.edges.cli.convert import convert as run

        run(trace, to, profile, output)
