"""`flamechat usage limit`."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from click.testing import CliRunner, Result

from limits.administration import Administration
from server.adapters.in_process.clock import SystemClock
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.ports.identity import LOCAL_USER_ID, Caller
from server.testing.account_state import MemoryAccounts
from server.testing.plans import MemoryPlans
from server.testing.trace_records import MemoryTraceRecords
from tests.plugins.worlds import new_uuid
from tests.server.edges.cli.test_spend_command import no_analysis

ACCOUNT = new_uuid()


def limit(plans: MemoryPlans, *arguments: str) -> Result:
    @asynccontextmanager
    async def administration(_: Path | None) -> AsyncIterator[Administration]:
        yield Administration(plans)

    app = build_cli(CliEntryPoints(serve=lambda _: 0, analysis=no_analysis, administration=administration))
    return CliRunner().invoke(app, ["usage", "limit", *arguments])


def test_a_user_or_an_account_gets_budgets_of_its_own_and_loses_them_again() -> None:
    accounts = MemoryAccounts(SystemClock())
    accounts.add(Caller(user_id=LOCAL_USER_ID, account_id=ACCOUNT))
    plans = MemoryPlans(MemoryTraceRecords(accounts))
    of_user = limit(plans, "--monthly-cost-limit-cents", "500", "--turn-token-limit", "9000", "--reason", "a trial")
    assert "500 cents a month, 9,000 tokens an answer" in of_user.output
    of_account = json.loads(limit(plans, "--account", ACCOUNT, "--monthly-token-limit", "7", "--json").stdout)
    assert of_account["limits"] == {
        "monthly_cost_limit_cents": None,
        "monthly_token_limit": 7,
        "turn_token_limit": None,
    }
    assert "no budget of its own" in limit(plans).output
    for wrong in (["--account", ACCOUNT, "--user", LOCAL_USER_ID], ["--turn-token-limit", "0"]):
        assert limit(plans, *wrong).exit_code != 0
    nobody = limit(plans, "--account", new_uuid())
    assert (nobody.exit_code, "There is no account" in nobody.output) == (1, True)


def test_no_budget_at_all_is_one_and_no_tokens_an_answer_are_none() -> None:
    accounts = MemoryAccounts(SystemClock())
    accounts.add(Caller(user_id=LOCAL_USER_ID, account_id=ACCOUNT))
    plans = MemoryPlans(MemoryTraceRecords(accounts))
    spent = limit(plans, "--monthly-cost-limit-cents", "0", "--monthly-token-limit", "0")
    assert "0 cents a month, 0 tokens a month" in spent.output
    assert limit(plans, "--monthly-cost-limit-cents", "-1").exit_code == 2
    assert "1 tokens an answer" in limit(plans, "--turn-token-limit", "1").output
