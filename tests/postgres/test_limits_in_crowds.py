"""Thousands at once over four processes: every ceiling is met exactly and given back exactly. Each process has
connections of its own, all open before any of them asks.
"""

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from typing import TypeVar

import psycopg
import pytest

from limits.plans import Plan, SessionsPeriod
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.pool import Database
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.ports.conversations import TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import a_trace_of, new_uuid, postgres_world

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

Part = TypeVar("Part")
Result = TypeVar("Result")

PROCESSES = 4
CONNECTIONS = 20
LIMIT = 5
WAIT_S = 120
LIFETIME = Plan(
    name="five", display_name="Five", chat_sessions_limit=LIMIT, chat_sessions_period=SessionsPeriod.LIFETIME
)
MONTHLY = Plan(
    name="month", display_name="Month", chat_sessions_limit=LIMIT, chat_sessions_period=SessionsPeriod.MONTHLY
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A first prompt of somebody, about a trace, in a session of its own."""

    caller: Caller
    trace_id: str


ready: Barrier


def get_ready(barrier: Barrier) -> None:
    """Give a new process the barrier that all processes wait at."""
    global ready  # noqa: PLW0603 - what an initializer can hand to a worker
    ready = barrier


def ask_all(server_dsn: str, prompts: list[Asked]) -> list[str]:
    """In one process: all these prompts at once; the turns that were accepted."""

    async def asking() -> list[str]:
        async with Database(server_dsn, min_connections=CONNECTIONS, max_connections=CONNECTIONS) as database:
            conversations = PostgresConversations(database)
            gate = asyncio.Semaphore(CONNECTIONS)
            await asyncio.to_thread(ready.wait, WAIT_S)

            async def ask(prompt: Asked) -> str | None:
                request = TurnRequest(
                    caller=prompt.caller,
                    trace_id=prompt.trace_id,
                    session_id=new_uuid(),
                    turn_id=new_uuid(),
                    prompt="why?",
                )
                async with gate:
                    return request.turn_id if (await conversations.reserve_turn(request)).allowed else None

            answers = await asyncio.gather(*(ask(prompt) for prompt in prompts))
            return [turn_id for turn_id in answers if turn_id is not None]

    return asyncio.run(asking())


def fail_all(server_dsn: str, turns: list[str]) -> int:
    """In one process: end all these turns as failed, at once; how many of them this process ended."""

    async def failing() -> int:
        async with Database(server_dsn, min_connections=CONNECTIONS, max_connections=CONNECTIONS) as database:
            conversations = PostgresConversations(database)
            gate = asyncio.Semaphore(CONNECTIONS)
            await asyncio.to_thread(ready.wait, WAIT_S)

            async def fail(turn_id: str) -> bool:
                async with gate:
                    return await conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.FAILED)) is not None

            return sum(await asyncio.gather(*(fail(turn_id) for turn_id in turns)))

    return asyncio.run(failing())


def in_four_processes(
    work: Callable[[str, list[Part]], Result], server_dsn: str, parts: list[list[Part]]
) -> list[Result]:
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        PROCESSES, mp_context=spawning, initializer=get_ready, initargs=(spawning.Barrier(PROCESSES),)
    ) as processes:
        return [future.result(WAIT_S * 3) for future in [processes.submit(work, server_dsn, part) for part in parts]]


async def people(database: FreshDatabase, plan: Plan, number: int) -> list[Asked]:
    """So many users on the plan, each with a trace."""
    found = []
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        records = PostgresTraceRecords(pool)
        for _ in range(number):
            caller = await world.user(plan)
            row = a_trace_of(caller)
            await records.insert(row)
            found.append(Asked(caller, row.trace_id))
    return found


def counters(database: FreshDatabase, asked: list[Asked]) -> set[int]:
    """The counters of these users, in the terms of their plan."""
    with psycopg.connect(database.owner) as owner:
        rows = owner.execute(
            "select (flamechat_private.sessions_standing(u)).used from unnest(%s::uuid[]) as u",
            [[one.caller.user_id for one in asked]],
        ).fetchall()
    return {int(row[0]) for row in rows}


@pytest.mark.parametrize("plan", [LIFETIME, MONTHLY], ids=lambda plan: plan.name)
def test_of_2000_first_prompts_at_once_exactly_five_are_accepted_and_given_back(
    database: FreshDatabase, plan: Plan
) -> None:
    asked = asyncio.run(people(database, plan, 1))
    accepted = in_four_processes(ask_all, database.server, [asked * 500] * PROCESSES)
    turns = [turn_id for some in accepted for turn_id in some]
    assert len(turns) == LIMIT
    assert counters(database, asked) == {LIMIT}
    ended = in_four_processes(fail_all, database.server, [turns] * PROCESSES)
    assert sum(ended) == LIMIT
    assert counters(database, asked) == {0}


def test_500_users_at_once_each_get_exactly_their_five_and_get_them_back(database: FreshDatabase) -> None:
    asked = asyncio.run(people(database, LIFETIME, 500))
    accepted = in_four_processes(ask_all, database.server, [asked + asked] * PROCESSES)
    turns = [turn_id for some in accepted for turn_id in some]
    assert len(turns) == 500 * LIMIT
    assert counters(database, asked) == {LIMIT}
    ended = in_four_processes(
        fail_all, database.server, [turns[place:] + turns[:place] for place in (0, 600, 1200, 1800)]
    )
    assert sum(ended) == 500 * LIMIT
    assert counters(database, asked) == {0}
