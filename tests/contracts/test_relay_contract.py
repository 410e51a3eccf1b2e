"""What every Relay does."""

from contextlib import AbstractAsyncContextManager

import anyio
import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.errors import DatabaseUnavailable
from server.ports.relay import Relay
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    ModelTextReset,
    TurnCancelled,
    TurnEvent,
    TurnStarted,
)
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import SnapshotMessage, Usage
from tests.contracts.watched_relay import WatchedRelay
from tests.plugins.postgres import FreshDatabase
from tests.plugins.relays import BOUND, S1, S2, T1, T2, an_answer, received, stamped, text_of
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world


async def test_a_listener_gets_every_event_in_order(relay: Relay) -> None:
    events = an_answer(4)
    listening = relay.listen(S1)
    for event in events:
        await relay.publish(event)
    assert await received(listening) == events


async def test_two_listeners_get_the_same_and_another_session_nothing(relay: Relay) -> None:
    events = an_answer(3)
    first, second, stranger = relay.listen(S1), relay.listen(S1), relay.listen(S2)
    for event in events:
        await relay.publish(event)
    assert await received(first) == await received(second) == events
    await stranger.aclose()
    assert [message async for message in stranger] == []


async def test_a_late_listener_gets_a_snapshot_and_then_live_events(relay: Relay) -> None:
    events = an_answer(6)
    for event in events[:4]:
        await relay.publish(event)
    listening = relay.listen(S1)
    for event in events[4:]:
        await relay.publish(event)
    messages = await received(listening)
    assert isinstance(messages[0], TurnSnapshot)
    assert [message.seq for message in messages[1:]] == list(range(messages[0].seq + 1, len(events) + 1))
    assert text_of(messages) == "0 1 2 3 4 5 "


async def test_a_slow_listener_is_moved_to_a_snapshot_and_misses_nothing(relay: Relay) -> None:
    events = an_answer(BOUND * 5)
    slow = relay.listen(S1)
    for event in events[: BOUND * 3]:
        await relay.publish(event)
    with anyio.fail_after(60):
        first = await anext(slow)
    assert isinstance(first, TurnSnapshot)
    assert first.seq == BOUND * 3
    for event in events[BOUND * 3 :]:
        await relay.publish(event)
    messages = [first, *await received(slow)]
    assert isinstance(messages[-1], ModelResponseEnd)
    assert text_of(messages) == "".join(f"{n % 10} " for n in range(BOUND * 5))
    assert len(messages) <= BOUND + 3


async def test_a_listener_who_slept_through_a_turn_still_gets_its_end(relay: Relay) -> None:
    events = an_answer(BOUND * 2)
    slow = relay.listen(S1)
    for event in events:
        await relay.publish(event)
    snapshot, end = await received(slow)
    assert isinstance(snapshot, TurnSnapshot)
    assert (snapshot.seq, end.seq) == (len(events) - 1, len(events))


async def test_a_turn_is_forgotten_after_its_end(relay: Relay) -> None:
    events = an_answer(3)
    await relay.publish(events[0])
    assert await relay.snapshot(S1) is not None
    for event in events[1:]:
        await relay.publish(event)
    listening = relay.listen(S1)
    assert await relay.snapshot(S1) is None  # its first look is over before the next turn begins
    following = stamped([TurnStarted(attempt=1, model="m", prompt_version="v"), TurnCancelled()], turn_id=T2)
    for event in following:
        await relay.publish(event)
    assert await received(listening) == following


async def test_a_turn_that_has_ended_is_not_sent_again_to_those_who_got_it(relay: Relay) -> None:
    listening = relay.listen(S1)
    assert await relay.snapshot(S1) is None
    for event in (published := an_answer(3)):
        await relay.publish(event)
    with anyio.fail_after(60):
        assert [await anext(listening) for _ in published] == published
    if isinstance(relay, WatchedRelay):
        await relay.until(lambda: _is_let_go(relay))
    assert await relay.snapshot(S1) is None  # looks at what the table still holds
    following = stamped([TurnStarted(attempt=1, model="m", prompt_version="v"), TurnCancelled()], turn_id=T2)
    for event in following:
        await relay.publish(event)
    assert await received(listening) == following


async def test_text_that_was_taken_back_is_not_in_the_snapshot(relay: Relay) -> None:
    for event in stamped(
        [
            TurnStarted(attempt=1, model="m", prompt_version="v"),
            ModelChunkStart(message_id="m1", offset=0, chunk="kept lost"),
            ModelTextReset(message_id="m1", offset=5),
            ModelChunkAppend(message_id="m1", offset=5, chunk="told"),
        ]
    ):
        await relay.publish(event)
    snapshot = await relay.snapshot(S1)
    assert snapshot is not None
    assert snapshot.messages[0].text == "kept told"


async def test_closing_wakes_one_who_waits(relay: Relay) -> None:
    listening = relay.listen(S1)

    async def close() -> None:
        await listening.aclose()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(close)
            assert [message async for message in listening] == []


