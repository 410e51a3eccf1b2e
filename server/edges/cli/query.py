"""`flamechat query TRACE SQL` and `flamechat schema`: SQL over a trace's tables."""

import asyncio
from pathlib import Path

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.printing import print_json, print_table
from server.edges.cli.reading import MISUSED, fail, progress, read_or_fail

WIDEST_CELL = 80


def query(entry_points: CliEntryPoints, source: Path, sql: str, *, as_json: bool) -> None:
    """Print the rows of one SELECT, as a table or as JSON; without a statement the tables."""
    from server.agent.tools.contract.query_summary import cell_text
    from server.agent.tools.query_trace import refusal
    from server.errors import WorkerFailed
    from server.ports.traces import SqlRefused

    trace = read_or_fail(source)
    workers = entry_points.workers()
    try:
        with progress("Querying"):
            found = asyncio.run(workers.query(workers.hold(trace), sql, upload=source))
    except SqlRefused as refused:
        fail(refusal(refused), MISUSED)
    except WorkerFailed as error:
        fail(str(error))
    names = [column.name for column in found.columns]
    if as_json:
        print_json(
            {"columns": names, "rows": [list(row) for row in found.rows], "more": found.more, "note": found.note}
        )
        return
    rows = [[_cell(cell_text(name, cell)) for name, cell in zip(names, row, strict=True)] for row in found.rows]
    count = f"more than {len(rows):,}" if found.more else f"{len(rows):,}"
    print_table(f"{count} rows", names, rows, "… the rest was not read: LIMIT or aggregate" if found.more else None)
    if found.note:
        click.echo(found.note, err=True)


def schema(source: Path, table: str | None) -> None:
    """Print the tables that a query can read, or the columns of one."""
    from server.agent.tools.query_trace import GetSchema, answer_schema
    from server.edges.cli.printing import asking

    with asking():
        click.echo(answer_schema(read_or_fail(source), GetSchema(table=table)).text)


def _cell(value: str | float | None) -> str:
    text = "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"
