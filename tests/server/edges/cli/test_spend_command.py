"""`flamechat usage spend`."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.edges.cli.spend_command import first_day
from server.ports.invocations import Invocations
from server.testing.invocations import MemoryInvocations
from tests.contracts.test_invocations_contract import a_call, answered
from tests.server.running_server import ANNA

NOW = datetime.now(UTC)


def no_analysis(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError(f"nothing is analysed: {options}, {pictures}")


def spend(kept: MemoryInvocations, *arguments: str) -> str:
    @asynccontextmanager
    async def invocations(_: Path | None) -> AsyncIterator[Invocations]:
        yield kept

    app = build_cli(CliEntryPoints(serve=lambda _: 0, analysis=no_analysis, invocations=invocations))
    done = CliRunner().invoke(app, ["usage", "spend", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_calls_tokens_and_dollars_of_a_week_and_what_is_not_known() -> None:
    kept = MemoryInvocations()
    assert "No model was called since" in spend(kept)
    for days, cost in ((1, "0.25"), (2, None), (40, "9")):
        row = answered(a_call(ANNA), cost=cost)
        asyncio.run(kept.record(replace(row, model_asked="m", started_at=NOW - timedelta(days=days))))
    assert "2 calls" in spend(kept, "--by", "model", "--since", "7d")
    said = json.loads(spend(kept, "--by", "model", "--since", "7d", "--json"))
    (row_of_model,) = said["spend"]
    assert (row_of_model["key"], row_of_model["calls"], row_of_model["cost_usd"]) == ("m", 2, 0.25)
    assert row_of_model["unpriced_calls"] == 1
    assert "built-in analyst" in said["note"]
    table = spend(kept, "--by", "day", "--since", "2000-01-01", "--csv").splitlines()
    assert (table[0].split(",")[:2], len(table)) == (["key", "calls"], 4)


def test_a_first_day_is_midnight_utc() -> None:
    now = datetime(2026, 3, 4, 15, tzinfo=UTC)
    assert first_day("7d", now) == datetime(2026, 2, 25, tzinfo=UTC)
    assert first_day("2026-01-31", now) == datetime(2026, 1, 31, tzinfo=UTC)
    for wrong in ("a week", "999999d", "2026-02-31"):
        with pytest.raises(click.exceptions.Exit):
            first_day(wrong, now)
