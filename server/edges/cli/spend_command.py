"""`flamechat usage spend`: what model calls came to, on the data folder of this machine or the settings' database."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.errors import ConfigError, ServerError
from server.quoting import plain

if TYPE_CHECKING:
    from server.ports.invocations import Spend

BY = ("day", "user", "account", "model", "purpose", "prompt")
KEY_CHARACTERS = 36
_AGO = re.compile(r"(\d{1,5})d")


def add_spend(group: click.Group, entry_points: CliEntryPoints) -> None:
    """Add the command to the group `usage`."""

    @group.command()
    @click.option("--by", type=click.Choice(BY), default="day", help="What there is a line for.")
    @click.option("--since", default="30d", help="The first day: 7d for a week ago, or 2026-01-31 (UTC).")
    @click.option("--data", type=FOLDER, help="The server's data folder.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option("--csv", "as_table", is_flag=True, help="Print CSV.")
    def spend(*, by: str, since: str, data: Path | None, as_json: bool, as_table: bool) -> None:
        """What model calls came to: calls, tokens, US dollars where the price is known."""
        from dataclasses import fields

        from server.edges.invocation_views import ANALYST_NOTE, as_csv, row_of
        from server.ports.invocations import Spend

        first = first_day(since)
        rows = [row_of(one) for one in _spend(entry_points, data, by, first)]
        if as_json:
            click.echo(
                json.dumps({"by": by, "since": first.isoformat(), "spend": rows, "note": ANALYST_NOTE}, indent=2)
            )
        elif as_table:
            click.echo(as_csv([one.name for one in fields(Spend)], rows), nl=False)
        else:
            for row in rows:
                click.echo(_line(row))
            click.echo(ANALYST_NOTE if rows else f"No model was called since {first:%Y-%m-%d}. {ANALYST_NOTE}")


def first_day(since: str, now: datetime | None = None) -> datetime:
    """Midnight (UTC) of the day that the option means. Ends the command for what is none."""
    now = now or datetime.now(UTC)
    try:
        if found := _AGO.fullmatch(since):
            day = now - timedelta(days=int(found[1]))
        else:
            day = datetime.strptime(since, "%Y-%m-%d").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        fail(f"--since: {since} is neither a number of days (7d) nor a day (2026-01-31)", MISUSED)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def _spend(entry_points: CliEntryPoints, data: Path | None, by: str, since: datetime) -> "list[Spend]":
    """Ends the command with one line when it cannot be read."""
    import asyncio

    from server.ports.invocations import SpendBy

    async def asked() -> "list[Spend]":
        async with entry_points.invocations(data) as invocations:
            return list(await invocations.spend(SpendBy(by), since=since))

    try:
        return asyncio.run(asked())
    except ServerError as error:
        fail(str(error), MISUSED if isinstance(error, ConfigError) else FAILED)


def _line(row: dict[str, Any]) -> str:
    cost = "cost not known" if row["cost_usd"] is None else f"{row['cost_usd']:.4f} USD"
    unknown = (
        f" and {row['unpriced_calls']:,} calls of unknown cost" if row["cost_usd"] and row["unpriced_calls"] else ""
    )
    failed = f", {row['failed_calls']:,} failed" if row["failed_calls"] else ""
    return (
        f"{plain(row['key'], KEY_CHARACTERS):{KEY_CHARACTERS}}  {row['calls']:>7,} calls{failed}  "
        f"{row['input_tokens']:>12,} in  {row['output_tokens']:>10,} out  {cost}{unknown}"
    )
