"""Months go by, whether or not anybody comes."""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

Row = tuple[object, ...]


def a_subscription(owner: Connection[Row], *, status: str, period_end: str) -> str:
    """A user whose month ended then, with everything used up."""
    user_id = str(uuid4())
    owner.execute("insert into auth.users (id) values (%s)", [user_id])
    owner.execute(
        "update user_subscriptions set status = %s, current_period_start = %s::timestamptz - interval '1 month', "
        "current_period_end = %s, monthly_chat_sessions_count = 30, monthly_uploads_used = 9 where user_id = %s",
        [status, period_end, period_end, user_id],
    )
    return user_id


@pytest.mark.parametrize("status", ["active", "trialing", "free", "past_due", "canceled"])
@pytest.mark.parametrize(
    "silence", ["0 seconds", "1 day", "27 days", "1 month", "59 days", "14 months", "10 years 3 days"]
)
def test_an_expired_period_rolls_to_the_one_that_contains_now(
    owner: Connection[Row], status: str, silence: str
) -> None:
    [ended] = owner.execute("select now() - %s::interval", [silence]).fetchone() or [None]
    user_id = a_subscription(owner, status=status, period_end=str(ended))
    assert owner.execute("select reset_expired_monthly_limits()").fetchone() == (1,)
    assert owner.execute(
        "select monthly_chat_sessions_count, monthly_uploads_used, "
        "current_period_start <= now() and now() < current_period_end, current_period_start >= %s, "
        "current_period_end - current_period_start <= interval '31 days' "
        "from user_subscriptions where user_id = %s",
        [ended, user_id],
    ).fetchone() == (0, 0, True, True, True)
    assert owner.execute("select reset_expired_monthly_limits()").fetchone() == (0,)


def test_a_period_that_has_not_ended_keeps_its_counters(owner: Connection[Row]) -> None:
    user_id = a_subscription(owner, status="active", period_end="2999-01-01")
    assert owner.execute("select reset_expired_monthly_limits()").fetchone() == (0,)
    assert owner.execute(
        "select monthly_chat_sessions_count from user_subscriptions where user_id = %s", [user_id]
    ).fetchone() == (30,)


def test_one_user_can_be_rolled_alone(owner: Connection[Row]) -> None:
    one, other = (a_subscription(owner, status="active", period_end="2025-01-01") for _ in range(2))
    assert owner.execute("select reset_expired_monthly_limits(%s)", [one]).fetchone() == (1,)
    assert owner.execute(
        "select user_id::text from user_subscriptions where current_period_end <= now()"
    ).fetchall() == [(other,)]


SPAN_S = int(timedelta(days=60 * 365).total_seconds())
MOMENTS = st.integers(0, SPAN_S).map(lambda second: datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=second))


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moments=st.tuples(MOMENTS, MOMENTS).map(sorted))
def test_a_period_contains_its_moment_and_renews_on_its_day_or_the_last_of_the_month(
    owner: Connection[Row], zone: str, moments: list[datetime]
) -> None:
    ended, moment = moments
    owner.execute("select set_config('timezone', %s, true)", [zone])
    found = owner.execute("select * from flamechat_private.period_containing(%s, %s)", [ended, moment]).fetchall()
    [(starts, ends)] = found
    assert isinstance(starts, datetime)
    assert isinstance(ends, datetime)
    assert ended <= starts <= moment < ends
    for edge in (starts.astimezone(UTC), ends.astimezone(UTC)):
        assert edge.timetz() == ended.timetz()
        assert edge.day == min(ended.day, monthrange(edge.year, edge.month)[1])
    months = [edge.astimezone(UTC).year * 12 + edge.astimezone(UTC).month for edge in (starts, ends)]
    assert months[1] - months[0] == 1


def test_a_month_that_began_on_the_31st_does_so_again_after_a_february(owner: Connection[Row]) -> None:
    user_id = str(uuid4())
    owner.execute("insert into auth.users (id) values (%s)", [user_id])
    owner.execute(
        "update user_subscriptions set current_period_start = '2020-01-31 12:00Z', "
        "current_period_end = '2020-02-29 12:00Z' where user_id = %s",
        [user_id],
    )
    assert owner.execute("select reset_expired_monthly_limits(%s)", [user_id]).fetchone() == (1,)
    [start] = owner.execute(
        "select current_period_start from user_subscriptions where user_id = %s", [user_id]
    ).fetchone() or [None]
    assert isinstance(start, datetime)
    start = start.astimezone(UTC)
    assert start.day == monthrange(start.year, start.month)[1]
    later = owner.execute(
        "select starts from user_subscriptions s, "
        "flamechat_private.period_containing(flamechat_private.anchor_of(s), '2199-03-31 13:00Z') where user_id = %s",
        [user_id],
    ).fetchone()
    assert later == (datetime(2199, 3, 31, 12, tzinfo=UTC),)
    owner.execute(  # as it stands in a February, of which the end alone says nothing of the 31st
        "update user_subscriptions set current_period_start = '2021-02-28 12:00Z', "
        "current_period_end = '2021-03-31 12:00Z' where user_id = %s and period_anchor = '2020-01-31 12:00Z'",
        [user_id],
    )
    anchor = owner.execute(
        "select flamechat_private.anchor_of(s) from user_subscriptions s where user_id = %s", [user_id]
    ).fetchone()
    assert anchor == (datetime(2020, 1, 31, 12, tzinfo=UTC),)


def test_a_period_that_was_set_by_hand_is_counted_from(owner: Connection[Row]) -> None:
    user_id = str(uuid4())
    owner.execute("insert into auth.users (id) values (%s)", [user_id])
    owner.execute(
        "update user_subscriptions set period_anchor = '2020-01-31', current_period_start = '2020-06-10 00:00Z', "
        "current_period_end = '2020-07-10 00:00Z' where user_id = %s",
        [user_id],
    )
    owner.execute("select reset_expired_monthly_limits(%s)", [user_id])
    assert owner.execute(
        "select extract(day from current_period_start at time zone 'UTC')::integer from user_subscriptions "
        "where user_id = %s",
        [user_id],
    ).fetchone() == (10,)
