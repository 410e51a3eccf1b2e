"""What goes wrong elsewhere, and must not here: limits. The numbers are those of the list that this product was planned
against; each test says what its item means for us.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, LiteralString

import pytest
from psycopg import AsyncConnection

from limits.plans import Plan, SessionsPeriod
from limits.refusals import LimitType
from server.adapters.postgres.pool import Database
from server.errors import TurnInProgress
from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnStatus
from server.ports.identity import Caller
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, World, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

AT_ONCE = 30
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
)


@dataclass(frozen=True, slots=True)
class Books:
    """A world on PostgreSQL, and what only its owner may write: what a payment provider reports."""

    world: World
    owner: AsyncConnection[Any]

    async def note(self, caller: Caller, what: LiteralString) -> None:
        await self.owner.execute(f"update user_subscriptions set {what} where user_id = %s", [caller.user_id])

    async def exchanges(self, caller: Caller, count: int) -> None:
        """So many conversations of one question and one answer."""
        for _ in range(count):
            await (await Talk.begin(self.world, caller)).exchange()


@pytest.fixture(scope="module")
async def books(crowded_database: FreshDatabase) -> AsyncIterator[Books]:
    """One for the module: thirty connections are thirty processes of the database. Each test has people of its own."""
    owner = await AsyncConnection.connect(crowded_database.owner, autocommit=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.adapters.postgres.pool.WAIT_SECONDS", 60.0)  # so many connections at once
        crowd = Database(crowded_database.server, min_connections=AT_ONCE, max_connections=AT_ONCE)
        async with owner, crowd as pool:
            yield Books(postgres_world(owner, pool), owner)


async def test_g10_parallel_first_prompts_cannot_pass_the_limit(books: Books) -> None:
    """Reserving is deciding: there is no moment between a look at the counter and its change."""
    caller = await books.world.user(FREE)
    talks = [await Talk.begin(books.world, caller) for _ in range(AT_ONCE)]
    decisions = await asyncio.gather(*(talk.ask(new_uuid()) for talk in talks))
    assert sum(decision.allowed for decision in decisions) == 5
    assert await talks[0].sessions_used() == 5


async def test_g10_parallel_prompts_of_a_session_run_one_at_a_time(books: Books) -> None:
    """Turns of one session are serialised, whoever sends them and however often."""
    talk = await Talk.begin(books.world, await books.world.user())
    answers = await asyncio.gather(*(talk.ask(new_uuid()) for _ in range(AT_ONCE)), return_exceptions=True)
    assert sum(isinstance(answer, TurnInProgress) for answer in answers) == AT_ONCE - 1


async def test_g11_a_first_turn_that_fails_takes_no_session_and_its_successor_takes_one(books: Books) -> None:
    """Neither is a failure paid for, nor does it make the conversation free for ever."""
    talk, failing = await Talk.begin(books.world, await books.world.user(FREE)), new_uuid()
    await talk.ask(failing)
    await talk.end(failing, TurnStatus.FAILED)
    assert await talk.sessions_used() == 0
    await talk.exchange()
    assert await talk.sessions_used() == 1
    await talk.exchange()
    assert await talk.sessions_used() == 1


@pytest.mark.parametrize("status", ["past_due", "canceled"])
async def test_g12_a_plan_that_is_not_paid_is_the_free_one_with_its_limits(books: Books, status: str) -> None:
    """No active subscription means fewer conversations, not unlimited ones."""
    caller = await books.world.user(PRO)
    await books.note(caller, "status = 'past_due'" if status == "past_due" else "status = 'canceled'")
    await books.exchanges(caller, 5)
    refused = await (await Talk.begin(books.world, caller)).ask(new_uuid())
    assert (refused.allowed, refused.plan_name, refused.limit_type, refused.limit) == (
        False,
        "free",
        LimitType.LIFETIME_ANALYSES,
        5,
    )


@pytest.mark.parametrize("status", ["active", "trialing"])
async def test_g13_a_month_that_ended_is_reset_by_the_first_who_asks(books: Books, status: str) -> None:
    """The check looks at the period itself: no renewal, trial or missed run of a schedule leaves a counter standing."""
    caller = await books.world.user(PRO)
    await books.note(
        caller,
        "monthly_chat_sessions_count = 30, current_period_start = now() - interval '40 days', "
        "current_period_end = now() - interval '10 days'",
    )
    await books.note(caller, "status = 'trialing'" if status == "trialing" else "status = 'active'")
    talk = await Talk.begin(books.world, caller)
    assert (await talk.ask(new_uuid())).allowed
    assert await talk.sessions_used() == 1


async def test_g13_a_downgrade_counts_by_the_new_plans_own_period(books: Books) -> None:
    """Who had twenty conversations this month on a larger plan is not locked out of the smaller one."""
    caller = await books.world.user(PRO)
    await books.exchanges(caller, 7)
    await books.world.put_on(caller, FREE)
    talk = await Talk.begin(books.world, caller)
    assert (await talk.ask(new_uuid())).allowed
    assert await talk.sessions_used() == 1


async def test_g14_a_turn_with_ten_tool_calls_counts_as_two_messages(books: Books) -> None:
    """Messages are those that people see, in the check before a turn and in the one within it alike."""
    caller = await books.world.user(FREE)
    talk, turn_id = await Talk.begin(books.world, caller), new_uuid()
    asked = await talk.ask(turn_id)
    calls = [
        NewMessage(message_id=new_uuid(), sender=sender, text="", tool_name="t", tool_call_id=f"call_{number}")
        for number in range(10)
        for sender in (Sender.TOOL_REQUEST, Sender.TOOL_RESULT)
    ]
    answer = NewMessage(message_id=new_uuid(), sender=Sender.MODEL, text="because")
    ending = TurnEnding(status=TurnStatus.COMPLETED, messages=(*calls, answer))
    await books.world.conversations.end_turn(turn_id, ending)
    limits = await books.world.conversations.limits(caller, talk.session_id)
    assert (asked.messages_used, limits.messages_used, limits.messages_limit) == (1, 2, 25)
    started = new_uuid()
    assert (await talk.ask(started)).messages_used == 3
    running = await books.world.conversations.start_turn(started, owner="a")
    assert running is not None
    assert running.messages_used == 3
