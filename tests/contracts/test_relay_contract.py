"""Every Relay: in memory, over PostgreSQL inside one process and from one process to another, and in memory with a
project's Realtime behind it, alive or dead."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from uuid import uuid4

import anyio
import pytest
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from server.adapters.in_process.relay import MemoryRelay
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.adapters.supabase.realtime import ANSWER_S, RealtimeRelay
from server.errors import DatabaseUnavailable
from server.ports.relay import Listening, Relay, Seen
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    ModelTextReset,
    TurnCancelled,
    TurnEnd,
    TurnEvent,
    TurnStarted,
)
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import SnapshotMessage, Usage
from tests.cloud.supabase_server import supabase_server
from tests.contracts.watched_relay import WatchedRelay
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, postgres_world

BOUND = 8
S1, S2, T1, T2 = (str(uuid4()) for _ in range(4))


class AcrossProcesses:
    """Publishes in one process, listens in another. Waits after each event until it has arrived, so that the tests may
    look at once."""

    def __init__(self, here: WatchedRelay, there: PostgresRelay) -> None:
        self._here = here
        self._there = there

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
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


@pytest.fixture(params=["memory", "one process", "two processes", "realtime", "dead realtime"])
def own_database(request: pytest.FixtureRequest) -> tuple[str, FreshDatabase | None]:
    database = request.getfixturevalue("database") if "process" in request.param else None
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
        Database(database.server) as pool,
        WatchedRelay(pool, database.server, events_per_listener=BOUND) as here,
        WatchedRelay(pool, database.server, events_per_listener=BOUND) as there,
    ):
        world = postgres_world(database.owner, pool)
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

    def refusing(self: Database) -> AbstractAsyncContextManager[AsyncConnection[DictRow]]:
        if self is pool and len(refused) < 3 and here._own:
            refused.append(1)
            raise DatabaseUnavailable("The database cannot be reached.")
        return write(self)

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


async def test_a_listener_goes_on_after_what_it_has_seen_of_the_turn(relay: Relay) -> None:
    events = an_answer(6)
    for event in events[:5]:
        await relay.publish(event)
    listening = relay.listen(S1, seen=Seen(T1, 2))
    assert await relay.snapshot(S1) is not None
    for event in events[5:]:
        await relay.publish(event)
    assert await heard(listening) == events[2:]


@pytest.mark.parametrize("seen", [Seen(T1, 0), Seen(T1, 99), Seen(T2, 3)], ids=["too old", "to come", "another turn"])
async def test_a_listener_whose_place_is_not_kept_gets_a_snapshot(relay: Relay, seen: Seen) -> None:
    events = an_answer(BOUND + 6)
    for event in events[: BOUND + 4]:
        await relay.publish(event)
    if seen.seq == 0 and isinstance(relay, AcrossProcesses):
        return  # the table keeps all of a running turn; a listener's queue does not
    listening = relay.listen(S1, seen=seen)
    assert await relay.snapshot(S1) is not None
    for event in events[BOUND + 4 :]:
        await relay.publish(event)
    messages = await heard(listening)
    assert isinstance(messages[0], TurnSnapshot)
    assert (text_of(messages), messages[-1]) == (text_of([*events]), events[-1])


async def test_a_later_attempt_begins_with_its_snapshot_for_whoever_has_seen_the_earlier_one(relay: Relay) -> None:
    for event in an_answer(3)[:3]:
        await relay.publish(event)
    begun = TurnSnapshot(turn_id=T1, session_id=S1, attempt=2, seq=1_000_000, messages=[], tools=[])
    await relay.publish(begun)
    listening = relay.listen(S1, seen=Seen(T1, 3))
    assert await relay.snapshot(S1) is not None
    for event in stamped([TurnCancelled()], first=1_000_001):
        await relay.publish(event)
    assert [type(message) for message in await heard(listening)] == [TurnSnapshot, TurnCancelled]
