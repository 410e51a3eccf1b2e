"""`flamechat compare A B`: what changed from one trace to another, or from several runs to several."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import click

from server.edges.cli.printing import asking, open_trace, print_json, print_table, where
from server.edges.cli.reading import MISUSED, UNDECIDABLE, fail
from server.edges.cli.scope import Scope
from traces.analysis.compare import ComparedFunction, Comparison, compare_traces
from traces.analysis.runs import RunComparison, compare_runs
from traces.analysis.units import format_share, format_value
from traces.values import Unit


def compare_given(
    before: Sequence[Path | None],
    after: Sequence[Path | None],
    scope: Scope,
    *,
    sort_by: Literal["self", "total"],
    absolute: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Compare one trace with one, or several runs with several."""
    old, new = ([run for run in runs if run is not None] for runs in (before, after))
    if not old or not new:
        fail("compare needs a trace before and one after", MISUSED)
    if len(old) == len(new) == 1:
        compare(old[0], new[0], scope, sort_by=sort_by, absolute=absolute, limit=limit, as_json=as_json)
    else:
        compare_several(old, new, scope, sort_by=sort_by, absolute=absolute, limit=limit, as_json=as_json)


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
    if not _shown(found, as_json=as_json):
        return
    totals = [format_value(total, found.unit) for total in (found.scope_total_before, found.scope_total_after)]
    scaled = "; changes as if both had the first's total" if found.normalised else ""
    rows = [_cells(row, found.unit) for row in found.rows]
    left = found.total_rows - len(rows)
    print_table(
        f"{totals[0]} before, {totals[1]} after{scaled}",
        ["", "self change", "self %", "total change", "total %", "function"],
        rows,
        f"… {left} more: --limit" if left else None,
    )


def _shown(found: Comparison | RunComparison, *, as_json: bool) -> bool:
    """Print what is no table: all of it as JSON, or the notes. Whether a table is to follow; recordings of several
    programs end the command with a code of their own instead."""
    if as_json:
        print_json(found)
    if not found.is_related:
        fail(found.notes[0], UNDECIDABLE)
    if not as_json:
        for note in found.notes:
            click.echo(f"note: {note}", err=True)
    return not as_json


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


def compare_several(
    before: Sequence[Path],
    after: Sequence[Path],
    scope: Scope,
    *,
    sort_by: Literal["self", "total"],
    absolute: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Print the functions whose median changed most between runs, with a test and the size of the effect."""
    with asking():
        old = [open_trace(run, scope) for run in before]
        new = [open_trace(run, scope) for run in after]
        found = compare_runs(
            [run.trace for run in old],
            [run.trace for run in new],
            profile_before=old[0].profile,
            profile_after=new[0].profile,
            sort_by=sort_by,
            limit=limit,
            normalise=not absolute,
            windows=[run.window for run in (*old, *new)],
            value=scope.value,
            frame_filter=old[0].frame_filter,
        )
    if not _shown(found, as_json=as_json):
        return
    unit, total = found.unit, found.scope_total
    shown = format_share if found.normalised else partial(format_value, unit=unit)
    rows = [
        [
            f"{shown(row.median_before)} → {shown(row.median_after)}",
            f"{row.delta:+.2f} {row.size}",
            _p(row.p),
            _p(row.adjusted_p),
            where(row.name or "", row.file, None),
        ]
        for row in found.rows
    ]
    left = found.total_rows - len(rows)
    print_table(
        f"{len(before)} runs before, {len(after)} after; whole {format_value(total.median_before, unit)} → "
        f"{format_value(total.median_after, unit)}, delta {total.delta:+.2f} ({total.size}), p {_p(total.p)}; "
        f"medians of {sort_by} {'shares' if found.normalised else 'values'}",
        ["median", "Cliff's delta", "p", "adjusted p", "function"],
        rows,
        f"… {left} more: --limit" if left else None,
    )


def _p(p: float | None) -> str:
    return "-" if p is None else f"{p:.2g}"
