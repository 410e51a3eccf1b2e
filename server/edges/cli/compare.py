"""`flamechat compare A B`: what changed from one trace to another."""

from pathlib import Path
from typing import Literal

import typer

from server.edges.cli.printing import Scope, asking, open_trace, print_json, print_table, where
from traces.analysis.compare import ComparedFunction, compare_traces
from traces.analysis.units import format_share, format_value
from traces.values import Unit


def compare(
    before: Path,
    after: Path,
    scope: Scope,
    *,
    sort_by: Literal["self", "total"],
    absolute: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Print the functions that changed most, normalised to equal totals unless absolute values are asked for."""
    with asking():
        old, new = open_trace(before, scope), open_trace(after, scope)
        found = compare_traces(
            old.trace,
            new.trace,
            profile_before=old.profile,
            profile_after=new.profile,
            sort_by=sort_by,
            limit=limit,
            normalise=not absolute,
            window_before=old.window,
            window_after=new.window,
            value=scope.value,
            frame_filter=old.frame_filter,
        )
    if as_json:
        print_json(found)
        return
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    wholes = (
        f"{format_value(found.whole_before, found.unit)} before, {format_value(found.whole_after, found.unit)} after"
    )
    scaled = "; changes as if both had the first's total" if found.normalised else ""
    rows = [_cells(row, found.unit) for row in found.rows]
    left = found.total_rows - len(rows)
    print_table(
        f"{wholes[0]} before, {wholes[1]} after{scaled}",
        ["", "self change", "self %", "total change", "total %", "function"],
        rows,
        f"… {left} more: --limit" if left else None,
    )


def _cells(row: ComparedFunction, unit: Unit) -> list[str]:
    return [
        row.status if row.status in ("new", "vanished") else "",
        _signed(row.self_change, unit),
        f"{format_share(row.self_share_before)} → {format_share(row.self_share_after)}",
        _signed(row.total_change, unit),
        f"{format_share(row.total_share_before)} → {format_share(row.total_share_after)}",
        where(row.name, row.file, None),
    ]


def _signed(change: float, unit: Unit) -> str:
    return f"+{format_value(change, unit)}" if change > 0 else format_value(change, unit)
