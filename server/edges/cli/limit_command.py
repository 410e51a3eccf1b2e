"""`flamechat usage limit`: a budget of one user or of one account, below that of the plan."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from limits.administration import Administration, Author
from limits.spending import AccountSpending, SpendingLimits
from limits.usage import Usage
from server.edges.cli.reading import MISUSED, fail
from server.edges.cli.shared_options import FOLDER
from server.ports.identity import LOCAL_USER_ID

WORDS = {
    "monthly_cost_limit_cents": "cents a month",
    "monthly_token_limit": "tokens a month",
    "turn_token_limit": "tokens an answer",
}

Run = Callable[[Path | None, Callable[[Administration], Any]], Any]
"""Runs a task on the administration of a data folder."""

Show = Callable[[Any, list[str], bool], None]
"""Prints a value as JSON, or these lines."""


def add_limit(group: click.Group, run: Run, show: Show) -> None:
    """Add the command to the group `usage`."""

    @group.command()
    @click.option("--user", help="The user's id; default: the user of this machine.")
    @click.option("--account", help="An account's id, for all of its members together.")
    @click.option("--monthly-cost-limit-cents", type=click.IntRange(min=0), help="Of models with a price.")
    @click.option("--monthly-token-limit", type=click.IntRange(min=0))
    @click.option("--turn-token-limit", type=click.IntRange(min=1), help="Of one answer.")
    @click.option("--reason", help="Why, for the audit.")
    @click.option("--data", type=FOLDER, help="The server's data folder.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def limit(
        *, user: str | None, account: str | None, reason: str | None, data: Path | None, as_json: bool, **given: Any
    ) -> None:
        """Budgets of their own, which bind where they are below the plan's; what is not given is none."""
        if user is not None and account is not None:
            fail("name a user or an account, not both", MISUSED)
        limits, author = SpendingLimits(**given), Author(user_id=LOCAL_USER_ID, reason=reason)
        if account is not None:
            spending: AccountSpending = run(data, lambda a: a.limit_account(account, limits, author))
            show(asdict(spending), [f"account {spending.account_id}: {words_of(spending.limits)}"], as_json)
        else:
            usage: Usage = run(data, lambda a: a.limit_user(user or LOCAL_USER_ID, limits, author))
            show(asdict(usage), [f"{usage.display_name or usage.user_id}: {words_of(usage.own)}"], as_json)


def words_of(limits: SpendingLimits) -> str:
    """The limits for people."""
    found = [f"{value:,} {WORDS[name]}" for name, value in asdict(limits).items() if value is not None]
    return ", ".join(found) or "no budget of its own"
