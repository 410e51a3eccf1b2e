"""Plans, subscriptions and counters in PostgreSQL, each change with its row of the audit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC
from decimal import Decimal
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from limits.administration import Author, Change
from limits.errors import InvalidPlan, UnknownPlan, UnknownUser
from limits.plans import OverBudget, Plan, SessionsPeriod
from limits.spending import AccountSpending, BudgetNotice, SpendingLimits
from limits.usage import Usage
from server.adapters.postgres.pool import Database
from server.adapters.postgres.spending_limits import account_spending, budget_notices, limits_of, set_limits
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, storable_text
from server.errors import NotFound

CEILINGS = (
    "chat_messages_per_session",
    "chat_sessions_limit",
    "monthly_upload_limit",
    "total_trace_limit",
    "retention_days",
    "monthly_token_limit",
    "turn_token_limit",
    "api_keys_limit",
    "api_requests_per_minute",
    "monthly_render_limit",
)


class PostgresPlans:
    """PlanRecords over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def plans(self) -> list[Plan]:
        async with self._database.transaction() as connection:
            return [_plan(row) for row in await (await connection.execute(statement("plans"))).fetchall()]

    async def plan(self, name: str) -> Plan:
        async with self._database.transaction() as connection:
            return await _one_plan(connection, name)

    async def create_plan(self, plan: Plan, author: Author) -> None:
        async with self._database.transaction() as connection:
            made = await connection.execute(statement("create_plan"), _parameters(plan))
            if not made.rowcount:
                raise InvalidPlan(f"There is a plan {plan.name} already.")
            await _note(connection, author, "create_plan", plan_name=plan.name, after=asdict(plan))

    async def change_plan(self, name: str, change: Callable[[Plan], Plan], author: Author, *, action: str) -> Plan:
        async with self._database.transaction() as connection:
            before = await _one_plan(connection, name)
            after = change(before)
            await connection.execute(statement("change_plan"), _parameters(after))
            await _note(connection, author, action, plan_name=name, before=asdict(before), after=asdict(after))
        return after

    async def usage(self, user_id: str) -> Usage:
        async with self._database.transaction() as connection:
            return await _usage_of(connection, user_id)

    async def usages(self, *, limit: int | None = None, offset: int = 0) -> list[Usage]:
        parameters = {"user_id": None, "limit": limit, "offset": offset}
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("user_usage"), parameters)).fetchall()
        return [_usage(row) for row in rows]

    async def conversations_of(self, user_ids: Sequence[str], *, messages: int) -> int:
        parameters = {"users": list(user_ids), "messages": messages}
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("conversations_of"), parameters)).fetchone()
        return 0 if row is None else int(row["conversations"])

    async def put_on_plan(self, user_id: str, plan_name: str, author: Author) -> Usage:
        async with self._database.transaction() as connection:
            await _one_plan(connection, plan_name)
        return await self._change_user("subscribe", user_id, author, {"plan": plan_name}, plan_name=plan_name)

    async def grant_sessions(self, user_id: str, sessions: int, author: Author) -> Usage:
        return await self._change_user("grant_sessions", user_id, author, {"sessions": sessions})

    async def reset_usage(self, user_id: str, author: Author) -> Usage:
        return await self._change_user("reset_usage", user_id, author, {})

    async def limit_user(self, user_id: str, limits: SpendingLimits, author: Author) -> Usage:
        async with self._database.transaction() as connection:
            before = await _usage_of(connection, user_id)
            await set_limits(connection, limits, user_id=before.user_id)
            noted = asdict(before.own), asdict(limits)
            await _note(connection, author, "limit_user", user_id=before.user_id, before=noted[0], after=noted[1])
            return await _usage_of(connection, user_id)

    async def limit_account(self, account_id: str, limits: SpendingLimits, author: Author) -> AccountSpending:
        async with self._database.transaction() as connection:
            before = await account_spending(connection, account_id)
            await set_limits(connection, limits, account_id=before.account_id)
            named = {"account_id": before.account_id}
            noted = named | asdict(before.limits), named | asdict(limits)
            await _note(connection, author, "limit_account", before=noted[0], after=noted[1])
            return await account_spending(connection, account_id)

    async def account_spending(self, account_id: str) -> AccountSpending:
        async with self._database.transaction() as connection:
            return await account_spending(connection, account_id)

    async def budget_notices(self, *, limit: int = 100) -> list[BudgetNotice]:
        async with self._database.transaction() as connection:
            return await budget_notices(connection, limit)

    async def changes(self, *, limit: int = 100) -> list[Change]:
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("plan_changes"), {"limit": limit})).fetchall()
        return [_change(row) for row in rows]

    async def roll_periods(self) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(statement("roll_periods"))
            await connection.execute(statement("close_spend_days"))

    async def _change_user(
        self, action: str, user_id: str, author: Author, parameters: dict[str, Any], *, plan_name: str | None = None
    ) -> Usage:
        async with self._database.transaction() as connection:
            before = await _usage_of(connection, user_id)
            await connection.execute(statement(action), parameters | {"user_id": before.user_id})
            after = await _usage_of(connection, user_id)
            noted = (_counters(before), _counters(after))
            await _note(
                connection,
                author,
                action,
                user_id=before.user_id,
                plan_name=plan_name or after.plan.name,
                before=noted[0],
                after=noted[1],
            )
        return after


