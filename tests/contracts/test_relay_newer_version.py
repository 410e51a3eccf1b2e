"""What a newer version, or any role of the database, writes where the relay reads: no listener goes deaf."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from uuid import uuid4

import anyio
import psycopg
import pytest

from server.adapters.postgres.announcements import CHANNEL
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import NOTHING_FOLLOWS, PostgresRelay
from server.ports.relay import Listening
from server.protocol.events import TurnEnd, TurnEvent
from server.protocol.server import TurnSnapshot
from tests.plugins.postgres import FreshDatabase
from tests.plugins.relays import an_answer, text_of
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world


@dataclass
class Listener:
    """A relay that listens, and the table that a newer server writes to."""

    relay: PostgresRelay
    owner: psycopg.AsyncConnection[tuple[object, ...]]
    talk: Talk
    passed_over: list[str]

    async def turn(self) -> str:
        turn_id = str(uuid4())
        await self.talk.ask(turn_id, queue_behind=True)
        return turn_id

    async def written(self, turn_id: str, events: list[dict[str, object]]) -> None:
        """As another process does, numbered from 1; the last ends the turn."""
        session_id = self.talk.session_id
        for seq, event in enumerate(events, 1):
            stored = {**event, "turnId": turn_id, "sessionId": session_id, "seq": seq}
            await self.owner.execute(
                "insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn) "
                "values (%s, %s, %s, %s, %s)",
                [turn_id, seq, session_id, json.dumps(stored), seq == len(events)],
            )
            await self.owner.execute("select pg_notify(%s, %s)", [CHANNEL, f"{session_id} {turn_id} {seq}"])

    async def until_seen(self, turn_id: str) -> None:
        while self.relay._seen.get(self.talk.session_id, {}).get(turn_id) != NOTHING_FOLLOWS:
            await self.relay._read([self.talk.session_id])


@asynccontextmanager
async def listening_to(database: FreshDatabase) -> AsyncIterator[Listener]:
    passed_over: list[str] = []
    async with (
        Database(database.server) as pool,
        PostgresRelay(pool, database.server, passed_over=passed_over.append) as relay,
        await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner,
    ):
        world = postgres_world(database.owner, pool)
        yield Listener(relay, owner, await Talk.begin(world, await world.user()), passed_over)


def on_the_wire(events: list[TurnEvent]) -> list[dict[str, object]]:
    return [json.loads(event.to_wire()) for event in events]


async def everything(listening: Listening) -> list[TurnEvent | TurnSnapshot]:
    """Up to the end of the turn, or to the end of the stream."""
    messages: list[TurnEvent | TurnSnapshot] = []
    with anyio.fail_after(20):
        async for message in listening:
            messages.append(message)
            if isinstance(message, TurnEnd):
                break
    await listening.aclose()
    return messages


async def follow(here: Listener, events: list[dict[str, object]]) -> list[TurnEvent | TurnSnapshot]:
    """What a listener gets of this turn, live."""
    turn_id = await here.turn()
    listening = here.relay.listen(here.talk.session_id)
    with anyio.fail_after(20):
        await here.relay._read([here.talk.session_id])
        await here.written(turn_id, events)
        await here.until_seen(turn_id)
    return await everything(listening)


@pytest.fixture
async def here(database: FreshDatabase) -> AsyncIterator[Listener]:
    async with listening_to(database) as listener:
        yield listener


async def test_a_field_that_this_version_does_not_know_is_left_out(here: Listener) -> None:
    events = on_the_wire(an_answer(4))
    events[2]["mood"] = "good"
    events[-1]["usage"] = {**events[-1]["usage"], "cachedTokens": 5}  # type: ignore[dict-item]
    messages = await follow(here, events)
    assert text_of(messages) == "0 1 2 3 "
    assert isinstance(messages[-1], TurnEnd)
    assert here.passed_over == ["field", "field"]


async def test_an_event_that_this_version_does_not_know_becomes_a_snapshot(here: Listener) -> None:
    events = on_the_wire(an_answer(4))
    events.insert(3, {"type": "model_thought", "thought": "hm"})
    messages = await follow(here, events)
    assert text_of(messages) == "0 1 2 3 "
    assert isinstance(messages[-1], TurnEnd)
    numbers = [message.seq for message in messages]
    assert numbers == sorted(numbers)
    following = [(before, after) for before, after in pairwise(messages)]
    gaps = [after for before, after in following if not isinstance(after, TurnSnapshot) and after.seq != before.seq + 1]
    assert gaps == [], "a client that sees a gap joins again"
    assert here.passed_over == ["event"]


@pytest.mark.parametrize("place", ["first", "last"])
async def test_nobody_waits_for_a_beginning_or_an_end_that_cannot_be_read(here: Listener, place: str) -> None:
    events = on_the_wire(an_answer(3))
    events[0 if place == "first" else -1] = {"type": "turn_of_tomorrow"}
    messages = await follow(here, events)
    assert here.passed_over == ["event"]
    if place == "first":
        assert isinstance(messages[-1], TurnEnd)
    assert await follow(here, on_the_wire(an_answer(3))), "the next turn is followed"


async def test_an_announcement_of_another_shape_ends_nothing(here: Listener, database: FreshDatabase) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as anybody:
        await anybody.execute("set role anon")
        for payload in ("x", "", "a b", "a b c d e", "{}"):
            await anybody.execute("select pg_notify(%s, %s)", [CHANNEL, payload])
    turn_id = await here.turn()
    listening = here.relay.listen(here.talk.session_id)
    with anyio.fail_after(20):
        while here.talk.session_id not in here.relay._seen:
            await here.relay._read([here.talk.session_id])
        await here.written(turn_id, on_the_wire(an_answer(3)))
        messages = await everything(listening)
    assert isinstance(messages[-1], TurnEnd)
    assert here.passed_over == ["announcement"] * 4
