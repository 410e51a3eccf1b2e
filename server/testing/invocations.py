"""Rows of model calls in memory: the twin of PostgresInvocations."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

from limits.refusals import LimitType
from limits.spending import BudgetNotice
from server.adapters.storable import known_id
from server.errors import LimitExceeded
from server.ports.identity import Caller
from server.ports.invocations import (
    CallCost,
    Invocation,
    InvocationCursor,
    InvocationFilter,
    Outcome,
    PromptOutcome,
    Spend,
    SpendBy,
    cost_of,
)
from server.testing.account_state import MemoryAccounts

KEYS: dict[SpendBy, Callable[[Invocation], str]] = {
    SpendBy.DAY: lambda row: _day(row.started_at),
    SpendBy.USER: lambda row: row.user_id,
    SpendBy.ACCOUNT: lambda row: row.account_id,
    SpendBy.MODEL: lambda row: row.model_asked,
    SpendBy.PURPOSE: lambda row: row.purpose,
    SpendBy.PROMPT: lambda row: row.prompt_version or "",
}


class MemoryInvocations:
    """Implements `Invocations`. `rows` are by id; `writes` counts all that were written; it knows no turns, so
    `outcomes` are what a test puts there. Without `accounts` nothing is
    reserved."""

    def __init__(self, accounts: MemoryAccounts | None = None) -> None:
        self._accounts = accounts
        self.rows: dict[str, Invocation] = {}
        self.writes = 0
        self.outcomes: list[PromptOutcome] = []

    async def begin(self, invocation: Invocation, bound: CallCost) -> None:
        if self._accounts is not None:
            self._hold(self._accounts, invocation, bound)
        self._keep(invocation)

    def _hold(self, accounts: MemoryAccounts, row: Invocation, bound: CallCost) -> None:
        """Raises LimitExceeded, and nothing was changed."""
        budgets = [budget for budget, _, _ in accounts.budgets_of(row.user_id, row.account_id)]
        if row.invocation_id in budgets[0].calls:
            return
        given_back = [budget.give_back(row.turn_id) for budget in budgets]
        over = accounts.over_budget(row.user_id, row.account_id)
        for budget, cost in zip(budgets, given_back, strict=True):
            if over is None:
                budget.hold_call(row.invocation_id, row.turn_id, bound)
            elif cost is not None:
                budget.hold_turn(row.turn_id or "", cost)
        if over is not None:
            raise LimitExceeded(over)

    async def record(self, invocation: Invocation, *, estimate: CallCost | None = None) -> int | None:
        self._keep(invocation)
        if self._accounts is None:
            return None
        known, largest = cost_of(invocation), 0
        for budget, limits, of_account in self._accounts.budgets_of(invocation.user_id, invocation.account_id):
            reached = budget.settle(invocation.invocation_id, known or estimate, limits, is_estimate=known is None)
            for one in reached:
                self._note(self._accounts, invocation, invocation.account_id if of_account else None, one)
                largest = max(largest, one[1])
        return largest or None

    def _note(
        self,
        accounts: MemoryAccounts,
        row: Invocation,
        account_id: str | None,
        reached: tuple[LimitType, int, int, int],
    ) -> None:
        limit_type, percent, used, limit = reached
        standing = accounts.standing(row.user_id)
        accounts.notices.append(
            BudgetNotice(
                notice_id=str(uuid.uuid4()),
                user_id=row.user_id,
                account_id=account_id,
                limit_type=limit_type,
                percent=percent,
                used=used,
                limit=limit,
                plan_name=standing.plan.name,
                resets_at=standing.period_end,
                at=accounts.clock.now(),
            )
        )

    def _keep(self, invocation: Invocation) -> None:
        self.rows[invocation.invocation_id] = invocation
        self.writes += 1

    async def of_turn(self, caller: Caller, turn_id: str) -> list[Invocation]:
        known_id(turn_id, "turn")
        found = [
            row
            for row in self.rows.values()
            if (row.turn_id, row.user_id, row.account_id) == (turn_id, caller.user_id, caller.account_id)
        ]
        return sorted(found, key=lambda row: (row.attempt, row.call_number, row.try_number))

    async def page(
        self, chosen: InvocationFilter, *, limit: int, after: InvocationCursor | None = None
    ) -> list[Invocation]:
        for text, what in (
            (chosen.account_id, "account"),
            (chosen.user_id, "user"),
            (chosen.session_id, "session"),
            (chosen.turn_id, "turn"),
        ):
            if text is not None:
                known_id(text, what)
        found = [row for row in self.rows.values() if _is_chosen(row, chosen)]
        if after is not None:
            found = [row for row in found if _place(row) < (after.started_at, after.invocation_id)]
        return sorted(found, key=_place, reverse=True)[:limit]

    async def spend(self, by: SpendBy, *, since: datetime | None = None, until: datetime | None = None) -> list[Spend]:
        groups: dict[str, list[Invocation]] = {}
        for row in self.rows.values():
            day = _day(row.started_at)
            if (since is None or day >= _day(since)) and (until is None or day <= _day(until)):
                groups.setdefault(KEYS[by](row), []).append(row)
        found = [_summed(key, rows) for key, rows in groups.items()]
        if by is SpendBy.DAY:
            return sorted(found, key=lambda one: one.key)
        return sorted(
            found, key=lambda one: (-(one.cost_usd or Decimal(0)), -(one.input_tokens + one.output_tokens), one.key)
        )

    async def prompt_outcomes(
        self, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[PromptOutcome]:
        return self.outcomes


def _summed(key: str, rows: list[Invocation]) -> Spend:
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    return Spend(
        key=key,
        calls=len(rows),
        failed_calls=sum(row.outcome is not Outcome.OK for row in rows),
        unpriced_calls=len(rows) - len(costs),
        input_tokens=sum(row.input_tokens or 0 for row in rows),
        cached_input_tokens=sum(row.cached_input_tokens or 0 for row in rows),
        output_tokens=sum(row.output_tokens or 0 for row in rows),
        reasoning_tokens=sum(row.reasoning_tokens or 0 for row in rows),
        cost_usd=sum(costs, Decimal(0)) if costs else None,
    )


def _is_chosen(row: Invocation, chosen: InvocationFilter) -> bool:
    by_value = (
        (chosen.account_id, row.account_id),
        (chosen.user_id, row.user_id),
        (chosen.session_id, row.session_id),
        (chosen.turn_id, row.turn_id),
        (chosen.model, row.model_asked),
        (chosen.purpose, row.purpose),
        (chosen.outcome, row.outcome),
    )
    return (
        all(asked in (None, found) for asked, found in by_value)
        and (chosen.since is None or row.started_at >= chosen.since)
        and (chosen.until is None or row.started_at < chosen.until)
    )


def _place(row: Invocation) -> tuple[datetime, str]:
    return row.started_at, row.invocation_id


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
