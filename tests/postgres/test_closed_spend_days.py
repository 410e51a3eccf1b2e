"""Days that are over are added up once; what changes of them all the same is in the next report."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import psycopg

from limits.administration import Author
from server.adapters.postgres.pool import Database
from server.ports.invocations import Spend, SpendBy
from tests.contracts.test_invocations_contract import a_call, answered
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import World
from tests.plugins.worlds_on_postgres import postgres_world

NOW = datetime.now(UTC)


async def reports(world: World) -> list[Sequence[Spend]]:
    return [await world.invocations.spend(by) for by in SpendBy]


def closed(database: FreshDatabase) -> tuple[int, int]:
    """Days that are closed, and how many rows their sums have."""
    with psycopg.connect(database.owner) as owner:
        rows = owner.execute(
            "select (select count(*) from flamechat_private.ai_spend_closed_days), "
            "(select count(*) from flamechat_private.ai_spend_totals)"
        ).fetchall()
    return rows[0]


async def test_a_report_is_the_same_before_and_after_days_are_closed_and_after_one_changes(
    database: FreshDatabase,
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        callers = [await world.user() for _ in range(2)]
        rows = [
            replace(answered(a_call(caller)), started_at=NOW - timedelta(days=days), model_asked=f"m{days % 2}")
            for caller in callers
            for days in (0, 1, 2, 5, 40)
        ]
        for row in rows:
            await world.invocations.record(row)
        before = await reports(world)
        assert closed(database) == (0, 0)
        await world.plans.roll_periods()
        days, sums = closed(database)
        assert (days, sums) == (39, 3 * (1 + 2 + 2 + 1 + 1 + 1))
        assert await reports(world) == before
        await world.plans.roll_periods()
        assert closed(database) == (days, sums)

        late = replace(answered(a_call(callers[0]), cost="7"), started_at=NOW - timedelta(days=5), model_asked="m1")
        await world.invocations.record(late)
        assert closed(database)[0] == days - 1
        (of_day,) = [one for one in await world.invocations.spend(SpendBy.MODEL) if one.key == "m1"]
        assert of_day.cost_usd == Decimal(7) + 4 * Decimal("0.0012")
        opened = await reports(world)
        await world.plans.roll_periods()
        assert closed(database)[0] == days
        assert await reports(world) == opened
        since = NOW - timedelta(days=5)
        assert [one.calls for one in await world.invocations.spend(SpendBy.DAY, since=since)] == [3, 2, 2, 2]
        until = NOW - timedelta(days=6)
        assert [one.calls for one in await world.invocations.spend(SpendBy.DAY, until=until)] == [2]


async def test_who_is_removed_is_in_no_sum(database: FreshDatabase) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user()
        await world.invocations.record(replace(answered(a_call(caller)), started_at=NOW - timedelta(days=9)))
        await world.plans.roll_periods()
        assert closed(database)[1] > 0
        with psycopg.connect(database.owner) as owner:
            owner.execute("delete from public.accounts where id = %s", [caller.account_id])
        assert closed(database)[1] == 0
        assert await world.invocations.spend(SpendBy.USER) == []
        await world.plans.reset_usage(caller.user_id, Author(user_id=caller.user_id))
