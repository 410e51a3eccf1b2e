"""Thousands at once: over four processes with connections of their own, all open before any of them asks; and through
the sockets of four servers. Every ceiling is met exactly and given back exactly.
"""

import asyncio
import multiprocessing
import uuid
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from time import monotonic
from typing import TypeVar

import psycopg

from bench.raw_socket import RawSocket
from limits.plans import Plan, SessionsPeriod
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.library_tables import set_up_library_tables
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.ports.conversations import TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import LOCAL_USER_ID, Caller
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import a_trace_of, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world
from tests.soak.fleet import Fleet, fleet
from tests.soak.speaking import Script, in_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly

Part = TypeVar("Part")
Result = TypeVar("Result")

PROCESSES = 4
CONNECTIONS = 20
LIMIT = 5
WAIT_S = 120
SOCKETS = 80
LIFETIME = Plan(
    name="five", display_name="Five", chat_sessions_limit=LIMIT, chat_sessions_period=SessionsPeriod.LIFETIME
)
MONTHLY = Plan(
    name="month", display_name="Month", chat_sessions_limit=LIMIT, chat_sessions_period=SessionsPeriod.MONTHLY
)

FIVE = """
with five as (
    insert into subscription_plans (name, display_name, chat_sessions_limit, chat_sessions_period)
    values ('five', 'Five', 5, 'lifetime') returning id
)
update user_subscriptions set plan_id = (select id from five) where user_id = %s::uuid returning 1
"""
USED = "select lifetime_chat_analyses_count from user_profiles where id = %s::uuid"


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


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a crowd: prompts asked, turns accepted, the users' counters then, turns given back, the counters after that,
    seconds to decide them all."""

    asked: int
    accepted: int
    counters: set[int]
    given_back: int
    counters_after: set[int]
    seconds: float


def one_user(database: FreshDatabase, plan: Plan, prompts: int) -> Seen:
    """So many first prompts at once of one user, then all of them fail, each failure stored four times."""
    return _crowd(database, asyncio.run(people(database, plan, 1)), prompts // PROCESSES)


def many_users(database: FreshDatabase, plan: Plan, users: int) -> Seen:
    """So many users at once, each with more first prompts than the plan allows."""
    return _crowd(database, asyncio.run(people(database, plan, users)), 2)


def _crowd(database: FreshDatabase, asked: list[Asked], times: int) -> Seen:
    started = monotonic()
    accepted = in_four_processes(ask_all, database.server, [asked * times] * PROCESSES)
    seconds = monotonic() - started
    turns = [turn_id for some in accepted for turn_id in some]
    then = counters(database, asked)
    quarter = max(len(turns) // PROCESSES, 1)
    ended = in_four_processes(
        fail_all, database.server, [turns[part * quarter :] + turns[: part * quarter] for part in range(PROCESSES)]
    )
    return Seen(
        len(asked) * times * PROCESSES, len(turns), then, sum(ended), counters(database, asked), round(seconds, 1)
    )


@dataclass(frozen=True, slots=True)
class Crowds:
    name: str = "crowds"
    aim: int = 4
    prompts: int = 2000
    users: int = 500

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """One crowd after the other, until all have been seen or the time is over."""
        while not tally.is_complete and monotonic() < until:
            await (self._in_sql, self._in_sql, self._in_sql, self._over_websockets)[tally.done](folder, tally)
            tally.done += 1
            tally.save(saved)

    async def _in_sql(self, folder: Path, tally: Tally) -> None:
        async with EmbeddedPostgres(folder / "postgres") as postgres:
            await migrate(postgres.owner_dsn, bootstrap=True)
            await set_up_library_tables(postgres.owner_dsn)
            database = FreshDatabase(postgres.owner_dsn, postgres.server_dsn)
            if tally.done == 2:
                name, expected = f"{self.users} users, {PROCESSES * 2} prompts each", self.users * LIMIT
                seen = await asyncio.to_thread(many_users, database, LIFETIME, self.users)
            else:
                plan, expected = (LIFETIME, MONTHLY)[tally.done], LIMIT
                name = f"{self.prompts} prompts, {plan.chat_sessions_period}"
                seen = await asyncio.to_thread(one_user, database, plan, self.prompts)
        tally.count(f"{name}: accepted", seen.accepted)
        tally.count(f"{name}: users whose counter is not {LIMIT}", int(seen.counters != {LIMIT}))
        tally.count(f"{name}: given back", seen.given_back)
        tally.count(f"{name}: users whose counter is not 0 after that", int(seen.counters_after != {0}))
        tally.sample(f"{name}: seconds", seen.seconds)
        if (seen.accepted, seen.counters, seen.given_back, seen.counters_after) != (expected, {LIMIT}, expected, {0}):
            tally.complain(f"{name}: {seen}")

    async def _over_websockets(self, folder: Path, tally: Tally) -> None:
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder / "sockets", PROCESSES, model_url=endpoint.base_url) as servers,
        ):
            await servers.select(FIVE, [LOCAL_USER_ID])
            started = monotonic()
            each = self.prompts // SOCKETS
            answers = await asyncio.gather(*(_knock(servers, number, each) for number in range(SOCKETS)))
            tally.sample(f"{self.prompts} prompts over WebSockets: seconds", monotonic() - started)
            said = [answer for some in answers for answer in some]
            [(used,)] = await servers.select(USED, [LOCAL_USER_ID])
        tally.count(f"{self.prompts} prompts over WebSockets: accepted", said.count("waiting_for_model"))
        tally.count(f"{self.prompts} prompts over WebSockets: refused", said.count("limit_exceeded"))
        tally.count(f"{self.prompts} prompts over WebSockets: counter", used)

    def figures(self, tally: Tally) -> list[Figure]:
        expected = {
            f"{self.prompts} prompts, lifetime": LIMIT,
            f"{self.prompts} prompts, monthly": LIMIT,
            f"{self.users} users, {PROCESSES * 2} prompts each": self.users * LIMIT,
        }
        figures = [Figure(self.name, "crowds", f"{tally.done}", f"= {self.aim}", tally.is_complete)]
        for name, turns in expected.items():
            figures += [
                exactly(tally, f"{name}: accepted", turns),
                exactly(tally, f"{name}: users whose counter is not {LIMIT}", 0),
                exactly(tally, f"{name}: given back", turns),
                exactly(tally, f"{name}: users whose counter is not 0 after that", 0),
            ]
        prompts_sent = f"{self.prompts} prompts over WebSockets"
        figures += [
            exactly(tally, f"{prompts_sent}: accepted", LIMIT),
            exactly(tally, f"{prompts_sent}: refused", self.prompts // SOCKETS * SOCKETS - LIMIT),
            exactly(tally, f"{prompts_sent}: counter", LIMIT),
        ]
        figures += [
            Figure(self.name, name, f"{values[-1]:.1f}") for name, values in tally.samples.items() if "seconds" in name
        ]
        return figures


async def _knock(servers: Fleet, number: int, times: int) -> list[str]:
    """On one socket so many first prompts, each in a session of its own; what was answered to each."""
    address = servers.addresses[number % len(servers.addresses)]
    socket = await RawSocket.join(address, traceId=servers.trace_id, sessionId=str(uuid.uuid4()))
    answers = []
    for time in range(times):
        script = Script(in_letters(number * times + time), words=1, looks=0)
        session = str(uuid.uuid4())
        socket.send(type="start_analysis", traceId=servers.trace_id, sessionId=session, prompt=script.prompt)
        while (message := await socket.next())["type"] not in {"waiting_for_model", "chat_error", "protocol_error"}:
            pass
        answers.append(message.get("errorCode") or message["type"])
    socket.close()
    return answers
