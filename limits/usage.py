"""Where a user stands, and what another plan would mean for them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from limits.plans import Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.spending import NONE_OF_ONES_OWN, SpendingLimits, smallest


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One user's counters. `plan` is the one that binds them, which is not the one they subscribed to while that is
    unpaid; `granted_sessions` come on top of it. `spent_cents` and `spent_tokens` are of model calls of the month,
    cents rounded up, `own` the budget that is this user's below the plan's; `renders` of the month, `api_keys` those
    that work."""

    user_id: str
    display_name: str | None
    subscribed_plan: str
    status: str
    plan: Plan
    lifetime_sessions: int
    monthly_sessions: int
    granted_sessions: int
    uploads: int
    traces: int
    period_start: datetime
    period_end: datetime
    spent_cents: int = 0
    spent_tokens: int = 0
    renders: int = 0
    api_keys: int = 0
    own: SpendingLimits = NONE_OF_ONES_OWN


@dataclass(frozen=True, slots=True)
class Meter:
    """One thing that is counted: `limit` None is unlimited, `resets_at` None never resets."""

    limit_type: LimitType
    used: int
    limit: int | None
    resets_at: datetime | None

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(self.limit - self.used, 0)

    @property
    def is_reached(self) -> bool:
        return self.limit is not None and self.used >= self.limit


def meters(usage: Usage, plan: Plan | None = None) -> tuple[Meter, ...]:
    """Sessions, uploads of the month, stored traces, and budgets, pictures and keys where they are bounded, under the
    user's own plan or another one."""
    plan = plan or usage.plan
    is_lifetime = plan.chat_sessions_period is SessionsPeriod.LIFETIME
    sessions = None if plan.chat_sessions_limit is None else plan.chat_sessions_limit + usage.granted_sessions
    return (
        Meter(
            LimitType.LIFETIME_ANALYSES if is_lifetime else LimitType.MONTHLY_SESSIONS,
            usage.lifetime_sessions if is_lifetime else usage.monthly_sessions,
            sessions,
            None if is_lifetime else usage.period_end,
        ),
        Meter(LimitType.MONTHLY_UPLOADS, usage.uploads, plan.monthly_upload_limit, usage.period_end),
        Meter(LimitType.TOTAL_TRACES, usage.traces, plan.total_trace_limit, None),
        *(
            Meter(limit_type, used, limit, usage.period_end)
            for limit_type, used, limit in (
                (
                    LimitType.MONTHLY_COST,
                    usage.spent_cents,
                    smallest(plan.monthly_cost_limit_cents, usage.own.monthly_cost_limit_cents),
                ),
                (
                    LimitType.MONTHLY_TOKENS,
                    usage.spent_tokens,
                    smallest(plan.monthly_token_limit, usage.own.monthly_token_limit),
                ),
                (LimitType.MONTHLY_RENDERS, usage.renders, plan.monthly_render_limit),
            )
            if limit is not None
        ),
        *(
            ()
            if plan.api_keys_limit is None
            else (Meter(LimitType.API_KEYS, usage.api_keys, plan.api_keys_limit, None),)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """How a change of plan would affect `users`: how many are at a limit under the present plan and under the new one,
    and there by which limit; and how many of their conversations take no more messages under each."""

    users: int
    reached_now: int
    reached_then: int
    by_limit: dict[LimitType, int]
    full_now: int
    full_then: int


def forecast(usages: Iterable[Usage], plan: Plan, *, full_now: int = 0, full_then: int = 0) -> Forecast:
    """What it would mean for these users to be bound by that plan. Conversations are counted elsewhere."""
    users = now = then = 0
    by_limit: Counter[LimitType] = Counter()
    for usage in usages:
        users += 1
        now += any(meter.is_reached for meter in meters(usage))
        reached = [meter.limit_type for meter in meters(usage, plan) if meter.is_reached]
        then += bool(reached)
        by_limit.update(reached)
    return Forecast(
        users=users,
        reached_now=now,
        reached_then=then,
        by_limit=dict(by_limit),
        full_now=full_now,
        full_then=full_then,
    )
