"""`flamechat summary TRACE`: what the trace is and what stands out, without a model."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

import typer

from server.edges.cli.printing import print_json
from server.edges.cli.reading import read_or_fail

HEAVIEST = 10
"""Functions of each profile in the JSON, by self and by total."""


def summary(source: Path, *, as_json: bool) -> None:
    """Print the summary, first findings and the five heaviest functions."""
    from traces.analysis.functions import top_functions
    from traces.analysis.summary import summarise
    from traces.analysis.units import format_share, format_value

    trace = read_or_fail(source)
    if as_json:
        said = summarise(trace).as_json()
        for profile in said["profiles"]:
            index = int(profile["handle"][1:])
            keys: tuple[Literal["self"], Literal["total"]] = ("self", "total")
            for key in keys:
                heaviest = top_functions(trace, profile=index, sort_by=key, limit=HEAVIEST).rows
                profile[f"heaviest_by_{key}"] = [asdict(row) for row in heaviest]
        print_json(said)
        return
    from server.agent.opening import opening
    from server.agent.quoting import plain

    first = opening(trace)
    typer.echo(first.summary)
    told = summarise(trace)
    for profile in told.profiles[:10]:
        idle = f", idle {format_share(profile.idle_share)}" if profile.idle_share else ""
        amount = format_value(profile.total, trace.profiles[int(profile.handle[1:])].unit)
        typer.echo(f"  {profile.handle} {plain(profile.name, 60)}: {profile.kind}, {amount} busy{idle}")
    if len(told.profiles) > 10:
        typer.echo(f"  … {len(told.profiles) - 10} more profiles")
    table = top_functions(trace, sort_by="self", limit=5)
    unit = trace.profiles[trace.default_profile].unit
    typer.echo(
        "\nHeaviest functions by self time:" if table.unit == "nanoseconds" else "\nHeaviest functions by self weight:"
    )
    for row in table.rows:
        where = f"  {plain(row.file, 60)}" + (f":{row.line}" if row.line else "") if row.file else ""
        amounts = f"{format_share(row.self_share):>6}  {format_value(row.self_value, unit):>9}"
        typer.echo(f"  {amounts}  {plain(row.name, 80)}{where}")
    for title, lines in (
        ("First findings", first.findings),
        ("Keep in mind", [plain(w.text, 300) for w in told.warnings]),
    ):
        if lines:
            typer.echo(f"\n{title}:")
            for line in lines:
                typer.echo(f"  - {line}")
