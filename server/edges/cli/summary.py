"""`flamechat summary TRACE`: what the trace is and what stands out, without a model."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from server.edges.cli.printing import asking, open_trace, print_json
from server.edges.cli.scope import Scope
from traces.analysis.counters import CounterSeries, counter_series
from traces.analysis.functions import FunctionTable
from traces.losses import lost_calls
from traces.values import Counts, Order, Unit

if TYPE_CHECKING:
    from traces.analysis.summary import ProfileSummary

HEAVIEST = 10
"""Functions of each profile in the JSON, by self and by total."""


def summary(source: Path, scope: Scope, *, as_json: bool) -> None:
    """Print the summary, first findings and the five heaviest functions of what is asked about.

    JSON has the ten heaviest of each profile, and under `asked` those of what is asked about where that is narrower.
    """
    from traces.analysis.functions import top_functions
    from traces.analysis.summary import summarise

    with asking():
        opened = open_trace(source, scope)
        trace = opened.trace
        asked = partial(top_functions, trace, **opened.question, window=opened.window, frame_filter=opened.frame_filter)
        table = asked(sort_by="self", limit=5)
    if as_json:
        said = summarise(trace).as_json()
        for index, profile in enumerate(said["profiles"]):
            profile.update(_heaviest(partial(top_functions, trace, profile=index)))
        if scope != Scope():
            said["asked"] = {"profile": opened.chosen.handle, **_heaviest(asked)}
        said["counters"] = [asdict(series) for series in counter_series(trace)]
        print_json(said)
        return
    from server.agent.opening import opening
    from server.quoting import plain

    first = opening(trace)
    click.echo(first.summary)
    answer = summarise(trace)
    for profile in answer.profiles[:10]:
        click.echo(f"  {profile.handle} {plain(profile.name, 60)}: {_amounts(profile)}")
    if len(answer.profiles) > 10:
        click.echo(f"  … {len(answer.profiles) - 10} more profiles")
    of_what = "" if scope == Scope() else f" of {opened.chosen.handle} {plain(opened.chosen.name, 60)}"
    _print_functions(table, of_what, lost_calls(trace, opened.chosen.profiles))
    levels = counter_series(trace)
    for title, lines in (
        ("Counters", [_levels(series, plain(series.name, 60)) for series in levels[:HEAVIEST]]),
        ("First findings", first.findings),
        ("Keep in mind", [plain(w.text, 300) + w.often for w in answer.warnings]),
    ):
        if lines:
            click.echo(f"\n{title}:")
            for line in lines:
                click.echo(f"  - {line}")


def _amounts(profile: "ProfileSummary") -> str:
    """How much a profile holds, and how its time was spent."""
    from traces.analysis.summary import time_shares
    from traces.analysis.units import format_value

    amount = format_value(profile.total, profile.unit)
    if profile.order is not Order.TIME:
        kind = f"sums per stack without times, {amount}"
    elif profile.busy is None:
        kind = f"{profile.kind}, {amount} in all"
    else:
        busy = format_value(profile.busy, Unit.NANOSECONDS)
        kind = f"{profile.kind}, {busy} busy{''.join(f', {part}' for part in time_shares(profile))}"
    return kind if profile.count is None else f"{kind}, {profile.count:,} {profile.counted}"


def _print_functions(table: FunctionTable, of_what: str, but: str) -> None:
    """The heaviest of them, if there are any, and what is to be known of them."""
    from server.quoting import plain
    from traces.analysis.units import format_share, format_value

    unit = table.unit
    if table.rows:
        but = f" ({but})" if but else ""
        click.echo(f"\nHeaviest functions{of_what} by self {'time' if unit.is_time else 'weight'}{but}:")
    for row in table.rows:
        where = f"  {plain(row.file, 60)}" + (f":{row.line}" if row.line else "") if row.file else ""
        amounts = f"{format_share(row.self_share):>6}  {format_value(row.self_value, unit):>9}"
        times = "" if row.count is None or table.counted != Counts.CALLS else f"  ×{row.count:,}"
        click.echo(f"  {amounts}  {plain(row.name, 80)}{times}{where}")


def _levels(series: CounterSeries, name: str) -> str:
    levels = f"{series.lowest:,.6g} to {series.highest:,.6g}, last {series.last:,.6g}"
    return f"{name}: {levels} ({series.readings:,} readings)"


def _heaviest(asked: Callable[..., FunctionTable]) -> dict[str, Any]:
    keys: tuple[Literal["self", "total"], ...] = ("self", "total")
    return {f"heaviest_by_{key}": [asdict(row) for row in asked(sort_by=key, limit=HEAVIEST).rows] for key in keys}
