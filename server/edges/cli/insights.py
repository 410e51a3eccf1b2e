"""`flamechat insights TRACE`: what stands out, worst first; with `--all` also what does not, or cannot be judged."""

from pathlib import Path

import click

from server.edges.cli.printing import asking, print_json
from server.edges.cli.reading import read_or_fail
from server.quoting import plain


def insights(source: Path, *, name: str | None, before: Path | None, everything: bool, as_json: bool) -> None:
    """Print the findings, or one of them in detail."""
    from server.agent.tools.contract.finding_data import insight_data
    from traces.insights.insight import State
    from traces.insights.registry import insight, ranked
    from traces.insights.registry import insights as all_insights

    with asking():
        trace = read_or_fail(source)
        earlier = None if before is None else read_or_fail(before)
        one = None if name is None else insight(trace, name, before=earlier)
        every = all_insights(trace, before=earlier) if one is None else (one,)
    found = ranked(every)
    shown = (*found, *(one for one in every if one.state is not State.FAIL)) if everything or name else found
    if as_json:
        print_json([insight_data(trace, one) for one in shown])
        return
    if not shown:
        click.echo("nothing stands out")
    for one in shown:
        said = one.said(lambda evidence: evidence.with_handle(plain(evidence.name, 80)))
        what = str(one.severity) if one.state is State.FAIL else str(one.state).replace("_", " ")
        click.echo(f"{what:<6}  {one.id}: {said}")
        if one.state is State.FAIL and one.advice and name:
            click.echo(f"        {one.advice}")
