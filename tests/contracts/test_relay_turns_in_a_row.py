"""A turn that begins at once after another of its session: what is still to come of the other changes nothing of it."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from time import monotonic
from typing import Any, cast

import anyio
import pytest
from psycopg import AsyncConnection

from server.adapters.postgres.event_rows import EventRow
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.ports.identity import Caller
from server.ports.relay import Listening
from server.protocol.client import UserPrompt
from server.protocol.events import ModelChunkAppend, ModelChunkStart, TurnEnd, TurnEvent, TurnStarted
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import ViewerState
from server.turns.client_streams import Asked, ClientStreams
from server.turns.conversation import Conversation
from server.turns.trace_library import TraceLibrary
from tests.contracts.watched_relay import WatchedRelay
from tests.plugins.postgres import FreshDatabase
from tests.plugins.relays import S1, T1, T2, an_answer, stamped, text_of
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world

NEXT = stamped(
    [
        TurnStarted(attempt=1, model="m", prompt_version="v"),
        ModelChunkStart(message_id="m2", offset=0, chunk="It is "),
        ModelChunkAppend(message_id="m2", offset=6, chunk="read"),
        an_answer(1)[-1],
    ],
    turn_id=T2,
)


@pytest.fixture
async def pool(database: FreshDatabase) -> AsyncIterator[Database]:
    """With a session of two turns that wait."""
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        talk = await Talk.begin(world, await world.user())
        talk.session_id = S1
        for turn_id in (T1, T2):
            await talk.ask(turn_id, queue_behind=True)
        yield pool


@pytest.fixture
async def nothing_is_written(database: FreshDatabase) -> AsyncIterator[AsyncConnection]:
    """Until its transaction ends: what is published waits to be written, and is read all the same."""
    async with await AsyncConnection.connect(database.owner) as locking:
        await locking.execute("lock table flamechat_private.turn_events in share mode")
        yield locking


async def next_of(listening: Listening, count: int) -> list[TurnEvent | TurnSnapshot]:
    with anyio.fail_after(60):
        return [await anext(listening) for _ in range(count)]


async def is_let_go(relay: PostgresRelay, turn_id: str) -> bool:
    return turn_id not in relay._own


async def test_a_turn_that_was_written_while_its_rows_were_read_is_not_sent_again(
    pool: Database, database: FreshDatabase, nothing_is_written: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its listener has gone, another has come, and the next turn runs."""
    async with WatchedRelay(pool, database.server) as relay:
        real, has_read, go_on = relay._rows, asyncio.Event(), asyncio.Event()

        async def rows(sessions: list[str]) -> Any:
            found = await real(sessions)
            has_read.set()
            await go_on.wait()
            return found

        for event in an_answer(3):
            await relay.publish(event)
        monkeypatch.setattr(relay, "_rows", rows)
        listening = relay.listen(S1)
        with anyio.fail_after(60):
            await has_read.wait()
        await nothing_is_written.commit()
        await relay.until(lambda: is_let_go(relay, T1))
        go_on.set()
        for event in NEXT[:2]:
            await relay.publish(event)
        await relay._read([S1])
        await relay._read([S1])
        await relay.publish(NEXT[2])
        shot = await relay.snapshot(S1)
        assert shot is not None
        assert text_of([shot]) == "It is read"
        assert {event.turn_id for event in await next_of(listening, 3)} == {T2}
        await listening.aclose()


