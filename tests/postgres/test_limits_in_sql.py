"""The rules that only a real database can break: many at once, and time that passes."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import Connection

from limits.plans import Plan, SessionsPeriod
from limits.refusals import Decision, LimitType
from server.adapters.postgres.pool import Database
from server.errors import LimitExceeded, TurnInProgress
from server.ports.conversations import TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import World, a_trace_of, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

Row = tuple[object, ...]
CROWD = 50
FREE = Plan(
    name="free",
    display_name="Free",
    chat_messages_per_session=25,
    chat_sessions_limit=5,
    chat_sessions_period=SessionsPeriod.LIFETIME,
    monthly_upload_limit=10,
    retention_days=30,
)
PRO = Plan(
    name="pro",
    display_name="Pro",
    price_monthly_cents=1500,
    chat_messages_per_session=50,
    chat_sessions_limit=30,
    chat_sessions_period=SessionsPeriod.MONTHLY,
    total_trace_limit=1000,
    allow_public_sharing=True,
)


@pytest.fixture
def owner(database: FreshDatabase) -> Iterator[Connection[Row]]:
    """Sees what the test's own connections have committed."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield connection


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes its time to open so many connections."""
    monkeypatch.setattr("server.adapters.postgres.pool.WAIT_SECONDS", 60.0)


def a_crowd(database: FreshDatabase) -> Database:
    """Every connection stands ready: a pool that grows would let one prompt in after the other."""
    return Database(database.server, min_connections=CROWD, max_connections=CROWD)


def ask(caller: Caller, trace_id: str, *, session_id: str | None = None, turn_id: str | None = None) -> TurnRequest:
    return TurnRequest(
        caller=caller,
        trace_id=trace_id,
        session_id=session_id or new_uuid(),
        turn_id=turn_id or new_uuid(),
        prompt="why?",
    )


def counters(owner: Connection[Row], caller: Caller) -> tuple[object, object, object]:
    row = owner.execute(
        "select lifetime_chat_analyses_count, monthly_chat_sessions_count, monthly_uploads_used "
        "from user_profiles p join user_subscriptions s on s.user_id = p.id where p.id = %s",
        [caller.user_id],
    ).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def subscribe(owner: Connection[Row], caller: Caller, plan: str, status: str, period_end: str = "now") -> None:
    """Put the user on a plan, in that standing, in a month that ends (or ended) then."""
    owner.execute(
        "update user_subscriptions set status = %s, plan_id = (select id from subscription_plans where name = %s), "
        "current_period_start = %s::timestamptz - interval '1 month', current_period_end = %s::timestamptz "
        "where user_id = %s",
        [status, plan, period_end, period_end, caller.user_id],
    )


@pytest.mark.parametrize("plan", [FREE, PRO], ids=["lifetime", "monthly"])
async def test_first_prompts_at_once_never_pass_the_session_ceiling(
    database: FreshDatabase, owner: Connection[Row], plan: Plan
) -> None:
    async with a_crowd(database) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(plan)
        trace_id = await world.trace(caller)
        decisions = await asyncio.gather(
            *(world.conversations.reserve_turn(ask(caller, trace_id)) for _ in range(CROWD))
        )
    assert sum(decision.allowed for decision in decisions) == plan.chat_sessions_limit
    lifetime, monthly, _ = counters(owner, caller)
    assert (lifetime, monthly) == ((5, 0) if plan is FREE else (0, 30))
    assert owner.execute("select count(*) from chat_turns").fetchone() == (plan.chat_sessions_limit,)
    refused = [decision for decision in decisions if not decision.allowed]
    assert {decision.used for decision in refused} == {plan.chat_sessions_limit}


async def test_prompts_at_once_never_pass_the_messages_of_a_session(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with a_crowd(database) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(FREE)
        trace_id, session_id = await world.trace(caller), new_uuid()
        await world.conversations.open_session(caller, trace_id=trace_id, session_id=session_id)
        decisions = await asyncio.gather(
            *(
                world.conversations.reserve_turn(ask(caller, trace_id, session_id=session_id), queue_behind=True)
                for _ in range(CROWD)
            )
        )
    accepted = sorted(decision.messages_used for decision in decisions if decision.allowed)
    assert accepted == list(range(1, 26, 2)), "each takes its prompt and its answer; the last one begins at 24 of 25"
    assert {d.limit_type for d in decisions if not d.allowed} == {LimitType.SESSION_MESSAGES}
    places = [row[0] for row in owner.execute("select position from chat_messages order by position").fetchall()]
    assert places == list(range(1, 14))


async def test_one_of_many_prompts_at_once_runs_and_the_others_get_the_reason(database: FreshDatabase) -> None:
    async with a_crowd(database) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user()
        trace_id, session_id = await world.trace(caller), new_uuid()
        await world.conversations.open_session(caller, trace_id=trace_id, session_id=session_id)
        answers = await asyncio.gather(
            *(world.conversations.reserve_turn(ask(caller, trace_id, session_id=session_id)) for _ in range(CROWD)),
            return_exceptions=True,
        )
    assert sum(isinstance(answer, Decision) for answer in answers) == 1
    assert sum(isinstance(answer, TurnInProgress) for answer in answers) == CROWD - 1


async def test_the_same_turn_id_at_once_from_two_connections_is_one_turn(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as one, Database(database.server) as two:
        first, second = postgres_world(database.owner, one), postgres_world(database.owner, two)
        caller = await first.user(FREE)
        trace_id = await first.trace(caller)
        for _ in range(5):
            request = ask(caller, trace_id)
            here, there = await asyncio.gather(
                first.conversations.reserve_turn(request), second.conversations.reserve_turn(request)
            )
            assert here == there
            assert here.allowed
    assert owner.execute("select count(*) from chat_turns").fetchone() == (5,)
    assert owner.execute("select count(*) from chat_messages").fetchone() == (5,)
    assert counters(owner, caller)[0] == 5


async def test_a_turn_that_fails_twice_at_once_gives_one_session_back(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(FREE)
        trace_id, failing = await world.trace(caller), new_uuid()
        await world.conversations.reserve_turn(ask(caller, trace_id))
        await world.conversations.reserve_turn(ask(caller, trace_id, turn_id=failing))
        ending = TurnEnding(status=TurnStatus.FAILED)
        ended = await asyncio.gather(*(world.conversations.end_turn(failing, ending) for _ in range(5)))
    assert sorted(ended, key=str) == [None, None, None, None, []]
    assert counters(owner, caller)[0] == 1
    assert owner.execute("select release_chat_session(%s)", [failing]).fetchone() == (False,)
    assert counters(owner, caller)[0] == 1


async def test_a_running_turn_cannot_give_its_session_back(database: FreshDatabase, owner: Connection[Row]) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(FREE)
        running = new_uuid()
        await world.conversations.reserve_turn(ask(caller, await world.trace(caller), turn_id=running))
    assert owner.execute("select release_chat_session(%s)", [running]).fetchone() == (False,)
    assert counters(owner, caller)[0] == 1


async def test_uploads_at_once_never_pass_their_ceilings(database: FreshDatabase, owner: Connection[Row]) -> None:
    async with a_crowd(database) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(FREE)
        reserved = await asyncio.gather(
            *(world.traces.reserve_upload(caller) for _ in range(CROWD)), return_exceptions=True
        )
        assert sum(answer is None for answer in reserved) == 10
        assert counters(owner, caller)[2] == 10
        shelf = await world.user(Plan(name="shelf", display_name="Shelf", total_trace_limit=3))
        inserted = await asyncio.gather(
            *(world.traces.insert(a_trace_of(shelf)) for _ in range(CROWD)), return_exceptions=True
        )
    assert sum(answer is None for answer in inserted) == 3
    assert all(answer is None or isinstance(answer, LimitExceeded) for answer in inserted)


async def test_rolling_at_once_rolls_once(database: FreshDatabase, owner: Connection[Row]) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        for caller in [await world.user() for _ in range(3)]:
            subscribe(owner, caller, "pro", "active", str(datetime(2025, 5, 5, tzinfo=UTC)))

        async def roll() -> int:
            async with pool.transaction() as connection:
                rolled = await connection.execute("select reset_expired_monthly_limits() as rolled")
                return int((await rolled.fetchone() or {"rolled": -1})["rolled"])

        assert sum(await asyncio.gather(*(roll() for _ in range(8)))) == 3


async def test_a_prompt_after_months_of_silence_meets_a_fresh_month(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(PRO)
        subscribe(owner, caller, "pro", "trialing", str(datetime(2025, 2, 3, tzinfo=UTC)))
        owner.execute("update user_subscriptions set monthly_chat_sessions_count = 30")
        assert (await world.conversations.reserve_turn(ask(caller, await world.trace(caller)))).allowed
    assert counters(owner, caller)[1] == 1


async def test_a_session_of_a_past_month_is_not_given_back_to_this_one(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(PRO)
        trace_id, failing = await world.trace(caller), new_uuid()
        await world.conversations.reserve_turn(ask(caller, trace_id, turn_id=failing))
        owner.execute(
            "update user_subscriptions set current_period_start = now() - interval '40 days', "
            "current_period_end = now() - interval '10 days'"
        )
        await world.conversations.reserve_turn(ask(caller, trace_id))
        await world.conversations.end_turn(failing, TurnEnding(status=TurnStatus.FAILED))
    assert counters(owner, caller)[1] == 1


async def spend_the_free_sessions(world: World, owner: Connection[Row], caller: Caller) -> str:
    """Leaves the user without a session of the free plan; returns a trace."""
    owner.execute("update user_profiles set lifetime_chat_analyses_count = 5 where id = %s", [caller.user_id])
    return await world.trace(caller)


@pytest.mark.parametrize("status", ["past_due", "canceled"])
async def test_who_does_not_pay_has_the_limits_of_the_free_plan(
    database: FreshDatabase, owner: Connection[Row], status: str
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(PRO)
        trace_id = await spend_the_free_sessions(world, owner, caller)
        subscribe(owner, caller, "pro", status, "2999-01-01")
        refused = await world.conversations.reserve_turn(ask(caller, trace_id))
    assert (refused.allowed, refused.plan_name, refused.limit_type) == (False, "free", LimitType.LIFETIME_ANALYSES)


async def test_who_has_no_subscription_has_the_limits_of_the_free_plan(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(PRO)
        trace_id = await spend_the_free_sessions(world, owner, caller)
        owner.execute("delete from user_subscriptions")
        refused = await world.conversations.reserve_turn(ask(caller, trace_id))
        assert (refused.allowed, refused.plan_name) == (False, "free")
        for _ in range(10):
            await world.traces.reserve_upload(caller)
        with pytest.raises(LimitExceeded):
            await world.traces.reserve_upload(caller)


async def test_a_downgrade_keeps_the_counters_of_the_new_plans_own_period(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(PRO)
        owner.execute("update user_subscriptions set monthly_chat_sessions_count = 20")
        await world.put_on(caller, FREE)
        limits = await world.conversations.limits(caller, None)
        assert (limits.sessions_used, limits.sessions_limit) == (0, 5)
        assert (await world.conversations.reserve_turn(ask(caller, await world.trace(caller)))).allowed
    assert counters(owner, caller)[:2] == (1, 20)


@pytest.mark.parametrize("plan", [FREE, PRO], ids=["lifetime", "monthly"])
async def test_the_counters_return_the_new_count_and_stop_at_the_ceiling(
    database: FreshDatabase, owner: Connection[Row], plan: Plan
) -> None:
    async with Database(database.server) as pool:
        caller = await postgres_world(database.owner, pool).user(plan)
    count = (
        "select increment_lifetime_chat_analyses(%s)"
        if plan is FREE
        else "select increment_monthly_chat_sessions((select id from user_subscriptions where user_id = %s))"
    )
    limit = plan.chat_sessions_limit or 0
    counted = [owner.execute(count, [caller.user_id]).fetchone() for _ in range(limit + 2)]
    assert counted == [(number,) for number in range(1, limit + 1)] + [(None,), (None,)]


async def test_a_pooler_of_transactions_is_served_without_prepared_statements(
    database: FreshDatabase, owner: Connection[Row]
) -> None:
    async with Database(database.server, pooler=True, max_connections=1) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user()
        for _ in range(10):
            await world.traces.list(caller)
        async with pool.transaction() as connection:
            prepared = await connection.execute("select count(*) as prepared from pg_prepared_statements")
            assert await prepared.fetchone() == {"prepared": 0}
