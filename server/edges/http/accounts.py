"""Plans and usage as clients see them, and the caller's own usage."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Query

from limits.errors import UnknownAccount
from limits.plans import OverBudget, Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.spending import AccountSpending, SpendingLimits
from limits.usage import Meter, Usage, meters
from server.agent.model_call.offered_models import label_of
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForPlans
from server.protocol.base import WireModel

routes = APIRouter(prefix=API, tags=["accounts"])

SessionId = Annotated[str | None, Query(alias="sessionId")]


class PlanView(WireModel):
    """A plan; a null limit is unlimited."""

    name: str
    display_name: str
    price_monthly_cents: int
    chat_messages_per_session: int | None
    chat_sessions_limit: int | None
    chat_sessions_period: SessionsPeriod | None
    monthly_upload_limit: int | None
    total_trace_limit: int | None
    retention_days: int | None
    monthly_cost_limit_cents: int | None
    monthly_token_limit: int | None
    turn_token_limit: int | None
    api_keys_limit: int | None
    api_requests_per_minute: int | None
    monthly_render_limit: int | None
    over_budget: OverBudget
    allow_public_sharing: bool
    hidden_tools: tuple[str, ...]
    chat_models: tuple[str, ...]
    is_retired: bool

    @classmethod
    def of(cls, plan: Plan) -> Self:
        return cls.model_validate(asdict(plan))


class MeterView(WireModel):
    """One thing that is counted; null limits are unlimited, and what never resets has no `resetsAt`."""

    limit_type: LimitType
    used: int
    limit: int | None
    left: int | None
    resets_at: datetime | None

    @classmethod
    def of(cls, meter: Meter) -> Self:
        return cls(
            limit_type=meter.limit_type,
            used=meter.used,
            limit=meter.limit,
            left=meter.left,
            resets_at=meter.resets_at,
        )


class SpendingLimitsView(WireModel):
    """Budgets below the plan's; null is none of one's own."""

    monthly_cost_limit_cents: int | None
    monthly_token_limit: int | None
    turn_token_limit: int | None

    @classmethod
    def of(cls, limits: SpendingLimits) -> Self:
        return cls.model_validate(asdict(limits))


class AccountSpendingView(WireModel):
    """What all members of an account have spent on language models in its month, and what bounds them."""

    account_id: str
    limits: SpendingLimitsView
    spent_cents: int
    spent_tokens: int
    period_start: datetime | None
    period_end: datetime | None

    @classmethod
    def of(cls, spending: AccountSpending) -> Self:
        return cls.model_validate(asdict(spending))


class UsageView(WireModel):
    """A user's usage. `plan` is the one that binds them, `apiKeys` the keys for programs that work, `ownLimits` their
    budgets below the plan's."""

    user_id: str
    display_name: str | None
    subscribed_plan: str
    status: str
    plan: PlanView
    granted_sessions: int
    api_keys: int
    own_limits: SpendingLimitsView
    period_start: datetime
    period_end: datetime
    meters: list[MeterView]

    @classmethod
    def of(cls, usage: Usage) -> Self:
        return cls(
            user_id=usage.user_id,
            display_name=usage.display_name,
            subscribed_plan=usage.subscribed_plan,
            status=usage.status,
            plan=PlanView.of(usage.plan),
            granted_sessions=usage.granted_sessions,
            api_keys=usage.api_keys,
            own_limits=SpendingLimitsView.of(usage.own),
            period_start=usage.period_start,
            period_end=usage.period_end,
            meters=[MeterView.of(meter) for meter in meters(usage)],
        )


class ModelView(WireModel):
    """`label` is what people read."""

    name: str
    label: str


class MyUsage(WireModel):
    """`messages` is of the session that was asked for. `onOffer` are the plans one can be put on, `models` those that a
    prompt may ask for, the default first. `account` is the one that the request acts for."""

    usage: UsageView
    messages: MeterView | None
    on_offer: list[PlanView]
    is_administrator: bool
    models: list[ModelView]
    account: AccountSpendingView | None


@routes.get("/me/usage")
async def my_usage(caller: CurrentCaller, services: ForPlans, session_id: SessionId = None) -> MyUsage:
    """What the caller has used of their plan, what is left and when it renews; with `sessionId`, of that conversation
    too."""
    usage = await services.administration.usage(caller.user_id)
    messages = None
    if session_id is not None:
        limits = await services.conversation.session_limits(caller, session_id)
        messages = MeterView.of(Meter(LimitType.SESSION_MESSAGES, limits.messages_used, limits.messages_limit, None))
    plans = [PlanView.of(plan) for plan in await services.administration.plans() if not plan.is_retired]
    names = services.models.names(usage.plan.chat_models)
    return MyUsage(
        usage=UsageView.of(usage),
        messages=messages,
        on_offer=plans,
        is_administrator=caller.is_administrator,
        models=[ModelView(name=name, label=label_of(name)) for name in names],
        account=await _account(services, caller.account_id),
    )


async def _account(services: ForPlans, account_id: str) -> AccountSpendingView | None:
    """None for one that is gone."""
    try:
        return AccountSpendingView.of(await services.administration.account_spending(account_id))
    except UnknownAccount:
        return None
