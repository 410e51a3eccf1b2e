"""Budgets of users and accounts below the plan's, and who is to be informed of what was reached, in PostgreSQL."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from limits.errors import UnknownAccount
from limits.refusals import LimitType
from limits.spending import AccountSpending, BudgetNotice, SpendingLimits
from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id
from server.errors import NotFound
from server.ports.budget_notices import Informed

Connection = AsyncConnection[DictRow]


class PostgresBudgetNotices:
    """BudgetNotices over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recent(self) -> list[Informed]:
        return await self._informed("recent_budget_notices")

    async def take(self) -> list[Informed]:
        return await self._informed("take_budget_notices")

    async def _informed(self, name: str) -> list[Informed]:
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement(name))).fetchall()
        return [Informed(notice_of(row), _text(row["informed_account_id"])) for row in rows]


async def account_spending(connection: Connection, account_id: str) -> AccountSpending:
    """Raises UnknownAccount."""
    try:
        parameters = {"account_id": known_id(account_id, "account")}
    except NotFound:
        raise UnknownAccount(f"There is no account {account_id}.") from None
    row = await (await connection.execute(statement("account_spending"), parameters)).fetchone()
    if row is None:
        raise UnknownAccount(f"There is no account {account_id}.")
    return AccountSpending(
        account_id=str(row["account_id"]),
        limits=limits_of(row),
        spent_cents=row["spent_cents"],
        spent_tokens=row["spent_tokens"],
        period_start=_time(row["period_start"]),
        period_end=_time(row["period_end"]),
    )


async def set_limits(connection: Connection, limits: SpendingLimits, **whose: str) -> None:
    """`user_id` or `account_id` says whose they are."""
    cents = limits.monthly_cost_limit_cents
    parameters = {
        **whose,
        "monthly_cost_limit_usd": None if cents is None else Decimal(cents) / 100,
        "monthly_token_limit": limits.monthly_token_limit,
        "turn_token_limit": limits.turn_token_limit,
    }
    await connection.execute(statement("set_user_limits" if "user_id" in whose else "set_account_limits"), parameters)


async def budget_notices(connection: Connection, limit: int) -> list[BudgetNotice]:
    """Newest first."""
    rows = await (await connection.execute(statement("budget_notices"), {"limit": limit})).fetchall()
    return [notice_of(row) for row in rows]


def limits_of(row: DictRow, prefix: str = "") -> SpendingLimits:
    """Of the columns of `spending_limits`, which a row may have under a prefix."""
    dollars = row[f"{prefix}monthly_cost_limit_usd"]
    return SpendingLimits(
        monthly_cost_limit_cents=None if dollars is None else int(Decimal(str(dollars)) * 100),
        monthly_token_limit=row[f"{prefix}monthly_token_limit"],
        turn_token_limit=row[f"{prefix}turn_token_limit"],
    )


def notice_of(row: DictRow) -> BudgetNotice:
    """A row of `budget_notices`."""
    values: dict[str, Any] = {name: row[name] for name in ("percent", "used", "limit", "plan_name")}
    return BudgetNotice(
        notice_id=str(row["id"]),
        user_id=str(row["user_id"]),
        account_id=_text(row["account_id"]),
        limit_type=LimitType(row["limit_type"]),
        resets_at=row["resets_at"].astimezone(UTC),
        at=row["at"].astimezone(UTC),
        **values,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _time(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)