async def test_a_process_that_stood_still_passes_on_what_ended_long_ago_meanwhile(
    pool: Database, database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a turn that it knew, and of one that began and ended in that time."""
    events = an_answer(3)
    async with WatchedRelay(pool, database.server) as there, WatchedRelay(pool, database.server) as here:
        listening = here.listen(S1)
        await here._read([S1])
        for event in events[:3]:
            await there.publish(event)
        assert await next_of(listening, 3) == events[:3]
        real, goes_on = here._rows, asyncio.Event()

        async def rows(sessions: list[str]) -> Any:
            await goes_on.wait()
            return await real(sessions)

        monkeypatch.setattr(here, "_rows", rows)
        for event in (*events[3:], *NEXT):
            await there.publish(event)
        for turn_id in (T1, T2):
            await there.until(partial(is_let_go, there, turn_id))
        async with await AsyncConnection.connect(database.owner) as owner:
            await owner.execute("update chat_turns set status = 'completed', ended_at = now() - interval '50 s'")
        monkeypatch.setattr("server.adapters.postgres.relay.monotonic", lambda: monotonic() + 50)
        goes_on.set()
        assert await next_of(listening, len(events) - 3 + len(NEXT)) == [*events[3:], *NEXT]
        await listening.aclose()


async def test_who_gives_a_turn_up_that_nobody_follows_keeps_nothing_of_it(
    pool: Database, database: FreshDatabase
) -> None:
    async with WatchedRelay(pool, database.server) as relay:
        await relay.publish(NEXT[0])
        assert await relay.give_up(T2, S1)
        assert not relay._seen


async def test_the_end_of_the_turn_before_that_comes_late_from_elsewhere_changes_nothing_of_one_that_runs_here(
    pool: Database, database: FreshDatabase
) -> None:
    """Who was following the turn before still gets its end."""
    events = an_answer(3)
    async with WatchedRelay(pool, database.server) as there, WatchedRelay(pool, database.server) as here:
        listening = here.listen(S1)
        await here._read([S1])
        for event in events[:3]:
            await there.publish(event)
        with anyio.fail_after(60):
            while here._seen[S1].get(T1, 0) < 3:
                await here._read([S1])
        for event in NEXT[:2]:
            await here.publish(event)
        for event in events[3:]:
            await there.publish(event)
        await there.until(lambda: is_let_go(there, T1))
        await here._read([S1])
        await here.publish(NEXT[2])
        shot = await here.snapshot(S1)
        assert shot is not None
        assert text_of([shot]) == "It is read"
        await here.publish(NEXT[3])
        got = await next_of(listening, len(events) + len(NEXT))
        assert [one for one in got if one.turn_id == T1] == events
        assert [one for one in got if one.turn_id == T2] == NEXT
        assert sum(isinstance(one, TurnEnd) for one in got) == 2
        await listening.aclose()


async def test_who_comes_before_the_end_of_the_turn_before_is_written_gets_that_and_the_next_one(
    pool: Database, database: FreshDatabase
) -> None:
    events = an_answer(3)
    async with WatchedRelay(pool, database.server) as there, WatchedRelay(pool, database.server) as here:
        for event in events[:3]:
            await there.publish(event)
        await there.until(lambda: _has_written(there, 3))
        for event in NEXT[:2]:
            await here.publish(event)
        listening = here.listen(S1)
        await here._read([S1])
        for event in events[3:]:
            await there.publish(event)
        await there.until(lambda: is_let_go(there, T1))
        await here._read([S1])
        await here.publish(NEXT[2])
        shot = await here.snapshot(S1)
        assert shot is not None
        assert (shot.turn_id, text_of([shot])) == (T2, "It is read")
        await listening.aclose()


async def test_a_turn_is_followed_where_the_clock_of_the_database_was_set_back(
    pool: Database, database: FreshDatabase
) -> None:
    events = an_answer(3)
    async with WatchedRelay(pool, database.server) as there, WatchedRelay(pool, database.server) as here:
        for event in events[:4]:
            await there.publish(event)
        await there.until(lambda: _has_written(there, 4))
        async with await AsyncConnection.connect(database.owner) as setting_back:
            await setting_back.execute(
                "update flamechat_private.turn_events set written_at = written_at - interval '1 hour' where seq = 3"
            )
        listening = here.listen(S1)
        shot = await here.snapshot(S1)
        assert shot is not None
        assert text_of([shot]) == text_of([*events])
        await listening.aclose()


async def test_who_is_hung_up_on_for_the_turn_before_comes_back_to_the_one_that_runs_here(
    pool: Database, database: FreshDatabase
) -> None:
    async with WatchedRelay(pool, database.server) as relay:
        listening = relay.listen(S1)
        await relay._read([S1])
        for event in NEXT[:2]:
            await relay.publish(event)
        await relay._pass_on(EventRow(session_id=S1, turn_id=T1, seq=9, ends_turn=True, event=None))
        with anyio.fail_after(60):
            assert [one async for one in listening] == []
        await listening.aclose()
        again = relay.listen(S1)
        await relay.publish(NEXT[2])
        await relay.publish(NEXT[3])
        assert text_of(await next_of(again, 2)) == "It is read"
        await again.aclose()


async def test_a_client_whose_turn_ends_elsewhere_before_anything_was_read_gets_its_answer(
    pool: Database, database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = postgres_world(database.owner, pool)
    talk = await Talk.begin(world, await world.user())
    may_read = anyio.Event()
    reads_on = PostgresRelay._read_on

    async def read_on(relay: PostgresRelay) -> None:
        await may_read.wait()
        await reads_on(relay)

    monkeypatch.setattr(PostgresRelay, "_read_on", read_on)
    async with WatchedRelay(pool, database.server) as there, WatchedRelay(pool, database.server) as here:
        conversation = AnsweredElsewhere(talk, there)
        streams = ClientStreams(
            conversations=world.conversations,
            conversation=cast("Conversation", conversation),
            library=cast("TraceLibrary", None),
            relay=here,
        )
        followed = await streams.ask(
            talk.caller, Asked(chat_id=talk.session_id, text="why?", message_id="m1", trace_id=talk.trace_id)
        )
        may_read.set()
        with anyio.fail_after(20):
            assert text_of([event async for event in followed.events()]) == "It is read"
        await followed.aclose()


class AnsweredElsewhere:
    """Of a Conversation what a client's first question needs: another process answers before it is accepted here."""

    def __init__(self, talk: Talk, relay: WatchedRelay) -> None:
        self._talk = talk
        self._relay = relay

    async def submit(self, caller: Caller, message: UserPrompt, viewing: ViewerState, *, is_typed: bool) -> None:
        turn_id = str(message.turn_id)
        await self._talk.ask(turn_id)
        started = await self._talk.world.conversations.start_turn(turn_id, owner=turn_id)
        assert started is not None
        for event in NEXT:
            named = {"turn_id": turn_id, "session_id": self._talk.session_id}
            await self._relay.publish(event.model_copy(update=named))
        await self._relay.until(lambda: is_let_go(self._relay, turn_id))


async def _has_written(relay: WatchedRelay, seq: int) -> bool:
    query = "select max(seq) = %s as has from flamechat_private.turn_events"
    async with relay._database.transaction() as connection:
        row = await (await connection.execute(query, [seq])).fetchone()
    return bool(row and row["has"])
