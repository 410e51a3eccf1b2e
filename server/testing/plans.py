"""Plans, subscriptions and counters of MemoryAccounts: the twin of PostgresPlans."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from limits.administration import Author, Change
from limits.errors import InvalidPlan, UnknownAccount, UnknownPlan, UnknownUser
from limits.plans import Plan
from limits.spending import AccountSpending, BudgetNotice, SpendingLimits
from limits.usage import Usage
from server.errors import NotFound
from server.testing.account_state import MONTH, Standing
from server.testing.budgets import MemoryBudget
from server.testing.trace_records import MemoryTraceRecords


class MemoryPlans:
    """PlanRecords over the users who hold these traces."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._accounts = traces.accounts
        self._changes: list[Change] = []

    async def plans(self) -> list[Plan]:
        return sorted(self._accounts.plans.values(), key=lambda plan: plan.name)

    async def plan(self, name: str) -> Plan:
        if name not in self._accounts.plans:
            raise UnknownPlan(f"There is no plan {name}.")
        return self._accounts.plans[name]

    async def create_plan(self, plan: Plan, author: Author) -> None:
        if plan.name in self._accounts.plans:
            raise InvalidPlan(f"There is a plan {plan.name} already.")
        self._accounts.change_plan(plan)
        self._note(author, "create_plan", plan_name=plan.name, after=asdict(plan))

    async def change_plan(self, name: str, change: Callable[[Plan], Plan], author: Author, *, action: str) -> Plan:
        before = await self.plan(name)
        after = change(before)
        self._accounts.change_plan(after)
        self._note(author, action, plan_name=name, before=asdict(before), after=asdict(after))
        return after

    async def usage(self, user_id: str) -> Usage:
        standing = self._standing(user_id)
        return Usage(
            user_id=user_id,
            display_name=None,
            subscribed_plan=standing.plan.name,
            status="free" if standing.plan.name == "free" else "active",
            plan=standing.plan,
            lifetime_sessions=standing.lifetime_sessions,
            monthly_sessions=standing.monthly_sessions,
            granted_sessions=standing.granted_sessions,
            uploads=standing.monthly_uploads,
            traces=self._traces.count_of(user_id),
            period_start=standing.period_end - MONTH,
            period_end=standing.period_end,
            spent_cents=math.ceil((standing.budget.spent.cost_usd or 0) * 100),
            spent_tokens=standing.budget.spent.tokens,
            renders=standing.monthly_renders,
            api_keys=self._accounts.keys_of(user_id),
            own=self._accounts.limits.get(user_id, SpendingLimits()),
        )

    async def usages(self, *, limit: int | None = None, offset: int = 0) -> list[Usage]:
        end = None if limit is None else offset + limit
        return [await self.usage(user_id) for user_id in self._accounts.user_ids[offset:end]]

    async def conversations_of(self, user_ids: Sequence[str], *, messages: int) -> int:
        return sum(length >= messages for user_id in user_ids for length in self._traces.lengths_of(user_id))

    async def put_on_plan(self, user_id: str, plan_name: str, author: Author) -> Usage:
        plan = await self.plan(plan_name)

        def subscribe(standing: Standing) -> None:
            standing.plan = plan

        return await self._change_user("subscribe", user_id, author, subscribe)

    async def grant_sessions(self, user_id: str, sessions: int, author: Author) -> Usage:
        def grant(standing: Standing) -> None:
            standing.granted_sessions += sessions

        return await self._change_user("grant_sessions", user_id, author, grant)

    async def reset_usage(self, user_id: str, author: Author) -> Usage:
        def reset(standing: Standing) -> None:
            standing.lifetime_sessions = standing.monthly_sessions = standing.monthly_uploads = 0
            standing.granted_sessions = standing.monthly_renders = 0
            for call, receipt in standing.budget.calls.items():
                for budget in self._accounts.account_budgets.values():
                    if receipt.is_settled:
                        budget.calls.pop(call, None)
            standing.budget = MemoryBudget()
            standing.generation += 1

        return await self._change_user("reset_usage", user_id, author, reset)

    async def limit_user(self, user_id: str, limits: SpendingLimits, author: Author) -> Usage:
        before = await self.usage(user_id)
        self._accounts.limits[user_id] = limits
        self._note(author, "limit_user", user_id=user_id, before=asdict(before.own), after=asdict(limits))
        return await self.usage(user_id)

    async def limit_account(self, account_id: str, limits: SpendingLimits, author: Author) -> AccountSpending:
        before, named = await self.account_spending(account_id), {"account_id": account_id}
        self._accounts.limits[account_id] = limits
        self._note(author, "limit_account", before=named | asdict(before.limits), after=named | asdict(limits))
        return await self.account_spending(account_id)

    async def account_spending(self, account_id: str) -> AccountSpending:
        if not any(account_id == account for account, _ in self._accounts.roles):
            raise UnknownAccount(f"There is no account {account_id}.")
        spent = self._accounts.account_budgets.setdefault(account_id, MemoryBudget()).spent
        return AccountSpending(
            account_id=account_id,
            limits=self._accounts.limits.get(account_id, SpendingLimits()),
            spent_cents=math.ceil((spent.cost_usd or 0) * 100),
            spent_tokens=spent.tokens,
        )

    async def budget_notices(self, *, limit: int = 100) -> list[BudgetNotice]:
        return self._accounts.notices[::-1][:limit]

    async def changes(self, *, limit: int = 100) -> list[Change]:
        return self._changes[::-1][:limit]

    async def roll_periods(self) -> None:
        for user_id in self._accounts.user_ids:
            self._accounts.standing(user_id)

    async def _change_user(
        self, action: str, user_id: str, author: Author, change: Callable[[Standing], None]
    ) -> Usage:
        before = await self.usage(user_id)
        change(self._standing(user_id))
        after = await self.usage(user_id)
        self._note(
            author,
            action,
            user_id=user_id,
            plan_name=after.plan.name,
            before={"subscribed_plan": before.subscribed_plan},
            after={"subscribed_plan": after.subscribed_plan},
        )
        return after

    def _standing(self, user_id: str) -> Standing:
        try:
            return self._accounts.standing(user_id)
        except NotFound:
            raise UnknownUser(f"There is no user {user_id}.") from None

    def _note(
        self,
        author: Author,
        action: str,
        *,
        user_id: str | None = None,
        plan_name: str | None = None,
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
    ) -> None:
        now: datetime = self._accounts.clock.now()
        self._changes.append(
            Change(
                changed_at=now,
                changed_by=author.user_id,
                user_id=user_id,
                plan_name=plan_name,
                action=action,
                before=before,
                after=after,
                reason=author.reason,
            )
        )
