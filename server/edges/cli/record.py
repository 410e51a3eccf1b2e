"""`flamechat record -- COMMAND`: the recording, then the built-in analyst's answer, on stderr: stdout is the
command's own.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import NoReturn

import click
from click.exceptions import Exit

from server.edges.cli.command_values import AnalyzeOptions, ListedRecorder, Recorded, RecordOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import MISUSED, fail, remark
from server.errors import CannotRecord, ConfigError
from server.quoting import visible

QUESTIONS = {
    "cpu": "Why is this slow?",
    "wall": "Why is this slow?",
    "memory": "What allocates the most memory?",
    "locks": "Which locks are waited for?",
}
"""By what was recorded."""

BUILT_IN = "built-in"
"""A recording stays on this machine: no provider's model is asked about it, whatever the settings say."""


def record(
    entry_points: CliEntryPoints, options: RecordOptions, *, question: str | None, answered: bool, runs: int = 1
) -> NoReturn:
    """Record, answer of the last run on stderr, and end with the command's exit code. A run that fails, or leaves no
    recording, is the last one."""
    first, kept = None, []
    for number in range(1, runs + 1):
        if runs > 1:
            remark(f"run {number} of {runs}")
        recorded = _recorded(entry_points, options)
        first = first or recorded
        if recorded.problem is not None:
            remark(recorded.problem)
        if recorded.file is not None:
            kept.append(recorded.file)
        if recorded.exit_code or recorded.file is None:
            break
    if kept:
        if answered:
            _answer(entry_points, kept[-1], question or QUESTIONS[options.what])
        if first is not None and first.before is not None:
            _compare(first.before, kept)
        for file in kept:
            click.echo(f"· kept: {visible(str(file))}", err=True)
    raise Exit(recorded.exit_code)


def _recorded(entry_points: CliEntryPoints, options: RecordOptions) -> Recorded:
    try:
        return entry_points.record(options, remark)
    except CannotRecord as error:
        fail(str(error), error.exit_code)
    except ConfigError as error:
        fail(str(error), MISUSED)


@contextmanager
def _on_stderr() -> Iterator[None]:
    """What a command prints as its answer goes to stderr, and its own end does not end this one."""
    with redirect_stdout(sys.stderr), suppress(Exit):
        yield


def _answer(entry_points: CliEntryPoints, file: Path, question: str) -> None:
    from server.edges.cli.analyze import analyze

    with _on_stderr():
        options = AnalyzeOptions(model=BUILT_IN, debug_messages_dir=None)
        analyze(entry_points, file, question, out=file.parent, as_json=False, options=options)


def _compare(before: Path, runs: Sequence[Path]) -> None:
    from server.edges.cli.compare import compare, compare_several
    from server.edges.cli.scope import Scope

    with _on_stderr():
        click.echo(f"\nCompared with {visible(before.parent.name)}:")
        if len(runs) == 1:
            compare(before, runs[0], Scope(), sort_by="self", absolute=True, limit=10, as_json=False)
        else:
            compare_several([before], runs, Scope(), sort_by="self", absolute=True, limit=10, as_json=False)


def print_recorders(recorders: Sequence[ListedRecorder]) -> None:
    """A line for each: here or not, what it records, why it is taken before those below it."""
    width = max((len(one.name) for one in recorders), default=0)
    for of in dict.fromkeys(one.of for one in recorders):
        click.echo(of)
        for one in recorders:
            if one.of != of:
                continue
            found = "here" if one.problem is None else one.problem
            kinds = ", ".join(one.records)
            click.echo(visible(f"  {one.name:{width}}  {kinds}: {one.merit}"))
            click.echo(visible(f"  {'':{width}}  {found}"))
