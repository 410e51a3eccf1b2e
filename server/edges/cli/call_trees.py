"""`flamechat tree` and `flamechat callers`: how functions call each other."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.agent.tools.contract.resolving import where_it_runs
from server.edges.cli.printing import amounts, asking, open_trace, print_json, print_table, print_transforms, where
from server.edges.cli.scope import Scope
from server.quoting import plain
from traces.analysis.recorded_edges import Basis
from traces.analysis.units import format_share, format_value

if TYPE_CHECKING:
    from traces.analysis.sandwich import Sandwich

OF_BASIS = {
    Basis.RECORDED: "What each caller and callee has is exact: the file has it.",
    Basis.ESTIMATED: "What each caller and callee has is estimated: the file has no call paths.",
}
INDENTED = 40
"""Deeper nodes say their depth as a number: a line may not walk out of the window."""


def tree(source: Path, scope: Scope, *, root: str | None, max_nodes: int, inverted: bool, as_json: bool) -> None:
    """Print the heaviest part of the call tree, top down or bottom up."""
    from traces.analysis.calltree import call_tree

    with asking():
        opened = open_trace(source, scope, inverts=True)
        if root is not None and not root.lstrip("#").startswith("n"):
            root = f"f{opened.frame(root)}"
        found = call_tree(
            opened.trace,
            **opened.question,
            root=root,
            max_nodes=max_nodes,
            window=opened.window,
            inverted=inverted or opened.inverted,
            frame_filter=opened.frame_filter,
        )
    if as_json:
        print_json(found, opened)
        return
    print_transforms(opened)
    click.echo(f"{found.profile} {plain(opened.chosen.name, 60)}: whole {format_value(found.scope_total, found.unit)}")
    for node in found.nodes:
        depth = "  " * node.depth if node.depth <= INDENTED else "  " * INDENTED + f"[{node.depth}] "
        cut = f" (+{node.hidden_children} more below)" if node.hidden_children else ""
        share = f"{format_share(node.total_share):>6} {format_share(node.self_share):>6}"
        click.echo(f"{share}  {node.handle:>8}  {depth}{where(node.name, node.file, node.line)}{cut}")
    if found.cut_nodes:
        click.echo(f"… {found.cut_nodes} lighter nodes cut: --max-nodes")


def callers(source: Path, frame: str, scope: Scope, *, limit: int, as_json: bool) -> None:
    """Print who calls a function and what it calls."""
    from traces.analysis.sandwich import callers_callees

    with asking():
        opened = open_trace(source, scope)
        index = opened.frame(frame)
        is_open = scope.profile is None and scope.value is None and opened.window is None and not scope.transforms
        elsewhere = where_it_runs(opened.trace, index, opened.chosen) if is_open else None
        if elsewhere is not None and elsewhere[1]:
            click.echo(f"note: {elsewhere[1]}", err=True)
            opened = replace(opened, chosen=elsewhere[0], profile=elsewhere[0].profiles[0].index)
        found = callers_callees(
            opened.trace,
            index,
            **opened.question,
            limit=limit,
            window=opened.window,
            frame_filter=opened.frame_filter,
        )
    if as_json:
        print_json(found, opened)
        return
    print_transforms(opened)
    row, cell = found.frame, amounts(found.unit)
    own, total = " ".join(cell(row.self_value, row.self_share)), " ".join(cell(row.total_value, row.total_share))
    times = "" if row.count is None else f", {row.count:,} {found.counted}"
    click.echo(f"{row.handle} {where(row.name, row.file, row.line)}: self {own}, total {total}{times}")
    if found.basis is not Basis.ADDED_UP:
        click.echo(OF_BASIS[found.basis])
    if found.recursive:
        click.echo(_recursion(found))
    for title, rows, more in (
        ("Callers", found.callers, found.more_callers),
        ("Callees", found.callees, found.more_callees),
    ):
        has_calls = any(r.calls is not None for r in rows)
        cells = [
            [
                r.handle or "-",
                *cell(r.value, r.share),
                *(["" if r.calls is None else f"{r.calls:,}"] if has_calls else []),
                where(r.name, r.file, r.line),
            ]
            for r in rows
        ]
        left = f"… {more} more: --limit" if more else None
        heads = ["handle", "value", "share", *(["calls"] if has_calls else []), ""]
        print_table(f"\n{title}:" if rows else f"\nNo {title.lower()}.", heads, cells, left)


def _recursion(found: "Sandwich") -> str:
    if found.basis is not Basis.RECORDED:
        return "It is recursive: callers are those of its outermost call, callees those of its innermost."
    itself = (
        f"{found.calls_itself:,} of its calls are its own" if found.calls_itself else "it calls itself through others"
    )
    return f"It is recursive: {itself}."