async def _one_plan(connection: AsyncConnection[DictRow], name: str) -> Plan:
    """The plan, which stays as it is until the transaction ends."""
    row = await (await connection.execute(statement("plan"), {"name": storable_text(name)})).fetchone()
    if row is None:
        raise UnknownPlan(f"There is no plan {name}.")
    return _plan(row)


async def _usage_of(connection: AsyncConnection[DictRow], user_id: str) -> Usage:
    try:
        parameters = {"user_id": known_id(user_id, "user"), "limit": 1, "offset": 0}
    except NotFound:
        raise UnknownUser(f"There is no user {user_id}.") from None
    row = await (await connection.execute(statement("user_usage"), parameters)).fetchone()
    if row is None:
        raise UnknownUser(f"There is no user {user_id}.")
    return _usage(row)


async def _note(
    connection: AsyncConnection[DictRow],
    author: Author,
    action: str,
    *,
    user_id: str | None = None,
    plan_name: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    parameters = {
        "changed_by": author.user_id,
        "user_id": user_id,
        "plan_name": plan_name,
        "action": action,
        "before": None if before is None else Jsonb(before),
        "after": None if after is None else Jsonb(after),
        "reason": None if author.reason is None else storable_text(author.reason),
    }
    await connection.execute(statement("note_plan_change"), parameters)


def _counters(usage: Usage) -> dict[str, Any]:
    """What the audit keeps of a user."""
    names = ("subscribed_plan", "status", "lifetime_sessions", "monthly_sessions", "granted_sessions", "uploads")
    return {name: getattr(usage, name) for name in names}


def _plan(row: Mapping[str, Any]) -> Plan:
    period = row["chat_sessions_period"]
    return Plan(
        name=row["name"],
        display_name=row["display_name"],
        price_monthly_cents=int(Decimal(str(row["price_monthly"])) * 100),
        chat_sessions_period=None if period is None else SessionsPeriod(period),
        allow_public_sharing=row["allow_public_sharing"],
        hidden_tools=tuple(row["hidden_tools"]),
        chat_models=tuple(row["chat_models"]),
        monthly_cost_limit_cents=_cents(row["monthly_cost_limit_usd"]),
        over_budget=OverBudget(row["over_budget"]),
        is_retired=row["retired_at"] is not None,
        **{name: row[name] for name in CEILINGS},
    )


def _cents(dollars: object) -> int | None:
    return None if dollars is None else int(Decimal(str(dollars)) * 100)


def _parameters(plan: Plan) -> dict[str, Any]:
    values = asdict(plan)
    return values | {
        "display_name": storable_text(plan.display_name),
        "price_monthly": Decimal(plan.price_monthly_cents) / 100,
        "monthly_cost_limit_usd": None
        if plan.monthly_cost_limit_cents is None
        else Decimal(plan.monthly_cost_limit_cents) / 100,
        "hidden_tools": list(plan.hidden_tools),
        "chat_models": list(plan.chat_models),
    }


def _usage(row: DictRow) -> Usage:
    return Usage(
        user_id=str(row["user_id"]),
        plan=_plan(row["plan"]),
        own=limits_of(row, "own_"),
        period_start=row["period_start"].astimezone(UTC),
        period_end=row["period_end"].astimezone(UTC),
        **{
            name: row[name]
            for name in (
                "display_name",
                "subscribed_plan",
                "status",
                "lifetime_sessions",
                "monthly_sessions",
                "granted_sessions",
                "uploads",
                "traces",
                "spent_cents",
                "spent_tokens",
                "renders",
                "api_keys",
            )
        },
    )


def _change(row: DictRow) -> Change:
    return Change(
        changed_at=row["changed_at"].astimezone(UTC),
        changed_by=None if row["changed_by"] is None else str(row["changed_by"]),
        user_id=None if row["user_id"] is None else str(row["user_id"]),
        **{name: row[name] for name in ("plan_name", "action", "before", "after", "reason")},
    )
