"""Budgets of users and accounts below their plans', and what was reached of budgets, for administrators."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from limits.administration import Author
from limits.refusals import LimitType
from limits.spending import BudgetNotice, SpendingLimits, notice_text
from server.edges.http.accounts import AccountSpendingView, UsageView
from server.edges.http.admin import MAX_BODY_BYTES, Ceiling, Reason, administrator
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForPlans
from server.protocol.base import WireModel

routes = APIRouter(
    prefix=f"{API}/admin", tags=["admin"], dependencies=[Depends(administrator)], max_body_size=MAX_BODY_BYTES
)


class NewLimits(WireModel):
    """In place of those that were; null is none of one's own."""

    monthly_cost_limit_cents: Ceiling = None
    monthly_token_limit: Ceiling = None
    turn_token_limit: Annotated[int, Field(ge=1, lt=1 << 31)] | None = None
    reason: Reason = None

    @property
    def limits(self) -> SpendingLimits:
        return SpendingLimits(**self.model_dump(exclude={"reason"}))


class BudgetNoticeView(WireModel):
    """`percent` (80 or 100) of a budget were reached by a call of the user; costs are in cents. `accountId` is whose
    budget it is, null for the user's."""

    notice_id: str
    user_id: str
    account_id: str | None
    limit_type: LimitType
    percent: int
    used: int
    limit: int
    plan_name: str
    resets_at: datetime
    at: datetime
    message: str

    @classmethod
    def of(cls, notice: BudgetNotice) -> "BudgetNoticeView":
        return cls(**asdict(notice), message=notice_text(notice, to_others=True))


@routes.put("/users/{user_id}/limits")
async def limit_user(user_id: str, new: NewLimits, caller: CurrentCaller, services: ForPlans) -> dict[str, UsageView]:
    """Binds the next call of a model, where it is below the plan's."""
    author = Author(user_id=caller.user_id, reason=new.reason)
    return {"user": UsageView.of(await services.administration.limit_user(user_id, new.limits, author))}


@routes.get("/accounts/{account_id}/spending")
async def account_spending(account_id: str, services: ForPlans) -> dict[str, AccountSpendingView]:
    """What all its members have spent in its month."""
    return {"account": AccountSpendingView.of(await services.administration.account_spending(account_id))}


@routes.put("/accounts/{account_id}/limits")
async def limit_account(
    account_id: str, new: NewLimits, caller: CurrentCaller, services: ForPlans
) -> dict[str, AccountSpendingView]:
    """Binds the next call of a model of all its members together."""
    author = Author(user_id=caller.user_id, reason=new.reason)
    found = await services.administration.limit_account(account_id, new.limits, author)
    return {"account": AccountSpendingView.of(found)}


@routes.get("/budget-notices")
async def budget_notices(
    services: ForPlans, limit: Annotated[int, Query(ge=1, le=500)] = 100
) -> dict[str, list[BudgetNoticeView]]:
    """What was reached of budgets, newest first: each share once."""
    found = await services.administration.budget_notices(limit=limit)
    return {"notices": [BudgetNoticeView.of(one) for one in found]}
