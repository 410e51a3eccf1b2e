"""A process is informed of the sessions that somebody follows there, of no others, and of those that come later."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import psycopg

from server.adapters.postgres.announcements import CHANNEL, Announcements, channel_of
from tests.arrivals import Arrivals
from tests.plugins.postgres import FreshDatabase


class Process:
    """`received` are the sessions announced to it, `looked_at` those it was asked to look at, `connected` how often a
    connection of its own listened."""

    def __init__(self, dsn: str, *followed: str) -> None:
        self.followed = set(followed)
        self.received, self.looked_at = Arrivals[str](), Arrivals[str]()
        self.connected, self.passed_over = Arrivals[None](), Arrivals[str]()
        self.announcements = Announcements(
            dsn,
            self.followed,
            received=lambda what: self.received.append(what.session_id),
            look_at=self._look_at,
            connected=lambda: self.connected.append(None),
            passed_over=self.passed_over.append,
        )

    def _look_at(self, sessions: list[str]) -> None:
        for one in sessions:
            self.looked_at.append(one)

    async def follow(self, session_id: str) -> None:
        """Returns once its channel is listened to."""
        self.followed.add(session_id)
        self.announcements.changed()
        await self.looked_at.until(lambda sessions: session_id in sessions)


@asynccontextmanager
async def running(*processes: Process) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(process.announcements.run()) for process in processes]
    try:
        for process in processes:
            await process.looked_at.until(process.followed.issubset)
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def announce(database: FreshDatabase, channel: str, session_id: str) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as anybody:
        await anybody.execute("select pg_notify(%s, %s)", [channel, f"{session_id} {uuid4()} 1"])


async def test_each_is_informed_of_its_own_sessions_alone(database: FreshDatabase) -> None:
    of_here, of_there = str(uuid4()), str(uuid4())
    here, there = Process(database.server, of_here), Process(database.server, of_there)
    async with running(here, there):
        for session_id in (of_there, of_here):
            await announce(database, channel_of(session_id), session_id)
        await here.received.until(len)
        await there.received.until(len)
    assert (here.received, there.received) == ([of_here], [of_there])


async def test_a_session_that_is_followed_later_is_received_and_one_that_was_left_is_not(
    database: FreshDatabase,
) -> None:
    first, second = str(uuid4()), str(uuid4())
    here = Process(database.server, first)
    async with running(here):
        here.followed.discard(first)
        await here.follow(second)
        for session_id in (first, second):
            await announce(database, channel_of(session_id), session_id)
        await here.received.until(len)
    assert here.received == [second]


async def test_what_an_older_process_announces_to_all_is_received(database: FreshDatabase) -> None:
    session_id = str(uuid4())
    here = Process(database.server, session_id)
    async with running(here):
        await announce(database, CHANNEL, session_id)
        await here.received.until(len)
    assert here.received == [session_id]


async def test_a_lost_connection_is_made_again_with_every_channel(database: FreshDatabase) -> None:
    session_id = str(uuid4())
    here = Process(database.server, session_id)
    listening = "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %%' and datname = %s"
    async with running(here):
        async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner:
            await owner.execute(listening, [owner.info.dbname])
        await here.connected.until(lambda times: len(times) == 2)
        here.looked_at.clear()
        await here.looked_at.until(len)
        await announce(database, channel_of(session_id), session_id)
        await here.received.until(len)
    assert here.received == [session_id]
