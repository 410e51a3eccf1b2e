"""Budgets of one person or one account, below that of the plan, and what it means that one is nearly spent."""

from dataclasses import dataclass
from datetime import datetime

from limits.errors import InvalidPlan
from limits.refusals import LimitType

MOST = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingLimits:
    """What language models may cost in a month, in cents of models whose price is known and in tokens, and the tokens
    after which a turn calls no more tools. None is no limit of one's own: the plan's is there all the same."""

    monthly_cost_limit_cents: int | None = None
    monthly_token_limit: int | None = None
    turn_token_limit: int | None = None


NONE_OF_ONES_OWN = SpendingLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSpending:
    """What all members of an account have spent in its month, and what binds them. The month is None where nothing has
    been spent yet."""

    account_id: str
    limits: SpendingLimits
    spent_cents: int = 0
    spent_tokens: int = 0
    period_start: datetime | None = None
    period_end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetNotice:
    """80 or 100 `percent` of a budget were reached: of the user's, or where it is named of the account's, by a call of
    that user. Costs are in cents."""

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


def checked_limits(limits: SpendingLimits) -> SpendingLimits:
    """The limits themselves. Raises InvalidPlan for what can be none."""
    for name, least in (("monthly_cost_limit_cents", 0), ("monthly_token_limit", 0), ("turn_token_limit", 1)):
        value = getattr(limits, name)
        if value is not None and not least <= value <= MOST:
            raise InvalidPlan(f"{name} cannot be {value}: it is a number from {least}, or unlimited.")
    return limits


def smallest(*limits: int | None) -> int | None:
    """The one that binds; None where there is none."""
    return min((one for one in limits if one is not None), default=None)


def notice_text(notice: BudgetNotice, *, to_others: bool = False) -> str:
    """The sentence that a person reads: who is concerned, or with `to_others` an administrator, who is not."""
    whose = "this month's budget" if notice.account_id is None else "this account's budget"
    if to_others:
        of = f"user {notice.user_id}" if notice.account_id is None else f"account {notice.account_id}"
        whose = f"the budget of {of}"
    end = f"It starts again on {notice.resets_at:%d %B %Y}."
    if notice.percent < 100:
        return f"{notice.percent} % of {whose} for language models are used. {end}"
    return f"{whose[0].upper()}{whose[1:]} for language models is used up. {end}"
