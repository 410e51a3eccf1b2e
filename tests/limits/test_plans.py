"""Plans as values: what may be changed, and what another plan would mean."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits.errors import InvalidPlan
from limits.plans import LOCAL_PLAN, Plan, SessionsPeriod, changed, checked
from limits.refusals import LimitType
from limits.usage import Usage, forecast, meters

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MONTHLY = Plan(name="m", display_name="M", chat_sessions_limit=3, chat_sessions_period=SessionsPeriod.MONTHLY)
CEILINGS = st.none() | st.integers(0, 50)


def a_usage(plan: Plan = LOCAL_PLAN, *, lifetime: int = 0, monthly: int = 0, uploads: int = 0) -> Usage:
    return Usage(
        user_id="u",
        display_name=None,
        subscribed_plan=plan.name,
        status="active",
        plan=plan,
        lifetime_sessions=lifetime,
        monthly_sessions=monthly,
        granted_sessions=0,
        uploads=uploads,
        traces=0,
        period_start=NOW,
        period_end=NOW,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Two words"},
        {"display_name": " "},
        {"chat_messages_per_session": -1},
        {"monthly_upload_limit": 1 << 31},
        {"retention_days": 0},
        {"chat_sessions_limit": 3},
        {"chat_sessions_period": SessionsPeriod.MONTHLY},
    ],
)
def test_a_plan_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidPlan):
        checked(replace(LOCAL_PLAN, **wrong))  # type: ignore[arg-type]


def test_unlimited_sessions_have_no_period() -> None:
    assert changed(MONTHLY, {"chat_sessions_limit": None}).chat_sessions_period is None


def test_a_name_is_for_good() -> None:
    with pytest.raises(InvalidPlan, match="name cannot be changed"):
        changed(MONTHLY, {"name": "n"})


def test_a_downgrade_looks_at_the_counter_of_the_new_plans_own_period() -> None:
    usage = a_usage(lifetime=9, monthly=2)
    assert meters(usage, MONTHLY)[0].used == 2
    lifetime = replace(MONTHLY, chat_sessions_period=SessionsPeriod.LIFETIME)
    assert (meters(usage, lifetime)[0].used, meters(usage, lifetime)[0].left) == (9, 0)


@given(CEILINGS, st.lists(st.integers(0, 60), max_size=20))
def test_a_forecast_counts_everybody_whose_next_would_be_refused(limit: int | None, uploads: list[int]) -> None:
    plan = replace(LOCAL_PLAN, monthly_upload_limit=limit)
    foreseen = forecast([a_usage(uploads=used) for used in uploads], plan)
    refused = sum(limit is not None and used >= limit for used in uploads)
    assert (foreseen.users, foreseen.reached_now, foreseen.reached_then) == (len(uploads), 0, refused)
    assert foreseen.by_limit.get(LimitType.MONTHLY_UPLOADS, 0) == refused
    assert (foreseen.full_now, foreseen.full_then) == (0, 0)
