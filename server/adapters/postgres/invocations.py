"""Rows of model calls in PostgreSQL."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from server.adapters.postgres.pool import Database, decision
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, storable_text
from server.errors import LimitExceeded
from server.ports.identity import Caller
from server.ports.invocations import (
    CallCost,
    Invocation,
    InvocationCursor,
    InvocationFilter,
    Outcome,
    PromptOutcome,
    Purpose,
    Spend,
    SpendBy,
    cost_of,
)

NAMES = tuple(one.name for one in fields(Invocation))


class PostgresInvocations:
    """Invocations over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, invocation: Invocation, bound: CallCost) -> None:
        parameters = _parameters(invocation) | {"bound_usd": bound.cost_usd, "bound_tokens": bound.tokens}
        async with self._database.transaction() as connection:
            if invocation.call_number == invocation.try_number == 1:
                await connection.execute(statement("first_prompt_hash"), parameters)
            await connection.execute(statement("record_invocation"), parameters)
            row = await (await connection.execute(statement("hold_call_budget"), parameters)).fetchone()
            if row is not None and not row["allowed"]:
                raise LimitExceeded(decision(row))

    async def record(self, invocation: Invocation, *, estimate: CallCost | None = None) -> int | None:
        cost = cost_of(invocation) or estimate
        parameters = _parameters(invocation) | {
            "kind": "released" if cost is None else "settled",
            "counted_usd": None if cost is None else cost.cost_usd,
            "counted_tokens": 0 if cost is None else cost.tokens,
            "is_estimate": cost is estimate and cost is not None,
        }
        async with self._database.transaction() as connection:
            turn = await (await connection.execute(statement("turn_of_call"), parameters)).fetchone()
            await connection.execute(statement("record_invocation"), parameters)
            if turn is not None and turn["has_ended"]:
                sums = {"turn_id": invocation.turn_id, "cost_usd": None}
                await connection.execute(statement("turn_sums"), sums)
            row = await (await connection.execute(statement("settle_call_budget"), parameters)).fetchone()
        return None if row is None else row["percent"]

    async def of_turn(self, caller: Caller, turn_id: str) -> list[Invocation]:
        parameters = {"user_id": caller.user_id, "turn_id": known_id(turn_id, "turn")}
        async with self._database.transaction() as connection:
            return await _all(connection, "invocations_of_turn", parameters)

    async def page(
        self, chosen: InvocationFilter, *, limit: int, after: InvocationCursor | None = None
    ) -> list[Invocation]:
        parameters = asdict(chosen) | {
            "limit": limit,
            "after_time": None if after is None else after.started_at,
            "after_id": None if after is None else known_id(after.invocation_id, "call"),
        }
        for what in ("account", "user", "session", "turn"):
            text = parameters[f"{what}_id"]
            parameters[f"{what}_id"] = None if text is None else known_id(text, what)
        async with self._database.transaction() as connection:
            return await _all(connection, "invocations", parameters)

    async def spend(self, by: SpendBy, *, since: datetime | None = None, until: datetime | None = None) -> list[Spend]:
        parameters = {"by": by.value, "since": since, "until": until}
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("spend"), parameters)).fetchall()
        return [Spend(**row) for row in rows]

    async def prompt_outcomes(
        self, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[PromptOutcome]:
        async with self._database.transaction() as connection:
            cursor = await connection.execute(statement("prompt_outcomes"), {"since": since, "until": until})
            return [PromptOutcome(**row) for row in await cursor.fetchall()]


async def _all(connection: AsyncConnection[DictRow], name: str, parameters: Mapping[str, Any]) -> list[Invocation]:
    rows = await (await connection.execute(statement(name), parameters)).fetchall()
    return [_invocation(row) for row in rows]


def _parameters(invocation: Invocation) -> dict[str, Any]:
    return {name: _stored(value) for name, value in asdict(invocation).items()}


def _stored(value: object) -> object:
    """Providers send names and ids: whatever is in them."""
    return storable_text(value) if isinstance(value, str) else value


def _invocation(row: DictRow) -> Invocation:
    values: dict[str, Any] = {name: row[name] for name in NAMES}
    for name, value in values.items():
        if isinstance(value, UUID):
            values[name] = str(value)
        elif isinstance(value, datetime):
            values[name] = value.astimezone(UTC)
        elif isinstance(value, Decimal):
            values[name] = value.normalize()
    return Invocation(**values | {"purpose": Purpose(values["purpose"]), "outcome": Outcome(values["outcome"])})
