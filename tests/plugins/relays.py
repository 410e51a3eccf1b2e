"""Every Relay: in memory, over PostgreSQL inside one process and from one process to another, and in memory with a
project's Realtime behind it, alive or dead. What its tests publish, and what a listener gets."""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import anyio
import psycopg
import pytest

from server.adapters.in_process.relay import MemoryRelay
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.adapters.supabase.realtime import ANSWER_S, RealtimeRelay
from server.ports.relay import Listening, Relay, Seen
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    TurnEnd,
    TurnEvent,
    TurnStarted,
)
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import Usage
from tests.cloud.supabase_server import supabase_server
from tests.contracts.watched_relay import WatchedRelay
from tests.plugins.postgres import FreshDatabase, cloned_database
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world

BOUND = 8
S1, S2, T1, T2 = (str(uuid4()) for _ in range(4))


class AcrossProcesses:
    """Publishes in one process, listens in another. Waits after each event until it has arrived, so that the tests may
    look at once."""

    def __init__(self, here: WatchedRelay, there: PostgresRelay) -> None:
        self._here = here
        self._there = there

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        with anyio.fail_after(60):  # whoever listens already has looked: what comes from here on comes as events
            while S1 in self._there._listeners and S1 not in self._there._seen:
                await self._there._read([S1])
        await self._here.publish(event)
        await self._here.until(lambda: self._is_written(event))
        with anyio.fail_after(60):
            while S1 in self._there._listeners and self._there._seen.get(S1, {}).get(event.turn_id, -1) < event.seq:
                await self._there._read([S1])

    async def _is_written(self, event: TurnEvent | TurnSnapshot) -> bool:
        """An end is let go of when it is."""
        if isinstance(event, TurnEnd):
            return event.turn_id not in self._here._own
        row = "select from flamechat_private.turn_events where turn_id = %s and seq >= %s"
        async with self._here._database.transaction() as connection:
            return await (await connection.execute(row, [event.turn_id, event.seq])).fetchone() is not None

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        return await self._here.give_up(turn_id, session_id)

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        return self._there.listen(session_id, seen=seen)

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        return await self._there.snapshot(session_id)


@pytest.fixture(scope="session")
def relays_database(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[FreshDatabase]:
    """Of all relays under test, one after the other: to make one and to get used to it takes 0.3 s of a processor."""
    yield from cloned_database(postgres, migrated_template)


@pytest.fixture
def emptied_database(relays_database: FreshDatabase) -> FreshDatabase:
    """Without the turns of the tests before, whose names are those of this one."""
    with psycopg.connect(relays_database.owner, autocommit=True) as owner:
        owner.execute("delete from flamechat_private.turn_events")
        owner.execute("delete from public.chat_sessions")
    return relays_database


@pytest.fixture(params=["memory", "one process", "two processes", "realtime", "dead realtime"])
def own_database(request: pytest.FixtureRequest) -> tuple[str, FreshDatabase | None]:
    database = request.getfixturevalue("emptied_database") if "process" in request.param else None
    return request.param, database


@pytest.fixture
async def relay(own_database: tuple[str, FreshDatabase | None]) -> AsyncIterator[Relay]:
    kind, database = own_database
    if "realtime" in kind:
        async with supabase_server() as supabase, supabase.project.client() as client:
            supabase.faults.always("realtime", "hang" if "dead" in kind else None)
            inner, answer_s = MemoryRelay(events_per_listener=BOUND), 0.2 if "dead" in kind else ANSWER_S
            async with RealtimeRelay(inner, client, _all_requested, answer_s=answer_s) as relay:
                yield relay
        return
    if database is None:
        yield MemoryRelay(events_per_listener=BOUND)
        return
    async with (
        await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner,
        Database(database.server) as pool,
        WatchedRelay(pool, database.server, events_per_listener=BOUND) as here,
        WatchedRelay(pool, database.server, events_per_listener=BOUND) as there,
    ):
        world = postgres_world(owner, pool)
        talk = await Talk.begin(world, await world.user())
        talk.session_id = S1
        for turn_id in (T1, T2):
            await talk.ask(turn_id, queue_behind=True)
        yield here if kind == "one process" else AcrossProcesses(here, there)


async def _all_requested(requested: int) -> int:
    return requested


def stamped(events: list[TurnEvent], *, turn_id: str = T1, first: int = 1) -> list[TurnEvent]:
    return [
        event.model_copy(update={"turn_id": turn_id, "session_id": S1, "seq": first + number})
        for number, event in enumerate(events)
    ]


def an_answer(words: int) -> list[TurnEvent]:
    events: list[TurnEvent] = [
        TurnStarted(attempt=1, model="m", prompt_version="v"),
        ModelChunkStart(message_id="m1", offset=0, chunk="0 "),
    ]
    events += [ModelChunkAppend(message_id="m1", offset=2 * n, chunk=f"{n % 10} ") for n in range(1, words)]
    events.append(ModelResponseEnd(message_id="m1", usage=Usage(), citations=[], checks=[], suggestions=[]))
    return stamped(events)


async def received(listening: Listening) -> list[TurnEvent | TurnSnapshot]:
    """What one listener gets up to the end of the turn."""
    messages: list[TurnEvent | TurnSnapshot] = []
    with anyio.fail_after(60):
        async for message in listening:
            messages.append(message)
            if isinstance(message, TurnEnd):
                await listening.aclose()
    return messages


def text_of(messages: list[TurnEvent | TurnSnapshot]) -> str:
    """The answer as a client would show it."""
    text = ""
    for message in messages:
        if isinstance(message, TurnSnapshot):
            text = "".join(part.text for part in message.messages)
        elif isinstance(message, ModelChunkStart | ModelChunkAppend):
            text = text[: message.offset] + message.chunk
    return text