async def test_a_snapshot_replaces_earlier_events_of_its_turn(relay: Relay) -> None:
    listening = relay.listen(S1)
    for event in an_answer(4)[:4]:
        await relay.publish(event)
    kept = SnapshotMessage(message_id="m1", position=0, text="0 1 ")
    again = TurnSnapshot(turn_id=T1, session_id=S1, attempt=2, seq=1_000_000, messages=[kept], tools=[])
    await relay.publish(again)
    ending = ModelResponseEnd(message_id="m1", usage=Usage(), citations=[], checks=[], suggestions=[])
    for event in stamped([ModelChunkAppend(message_id="m1", offset=4, chunk="2 "), ending], first=1_000_001):
        await relay.publish(event)
    assert text_of(await received(listening)) == "0 1 2 "


async def test_who_comes_after_a_takeover_is_shown_what_was_kept(relay: Relay) -> None:
    for event in an_answer(2)[:2]:
        await relay.publish(event)
    kept = SnapshotMessage(message_id="m1", position=0, text="0 1 ")
    await relay.publish(TurnSnapshot(turn_id=T1, session_id=S1, attempt=2, seq=1_000_000, messages=[kept], tools=[]))
    started = TurnStarted(attempt=2, model="m", prompt_version="v")
    for event in stamped([started, ModelChunkAppend(message_id="m1", offset=4, chunk="2 ")], first=1_000_001):
        await relay.publish(event)
    listening = relay.listen(S1)
    ending = ModelResponseEnd(message_id="m1", usage=Usage(), citations=[], checks=[], suggestions=[])
    for event in stamped([ModelChunkAppend(message_id="m1", offset=6, chunk="3 "), ending], first=1_000_003):
        await relay.publish(event)
    assert text_of(await received(listening)) == "0 1 2 3 "


async def _is_let_go(relay: PostgresRelay) -> bool:
    return not relay._own


async def _is_up_to_date(relay: PostgresRelay) -> bool:
    return not (relay._unwritten or relay._lost or any(view.end for view in relay._own.values()))


async def publish_all(relay: WatchedRelay, events: list[TurnEvent]) -> None:
    for event in events:
        await relay.publish(event)
    await relay.until(lambda: _is_up_to_date(relay))


@pytest.mark.parametrize("first", [1, 4, 7])
async def test_what_the_table_lost_when_the_database_fell_is_sent_again_elsewhere(
    database: FreshDatabase, first: int
) -> None:
    """A crash empties an unlogged table; whoever had not read it yet gets a snapshot before other events."""
    events = an_answer(6)
    async with (
        Database(database.server) as pool,
        WatchedRelay(pool, database.server) as here,
        WatchedRelay(pool, database.server) as there,
    ):
        world = postgres_world(database.owner, pool)
        talk = await Talk.begin(world, await world.user())
        talk.session_id = S1
        await talk.ask(T1)
        listening = there.listen(S1)
        assert await there.snapshot(S1) is None
        async with there._reading:  # what was written before the crash has not been read
            await publish_all(here, events[:first])
            async with await AsyncConnection.connect(database.owner) as owner:  # it may wait for one who is writing
                await owner.execute("truncate flamechat_private.turn_events")
        await publish_all(here, events[first:])
        messages = await received(listening)
    assert text_of(messages) == "0 1 2 3 4 5 "
    numbers = [message.seq for message in messages if not isinstance(message, TurnSnapshot)]
    assert numbers == list(range(numbers[0], len(events) + 1))


async def test_events_that_could_not_be_written_are_sent_with_the_end(
    database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = an_answer(6)
    write = Database.transaction
    refused: list[int] = []

    def refusing(self: Database, *, durable: bool = True) -> AbstractAsyncContextManager[AsyncConnection[DictRow]]:
        if self is pool and len(refused) < 3 and here._own:
            refused.append(1)
            raise DatabaseUnavailable("The database cannot be reached.")
        return write(self, durable=durable)

    async with (
        Database(database.server) as pool,
        Database(database.server) as pool_there,
        WatchedRelay(pool, database.server) as here,
        WatchedRelay(pool_there, database.server) as there,
    ):
        world = postgres_world(database.owner, pool)
        talk = await Talk.begin(world, await world.user())
        talk.session_id = S1
        await talk.ask(T1)
        listening = there.listen(S1)
        assert await there.snapshot(S1) is None
        monkeypatch.setattr(Database, "transaction", refusing)
        await publish_all(here, events)
        messages = await received(listening)
    assert refused
    assert text_of(messages) == "0 1 2 3 4 5 "
    assert messages[-1] == events[-1]


@pytest.mark.long
async def test_listeners_are_disconnected_when_a_turn_ended_and_its_process_died(database: FreshDatabase) -> None:
    events = an_answer(4)[:3]
    async with Database(database.server) as pool, WatchedRelay(pool, database.server) as there:
        world = postgres_world(database.owner, pool)
        talk = await Talk.begin(world, await world.user())
        talk.session_id = S1
        await talk.ask(T1)
        listening = there.listen(S1)
        assert await there.snapshot(S1) is None
        async with WatchedRelay(pool, database.server) as dying:
            await publish_all(dying, list(events))
            with anyio.fail_after(60):
                assert [await anext(listening) for _ in events] == events
        async with await AsyncConnection.connect(database.owner) as owner:
            await owner.execute("select end_chat_turn(%s, 'completed')", [T1])
        with anyio.fail_after(60):
            assert [message async for message in listening] == []
        assert await there.snapshot(S1) is None
