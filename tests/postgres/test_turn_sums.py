"""What a turn's row says of its tokens and cost is the sum of its model calls, whatever its last attempt knows."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from time import monotonic
from typing import Any

import psycopg
import pytest

from limits.plans import Plan
from server.adapters.postgres.pool import Database
from server.ports.conversations import TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from server.ports.invocations import CallCost, Invocation, Outcome, invocation_id_of
from tests.contracts.test_budgets_contract import a_call, ended
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import World, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

BOUND = CallCost(None, 1_000)
SAID = TurnEnding(status=TurnStatus.COMPLETED, input_tokens=100, output_tokens=7, cost_usd=0.25, messages=())


def of_attempt(row: Invocation, attempt: int) -> Invocation:
    invocation_id = invocation_id_of(row.turn_id or "", attempt, row.call_number, row.try_number)
    return replace(row, invocation_id=invocation_id, attempt=attempt)


@pytest.mark.parametrize(
    ("calls", "ending", "sums"),
    [
        ([], SAID, (100, 7, Decimal("0.25"))),
        ([(1, "0.1", 100), (2, "0.1", 100)], SAID, (200, 0, Decimal("0.2"))),
        ([(1, None, 100), (2, "0.1", 100)], SAID, (200, 0, None)),
        ([(1, "0.1", None), (2, "0.1", 100)], SAID, (None, None, Decimal("0.2"))),
        ([(1, "0.1", 100)], TurnEnding(status=TurnStatus.CANCELLED, messages=()), (100, 0, Decimal("0.1"))),
    ],
    ids=["no call", "a call made again", "a call without a price", "a call without usage", "stopped"],
)
async def test_a_turn_has_used_what_its_calls_have(
    crowded_database: FreshDatabase,
    calls: list[tuple[int, str | None, int | None]],
    ending: TurnEnding,
    sums: tuple[Any, ...],
) -> None:
    async with Database(crowded_database.server) as pool:
        world = postgres_world(crowded_database.owner, pool)
        caller, turn_id = await an_accepted_turn(world)
        for attempt, cost, tokens in calls:
            row = of_attempt(a_call(caller, turn_id), attempt)
            await world.invocations.begin(row, BOUND)
            await world.invocations.record(ended(row, cost, tokens))
        if calls:
            cut_off = of_attempt(a_call(caller, turn_id, 9), 1)
            await world.invocations.begin(cut_off, BOUND)
            await world.invocations.record(replace(cut_off, outcome=Outcome.BROKEN))
        await world.conversations.end_turn(turn_id, ending)
    assert stored(crowded_database, turn_id) == sums


async def test_the_call_of_an_overtaken_attempt_that_comes_after_the_end_is_counted(
    crowded_database: FreshDatabase,
) -> None:
    """A process that stood still goes on with its call when another one has answered."""
    async with Database(crowded_database.server) as pool:
        world = postgres_world(crowded_database.owner, pool)
        caller, turn_id = await an_accepted_turn(world)
        late, taken = (of_attempt(a_call(caller, turn_id), attempt) for attempt in (1, 2))
        for row in (late, taken):
            await world.invocations.begin(row, BOUND)
        await world.invocations.record(ended(taken, "0.1", 100))
        await world.conversations.end_turn(turn_id, SAID)
        assert stored(crowded_database, turn_id) == (100, 0, Decimal("0.1"))
        await world.invocations.record(ended(late, "0.2", 50))
    assert stored(crowded_database, turn_id) == (150, 0, Decimal("0.3"))


async def test_a_call_that_comes_while_its_turn_ends_waits_for_the_end_and_is_counted(
    crowded_database: FreshDatabase,
) -> None:
    async with Database(crowded_database.server) as pool:
        world = postgres_world(crowded_database.owner, pool)
        caller, turn_id = await an_accepted_turn(world)
        late = of_attempt(a_call(caller, turn_id), 1)
        await world.invocations.begin(late, BOUND)
        with psycopg.connect(crowded_database.owner) as owner:
            owner.execute("update chat_turns set status = 'completed', ended_at = now() where id = %s", [turn_id])
            async with asyncio.TaskGroup() as tasks:
                recording = tasks.create_task(world.invocations.record(ended(late, "0.2", 50)))
                await asyncio.to_thread(until_one_waits, crowded_database)
                assert not recording.done()
                owner.commit()
    assert stored(crowded_database, turn_id) == (50, 0, Decimal("0.2"))


async def an_accepted_turn(world: World) -> tuple[Caller, str]:
    caller = await world.user(Plan(name="team", display_name="Team"))
    turn_id = new_uuid()
    await world.conversations.accept_turn(
        TurnRequest(
            caller=caller,
            trace_id=await world.trace(caller),
            session_id=new_uuid(),
            turn_id=turn_id,
            prompt="why?",
        )
    )
    return caller, turn_id


def until_one_waits(database: FreshDatabase) -> None:
    """Until a statement of this database waits for a lock. Raises AssertionError after a minute."""
    waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    bound = monotonic() + 60
    with psycopg.connect(database.owner, autocommit=True) as owner:
        while owner.execute(waits).fetchone() == (0,):
            assert monotonic() < bound


def stored(database: FreshDatabase, turn_id: str) -> tuple[Any, ...] | None:
    """What the turn's row says: tokens in, tokens out, US dollars."""
    with psycopg.connect(database.owner) as owner:
        return owner.execute(
            "select input_tokens, output_tokens, cost_usd from chat_turns where id = %s", [turn_id]
        ).fetchone()
