"""How turns went, in PostgreSQL, by one statement."""

from datetime import UTC, datetime
from typing import Any

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.ports.evaluations import SEARCHES, Evaluated, EvaluatedTurn, ToolRun, TurnTotals
from server.ports.identity import Caller

COUNTED_APART = ("tool_calls", "claims", "verified_claims", "thumbs_up", "thumbs_down")
"""Columns of a turn that only the totals say."""


class PostgresEvaluations:
    """Evaluations over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def evaluated(self, caller: Caller, *, since: datetime, limit: int, everybody: bool = False) -> Evaluated:
        parameters = {
            "user_id": caller.user_id,
            "account_id": caller.account_id,
            "since": since,
            "limit": limit,
            "everybody": everybody,
            "searches": list(SEARCHES),
        }
        async with self._database.transaction() as connection:
            row = await (await connection.execute(statement("evaluations"), parameters)).fetchone()
        if row is None:
            return Evaluated((), ())
        return Evaluated([_turn(one) for one in row["recent"]], [TurnTotals(**one) for one in row["totals"]])


def _turn(row: dict[str, Any]) -> EvaluatedTurn:
    values = {name: value for name, value in row.items() if name not in COUNTED_APART}
    return EvaluatedTurn(
        **values
        | {
            "asked_at": datetime.fromisoformat(row["asked_at"]).astimezone(UTC),
            "tools": [ToolRun(**one) for one in row["tools"]],
        }
    )
