"""What an administrator may do with plans and users. Every change is written down with who made it and why; it binds
the next prompt. Who is an administrator is the caller's to know."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from limits.errors import InvalidPlan
from limits.plans import FALLBACK_PLAN, Plan, changed, checked
from limits.spending import AccountSpending, BudgetNotice, SpendingLimits, checked_limits
from limits.usage import Forecast, Usage, forecast

MAX_GRANT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who makes a change, and why."""

    user_id: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row of the audit `plan_changes`."""

    changed_at: datetime
    changed_by: str | None
    user_id: str | None
    plan_name: str | None
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reason: str | None


class PlanRecords(Protocol):
    """Plans, subscriptions and counters. Each change and its row of the audit are written together or not at all."""

    async def plans(self) -> list[Plan]:
        """All, retired ones too, by name."""
        ...

    async def plan(self, name: str) -> Plan:
        """Raises UnknownPlan."""
        ...

    async def create_plan(self, plan: Plan, author: Author) -> None:
        """Raises InvalidPlan when the name is taken."""
        ...

    async def change_plan(self, name: str, change: Callable[[Plan], Plan], author: Author, *, action: str) -> Plan:
        """The plan as `change` makes it of the one that is there, which nobody else changes meanwhile. Raises
        UnknownPlan and what `change` raises."""
        ...

    async def usage(self, user_id: str) -> Usage:
        """Raises UnknownUser."""
        ...

    async def usages(self, *, limit: int | None = None, offset: int = 0) -> list[Usage]:
        """Of all users, oldest first."""
        ...

    async def conversations_of(self, user_ids: Sequence[str], *, messages: int) -> int:
        """How many of these users' conversations have at least so many messages that count."""
        ...

    async def put_on_plan(self, user_id: str, plan_name: str, author: Author) -> Usage:
        """Raises UnknownUser, UnknownPlan. Counters stay."""
        ...

    async def grant_sessions(self, user_id: str, sessions: int, author: Author) -> Usage:
        """Raises UnknownUser."""
        ...

    async def reset_usage(self, user_id: str, author: Author) -> Usage:
        """Raises UnknownUser."""
        ...

    async def limit_user(self, user_id: str, limits: SpendingLimits, author: Author) -> Usage:
        """Budgets of their own from now on. Raises UnknownUser."""
        ...

    async def limit_account(self, account_id: str, limits: SpendingLimits, author: Author) -> AccountSpending:
        """Budgets of all its members together from now on. Raises UnknownAccount."""
        ...

    async def account_spending(self, account_id: str) -> AccountSpending:
        """Raises UnknownAccount."""
        ...

    async def budget_notices(self, *, limit: int = 100) -> list[BudgetNotice]:
        """What was reached of budgets, newest first."""
        ...

    async def changes(self, *, limit: int = 100) -> list[Change]:
        """The audit, newest first."""
        ...

    async def roll_periods(self) -> None:
        """Start the current month for everybody whose last one is over; add up what was spent on days that are over."""
        ...


class Administration:
    """The use cases. Each raises UnknownPlan, UnknownUser or InvalidPlan, and then nothing was changed."""

    def __init__(self, records: PlanRecords) -> None:
        self._records = records

    async def plans(self) -> list[Plan]:
        return await self._records.plans()

    async def plan(self, name: str) -> Plan:
        return await self._records.plan(name)

    async def create_plan(self, plan: Plan, author: Author) -> Plan:
        await self._records.create_plan(checked(plan), author)
        return plan

    async def change_plan(self, name: str, changes: Mapping[str, object], author: Author) -> Plan:
        """The plan with these fields changed."""
        return await self._records.change_plan(name, lambda plan: changed(plan, changes), author, action="change_plan")

    async def foresee_change(self, name: str, changes: Mapping[str, object]) -> Forecast:
        """What that change would do to those whom the plan binds; changes nothing."""
        plan = changed(await self._records.plan(name), changes)
        return await self._foresee([usage for usage in await self._records.usages() if usage.plan.name == name], plan)

    async def retire_plan(self, name: str, author: Author) -> Plan:
        """The plan, which takes nobody new from now on."""
        if name == FALLBACK_PLAN:
            raise InvalidPlan(f"The {name} plan binds whoever has no other: it cannot be retired.")
        return await self._records.change_plan(name, _retired, author, action="retire_plan")

    async def usage(self, user_id: str) -> Usage:
        return await self._records.usage(user_id)

    async def usages(self, *, limit: int | None = None, offset: int = 0) -> list[Usage]:
        return await self._records.usages(limit=limit, offset=offset)

    async def put_on_plan(self, user_id: str, plan_name: str, author: Author) -> Usage:
        """The user on that plan, in good standing; the counters are kept."""
        await self._open_plan(plan_name)
        return await self._records.put_on_plan(user_id, plan_name, author)

    async def foresee_plan(self, user_id: str, plan_name: str) -> Forecast:
        """What it would mean for the user to be on that plan; changes nothing."""
        return await self._foresee([await self._records.usage(user_id)], await self._open_plan(plan_name))

    async def grant_sessions(self, user_id: str, sessions: int, author: Author) -> Usage:
        """Sessions on top of the plan: of this month, or for good where the plan counts for a lifetime."""
        if not 1 <= sessions <= MAX_GRANT:
            raise InvalidPlan(f"Sessions are granted from 1 to {MAX_GRANT} at a time.")
        return await self._records.grant_sessions(user_id, sessions, author)

    async def reset_usage(self, user_id: str, author: Author) -> Usage:
        """All counters at zero, and nothing granted any more."""
        return await self._records.reset_usage(user_id, author)

    async def limit_user(self, user_id: str, limits: SpendingLimits, author: Author) -> Usage:
        """The user with budgets of their own, which bind where they are below the plan's."""
        return await self._records.limit_user(user_id, checked_limits(limits), author)

    async def limit_account(self, account_id: str, limits: SpendingLimits, author: Author) -> AccountSpending:
        """The account with budgets that all its members share. Raises UnknownAccount."""
        return await self._records.limit_account(account_id, checked_limits(limits), author)

    async def account_spending(self, account_id: str) -> AccountSpending:
        """Raises UnknownAccount."""
        return await self._records.account_spending(account_id)

    async def budget_notices(self, *, limit: int = 100) -> list[BudgetNotice]:
        return await self._records.budget_notices(limit=limit)

    async def changes(self, *, limit: int = 100) -> list[Change]:
        return await self._records.changes(limit=limit)

    async def _foresee(self, usages: list[Usage], plan: Plan) -> Forecast:
        """`usages` are of users whom one plan binds now."""
        users, now = [usage.user_id for usage in usages], usages[0].plan if usages else plan
        full_now, full_then = [
            0
            if one.chat_messages_per_session is None
            else await self._records.conversations_of(users, messages=one.chat_messages_per_session)
            for one in (now, plan)
        ]
        return forecast(usages, plan, full_now=full_now, full_then=full_then)

    async def _open_plan(self, name: str) -> Plan:
        plan = await self._records.plan(name)
        if plan.is_retired:
            raise InvalidPlan(f"The {name} plan is retired: it takes nobody new.")
        return plan


def _retired(plan: Plan) -> Plan:
    return replace(plan, is_retired=True)
