"""`flamechat functions` and `flamechat find`: which functions take how much."""

from pathlib import Path
from typing import Literal

from server.edges.cli.printing import (
    Opened,
    amounts,
    asking,
    open_trace,
    print_json,
    print_table,
    print_transforms,
    where,
)
from server.edges.cli.scope import Scope
from server.quoting import plain
from traces.analysis.functions import FunctionRow, FunctionTable, top_functions
from traces.analysis.units import format_value
from traces.values import Unit

SHOWN = 30
"""Rows that people get by default; JSON has all."""


def functions(
    source: Path,
    scope: Scope,
    *,
    sort_by: Literal["self", "total"],
    limit: int | None,
    pattern: str | None,
    as_json: bool,
) -> None:
    """Print the functions, heaviest first."""
    with asking():
        opened = open_trace(source, scope)
        table = top_functions(
            opened.trace,
            **opened.question,
            sort_by=sort_by,
            limit=limit if limit is not None else len(opened.trace.frames) if as_json else SHOWN,
            window=opened.window,
            pattern=pattern,
            frame_filter=opened.frame_filter,
            durations=True,
        )
    if as_json:
        print_json(table, opened)
        return
    print_transforms(opened)
    unit = table.unit
    head = f"{_asked(opened)}: {table.total_rows} functions by {sort_by}, whole {format_value(table.scope_total, unit)}"
    if table.hidden:
        head += f", {format_value(table.hidden, unit)} of it in no function that is shown"
    _print_rows(head, table, unit)


def find(source: Path, pattern: str, scope: Scope, *, regex: bool, limit: int, as_json: bool) -> None:
    """Print the frames whose name or file matches, heaviest first."""
    from traces.analysis.find import find_frames

    with asking():
        opened = open_trace(source, scope)
        found = find_frames(
            opened.trace,
            pattern,
            regex=regex,
            limit=limit,
            **opened.question,
            window=opened.window,
            frame_filter=opened.frame_filter,
        )
    if as_json:
        print_json(found, opened)
        return
    print_transforms(opened)
    rows = [_cells(row, found.unit) for row in found.rows]
    if found.counted is None:
        _leave_counts_out(rows)
    left = found.total_matches - len(found.rows)
    print_table(
        f"{_asked(opened)}: {found.total_matches} frames match",
        columns_of(found.counted),
        rows,
        f"… {left} more, lighter ones" if left else None,
    )


FIRST = ["handle", "self", "self %", "total", "total %"]
FUNCTION = "function"
CALLS = ["least", "median", "p99"]


def columns_of(counted: str | None) -> list[str]:
    """The titles: what is counted stands by its name, and is left out where nothing is."""
    return [*FIRST, *([] if counted is None else [counted]), FUNCTION]


def _leave_counts_out(rows: list[list[str]]) -> None:
    for cells in rows:
        del cells[len(FIRST)]


def _print_rows(head: str, table: FunctionTable, unit: Unit) -> None:
    timed = any(row.durations for row in table.rows)
    columns = columns_of(table.counted)
    columns[-1:] = [*(CALLS if timed else []), FUNCTION]
    rows = []
    for row in table.rows:
        cells = _cells(row, unit)
        if timed:
            calls = row.durations
            took = [format_value(v, unit) for v in (calls.least, calls.median, calls.p99)] if calls else ["", "", ""]
            cells[-1:] = [*took, cells[-1]]
        rows.append(cells)
    if table.counted is None:
        _leave_counts_out(rows)
    left = table.total_rows - len(table.rows)
    print_table(head, columns, rows, f"… {left} more: --limit" if left else None)


def _cells(row: FunctionRow, unit: Unit) -> list[str]:
    cell = amounts(unit)
    own, total = cell(row.self_value, row.self_share), cell(row.total_value, row.total_share)
    return [
        row.handle,
        *own,
        *total,
        "" if row.count is None else f"{row.count:,}",
        where(row.name, row.file, row.line),
    ]


def _asked(opened: Opened) -> str:
    return f"{opened.chosen.handle} {plain(opened.chosen.name, 60)}"
